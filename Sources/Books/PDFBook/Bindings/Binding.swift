/// A kind of binding, with the lengths that a printer publishes for its cover.
///
/// Each has a file of its own, which names the printer's rules. No number is here that the rules do not state.
package struct Binding: Sendable {
  package let name: String
  /// The address of the printer's rules.
  package let source: String
  /// Options of a cover that it stands for, with their lengths.
  package let options: [(name: String, length: String)]

  package static let all = [hardcover, softcover]

  static func named(_ name: String) -> Binding? { all.first { $0.name == name } }

  /// The thickness of a sheet of paper that a kind of binding supposes; nil for an unknown kind.
  package static func paperThickness(of name: String) -> String? {
    named(name)?.options.first { $0.name == "paper_thickness" }?.length
  }
}
