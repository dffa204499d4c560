/// A thread as a drawing of a run shows it: one row.
public struct TraceRow: Sendable, Hashable, Comparable {
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// Whoever runs the script: it takes part in loops that it waits for.
    case script
    /// Workers of normal OS priority.
    case foreground
    /// Workers of the lowest OS priority, for utility and background.
    case low
    /// Threads that wait for disks and other programs.
    case waiting
  }

  public let kind: Kind
  /// Tells rows of a kind apart; not without gaps.
  public let number: Int

  public init(_ kind: Kind, _ number: Int = 0) {
    self.kind = kind
    self.number = number
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.number) < (right.kind.rawValue, right.number)
  }
}

extension Worker {
  var row: TraceRow { TraceRow(kind == .foreground ? .foreground : .low, index) }
}
