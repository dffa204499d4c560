import Platform

/// The transfer function of sRGB (IEC 61966-2-1; https://www.w3.org/Graphics/Color/sRGB), and its tables for loops over
/// pixels.
package enum SRGBTransfer {
  /// Returns the linear light, 0 to 1, of an encoded value from 0 to 1.
  package static func decode(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// Returns the encoded value, 0 to 1, of linear light from 0 to 1.
  package static func encode(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  // `nonisolated(unsafe)` is safe here: each table is written once, before its first use, then only read, and never
  // freed.

  nonisolated(unsafe) private static let decode8 = makeTable(256) { Float(decode(Double($0) / 255)) }
  nonisolated(unsafe) private static let decode16 = makeTable(65_536) { Float(decode(Double($0) / 65_535)) }

  /// Returns the linear light of every sample value.
  static func decodeTable(sampleBytes: Int) -> UnsafePointer<Float> { sampleBytes == 1 ? decode8 : decode16 }

  /// The number of steps of the encoding table. The error of linear interpolation is at most 0.3 of a 16-bit level: it
  /// is 0 on the straight part of the curve, and greatest just above that part.
  static let encodeSteps = 8192
  /// The encoding table. It has two more entries than steps, because interpolation may read an entry beyond full
  /// intensity.
  nonisolated(unsafe) static let encodeTable = makeTable(encodeSteps + 2) {
    Float(encode(Double($0) / Double(encodeSteps)))
  }

  /// The 16-bit linear light of every 8-bit sample.
  nonisolated(unsafe) static let lightTable8 = makeTable(256) { UInt16((decode(Double($0) / 255) * 65_535).rounded()) }
  /// The nearest 8-bit sample for every value of 16-bit light.
  nonisolated(unsafe) static let encodedTable8 = {
    let ends = (0..<255).map { Int(decode((Double($0) + 0.5) / 255) * 65_535) }
    var sample = 0
    return makeTable(65_536) { light in
      while sample < 255, light > ends[sample] { sample += 1 }
      return UInt8(sample)
    }
  }()

  /// Encodes light through `encodeTable`; light outside 0 to 1 is clipped.
  @inline(__always)
  static func encode(_ light: Float, _ table: UnsafePointer<Float>) -> Float {
    let position = max(0, min(1, light)) * Float(encodeSteps)
    let index = Int32(position)
    let entry = table + Int(index)
    return entry[0] + (entry[1] - entry[0]) * (position - Float(index))
  }

  /// Encodes four values of light, with results bit-identical to those of the scalar function.
  @inline(__always)
  static func encode(_ light: SIMD4<Float>, _ table: UnsafePointer<Float>) -> SIMD4<Float> {
    let position = limited(light, to: 1) * Float(encodeSteps)
    // Adding 2²³ and subtracting it again rounds to the nearest integer, as in `StoredSample`. If that is above the
    // position, the integer part is one less.
    let nearest = (position + 8_388_608) - 8_388_608
    let whole = nearest.replacing(with: nearest - 1, where: nearest .> position)
    let index = unsafeBitCast(whole + 8_388_608, to: SIMD4<UInt32>.self) & 0x7f_ffff
    @inline(__always) func entries(_ next: Int) -> SIMD4<Float> {
      let table = table + next
      return SIMD4(table[Int(index[0])], table[Int(index[1])], table[Int(index[2])], table[Int(index[3])])
    }
    let low = entries(0)
    return low + (entries(1) - low) * (position - whole)
  }
}
