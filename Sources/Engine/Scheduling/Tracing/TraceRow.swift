/// A row in a drawing of a run: one thread.
public struct TraceRow: Sendable, Hashable, Comparable {
  public enum Kind: Int, Sendable, Hashable, CaseIterable {
    /// The thread that runs the script. It helps with loops that it waits for.
    case script
    /// Workers of normal priority.
    case foreground
    /// Workers of the lowest priority, for utility and background work.
    case low
    /// Threads that wait for disks and other programs.
    case waiting
  }

  public let kind: Kind
  /// The number of the row within its kind. Numbers may have gaps.
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
