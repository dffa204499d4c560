/// A shard, number K of N: one of the N programs that share the work of a run.
package struct ShardIndex: Sendable, Hashable, CustomStringConvertible {
  /// The number, from 0.
  package let number: Int
  /// The number of shards, at least 1.
  package let count: Int
  /// The maximum number of shards in a run.
  package static let most = 100_000

  /// Creates a shard; nil unless 0 ≤ `number` < `count` ≤ `most`.
  package init?(_ number: Int, of count: Int) {
    guard count >= 1, count <= Self.most, number >= 0, number < count else { return nil }
    self.number = number
    self.count = count
  }

  /// Parses `K/N`.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]) else { return nil }
    self.init(number, of: count)
  }

  package var description: String { "\(number)/\(count)" }
}
