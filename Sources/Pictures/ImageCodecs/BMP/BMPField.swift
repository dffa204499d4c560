/// The bits of a stored pixel that contain one sample.
struct BMPField: Equatable {
  let shift: UInt32
  /// The largest sample, with all bits set; 0 for a field without bits.
  let maximum: UInt32

  /// Creates a field from a mask; nil if its bits are not consecutive.
  init?(mask: UInt32) {
    shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
    maximum = mask >> shift
    guard maximum & (maximum &+ 1) == 0 else { return nil }
  }

  var bitCount: Int { 32 - maximum.leadingZeroBitCount }

  /// Returns the pixel's sample, scaled so that the field's maximum becomes `full`.
  func sample(_ pixel: UInt32, full: UInt64) -> UInt64 {
    guard maximum > 0 else { return 0 }
    let maximum = UInt64(maximum)
    let sample = UInt64(pixel >> shift) & maximum
    return (sample * full + maximum / 2) / maximum
  }
}
