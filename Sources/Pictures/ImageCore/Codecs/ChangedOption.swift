/// An option whose numbers have a different meaning than in the previous version. A run prints a note about each script
/// that uses it.
public struct ChangedOption: Sendable {
  public let name: String
  /// A clause about the new meaning.
  public let meaning: String
  /// The option that now has the earlier meaning.
  public let successor: String

  public init(_ name: String, _ meaning: String, successor: String) {
    self.name = name
    self.meaning = meaning
    self.successor = successor
  }
}
