/// How much a fault matters.
public enum Severity: String, Sendable, Hashable {
  /// The PDF is not what it should be.
  case error
  /// Something could not be checked, or is unusual.
  case warning
  /// Nothing is wrong, but it is good to know.
  case note
}
