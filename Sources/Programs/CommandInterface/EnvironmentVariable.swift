/// An environment variable that the program reads.
package struct EnvironmentVariable: Sendable {
  package let name: String
  /// One line, no full stop.
  package let help: String

  package init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }
}
