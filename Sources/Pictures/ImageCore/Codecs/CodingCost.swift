/// The predicted processor time per pixel of a format, in nanoseconds. It is used to divide work among shards, so round
/// numbers are enough.
public struct CodingCost: Sendable, Hashable {
  /// The time for each pixel of a file.
  public let stored: Int
  /// Further time for each decoded pixel. A decoder may produce fewer pixels than the file has.
  public let decoded: Int
  /// The time for each pixel that is encoded.
  public let encoded: Int

  public init(stored: Int = 10, decoded: Int = 0, encoded: Int = 30) {
    (self.stored, self.decoded, self.encoded) = (stored, decoded, encoded)
  }
}
