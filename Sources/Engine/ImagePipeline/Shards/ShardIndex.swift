/// One of the equal programs that divide a run: number K of N.
public struct ShardIndex: Sendable, Hashable, CustomStringConvertible {
  /// From 0.
  public let number: Int
  /// The number of shards, at least 1.
  public let count: Int
  /// The most shards of a run.
  public static let most = 100_000

  /// Nil unless 0 ≤ `number` < `count` ≤ `most`.
  public init?(_ number: Int, of count: Int) {
    guard count >= 1, count <= Self.most, number >= 0, number < count else { return nil }
    self.number = number
    self.count = count
  }

  /// Reads `K/N`.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]) else { return nil }
    self.init(number, of: count)
  }

  public var description: String { "\(number)/\(count)" }
}
