/// One stored sample: `UInt8` or `UInt16`, which callers name by their size in bytes.
protocol StoredSample: FixedWidthInteger, UnsignedInteger, Sendable {}

extension UInt8: StoredSample {}
extension UInt16: StoredSample {}

extension StoredSample {
  /// The value of full intensity as a number.
  @inline(__always)
  static var top: Float { Float(Self.max) }

  /// The nearest sample to `value`, halves upward; what is out of range, or not a number, becomes the
  /// nearest limit.
  @inline(__always)
  init(nearest value: Float) {
    self.init(truncatingIfNeeded: Int32(Swift.max(0, Swift.min(Self.top, value + 0.5))))
  }
}
