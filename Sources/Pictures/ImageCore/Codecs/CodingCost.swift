/// The predicted processor time per pixel of a format, in nanoseconds. It is used to divide work among shards, so rough
/// numbers are enough.
public struct CodingCost: Sendable, Hashable {
  /// The time per pixel in the file, whether or not the decoder produces it.
  public let stored: Int
  /// The additional time per decoded pixel. A decoder may produce fewer pixels than the file has.
  public let decoded: Int
  /// The time per encoded pixel.
  public let encoded: Int

  public init(stored: Int = 10, decoded: Int = 0, encoded: Int = 30) {
    (self.stored, self.decoded, self.encoded) = (stored, decoded, encoded)
  }
}
