/// A kind of binding, with the lengths that a printer publishes for its cover.
///
/// Each kind has a file of its own, which names the printer's rules. All numbers come from those rules.
package struct Binding: Sendable {
  package let name: String
  /// The address of the printer's rules.
  package let source: String
  /// The options of a cover that it implies, with their lengths.
  package let options: [(name: String, length: String)]

  package static let all = [hardcover, softcover]

  static func named(_ name: String) -> Binding? { all.first { $0.name == name } }

  /// Returns the thickness of a sheet of paper for a kind of binding; nil for an unknown kind.
  package static func paperThickness(of name: String) -> String? {
    named(name)?.options.first { $0.name == "paper_thickness" }?.length
  }
}
