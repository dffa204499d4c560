/// The severity of a fault.
public enum Severity: String, Sendable, Hashable {
  /// The PDF is wrong.
  case error
  /// Something is unusual or could not be checked.
  case warning
  /// Nothing is wrong; the finding is only for information.
  case note
}
