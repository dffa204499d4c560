/// The severity of a fault.
public enum Severity: String, Sendable, Hashable {
  /// The PDF is wrong.
  case error
  /// Something could not be checked, or is unusual.
  case warning
  /// Nothing is wrong, but the fact is worth knowing.
  case note
}
