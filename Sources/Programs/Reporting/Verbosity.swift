/// How much a run tells a person. Programs get every event.
package enum Verbosity: Int, Comparable, Sendable {
  /// Nothing at all.
  case silent
  /// Mistakes, failures and what the script prints.
  case quiet
  /// Notes and a summary, too.
  case normal
  /// Each output, too.
  case verbose

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
