/// Numbers that came from a file or another program: any of them may be there, and none may end the process.
extension JSON {
  /// A size or a number of things; nil for a negative or an impossible one.
  package var countValue: Int? { integerValue.flatMap { (0...Self.mostCount).contains($0) ? $0 : nil } }

  /// The largest count, a petabyte in bytes.
  private static let mostCount = 1 << 50
}

extension Int {
  /// Adds a number; a sum beyond the largest number stays there.
  package mutating func addClamping(_ other: Int) { self = adding(clamping: other) }

  /// Returns the sum, or the number of the type that is next to it.
  package func adding(clamping other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other > 0 ? .max : .min) : sum
  }
}

extension Sequence<Int> {
  /// The sum of the numbers, clamped.
  package var clampedSum: Int { reduce(0) { $0.adding(clamping: $1) } }
}
