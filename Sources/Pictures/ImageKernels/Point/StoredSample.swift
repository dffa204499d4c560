/// The type of a stored sample: `UInt8` or `UInt16`. Callers choose it by its size in bytes.
///
/// The conversions are written out for each type, because the standard library's generic conversions between integers
/// and floating point take some 20 ns even if the types are known.
protocol StoredSample: FixedWidthInteger, UnsignedInteger, Sendable {
  /// The sample of full intensity as a float.
  static var top: Float { get }
  var number: Float { get }
  /// Makes a sample from the low 8 or 16 bits.
  init(lowBits: UInt32)
}

extension UInt8: StoredSample {
  @inline(__always)
  static var top: Float { 255 }
  @inline(__always)
  var number: Float { Float(self) }
  @inline(__always)
  init(lowBits: UInt32) { self.init(truncatingIfNeeded: lowBits) }
}

extension UInt16: StoredSample {
  @inline(__always)
  static var top: Float { 65_535 }
  @inline(__always)
  var number: Float { Float(self) }
  @inline(__always)
  init(lowBits: UInt32) { self.init(truncatingIfNeeded: lowBits) }
}

extension StoredSample {
  /// Makes the nearest sample to `value`, ties to even, clamped.
  ///
  /// Adding 2²³ puts the rounded integer into the low bits of the float. Loops with this conversion can be vectorised;
  /// Swift's own conversion checks every value for overflow, which prevents that.
  @inline(__always)
  init(nearest value: Float) {
    let inRange = Swift.max(0, Swift.min(Self.top, value))
    self.init(lowBits: (inRange + 8_388_608).bitPattern)
  }

  /// Returns the nearest samples to four values, each in the low bits of its lane.
  @inline(__always)
  static func lowBits(nearest values: SIMD4<Float>) -> SIMD4<UInt32> {
    unsafeBitCast(limited(values, to: top) + 8_388_608, to: SIMD4<UInt32>.self)
  }
}

/// Returns values clamped to 0…`top`.
@inline(__always)
func limited(_ values: SIMD4<Float>, to top: Float) -> SIMD4<Float> {
  let below = values.replacing(with: top, where: values .> top)
  return below.replacing(with: 0, where: below .< 0)
}
