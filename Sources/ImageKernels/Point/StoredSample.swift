/// One stored sample: `UInt8` or `UInt16`, which callers name by their size in bytes.
protocol StoredSample: FixedWidthInteger, UnsignedInteger, Sendable {}

extension UInt8: StoredSample {}
extension UInt16: StoredSample {}

extension StoredSample {
  /// The value of full intensity as a number.
  @inline(__always)
  static var top: Float { Float(Self.max) }

  /// The nearest sample to `value`, halves to even; what is out of range becomes the nearest limit.
  ///
  /// Adding 2²³ leaves the whole part in the low bits. It is what lets loops be vectorised: Swift's own
  /// conversion checks every value for overflow.
  @inline(__always)
  init(nearest value: Float) {
    let inRange = Swift.max(0, Swift.min(Self.top, value))
    self.init(truncatingIfNeeded: (inRange + 8_388_608).bitPattern)
  }
}
