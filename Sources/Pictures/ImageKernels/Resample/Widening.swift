/// The conversion of 8-bit samples to 16-bit ones.
enum Widening {
  static func widen(
    _ input: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer
  ) {
    var i = 0
    while i + 16 <= count {
      let samples = (input + i).loadUnaligned(as: SIMD16<UInt8>.self)
      (output + 2 * i).storeBytes(of: SIMD16<UInt16>(truncatingIfNeeded: samples), as: SIMD16<UInt16>.self)
      i += 16
    }
    while i < count {
      let sample = UInt16(input.load(fromByteOffset: i, as: UInt8.self))
      output.storeBytes(of: sample, toByteOffset: 2 * i, as: UInt16.self)
      i += 1
    }
  }
}
