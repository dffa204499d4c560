/// A kind of binding, with the lengths of cover and paper that a printer publishes for it.
///
/// All lengths of a binding come from the same printer.
package struct Binding: Sendable {
  package let name: String
  /// The address of the printer's rules.
  package let source: String
  /// The cover options that the binding sets, with their lengths.
  package let options: [(name: String, length: String)]

  package static let all = [hardcover, softcover]

  static func named(_ name: String) -> Binding? { all.first { $0.name == name } }

  /// Returns the thickness of a sheet of paper for a kind of binding; nil for an unknown kind.
  package static func paperThickness(of name: String) -> String? {
    named(name)?.options.first { $0.name == "paper_thickness" }?.length
  }
}

extension Binding {
  /// A hard cover: a printed sheet is folded around boards. Measurements from Adibooks: 1/8 inch of board on the spine,
  /// grooves of 7/16 inch next to it, and 5/8 inch folded over at each outer edge. The paper thickness is taken from
  /// the printer's example: 300 pages (150 sheets) per inch.
  static let hardcover = Binding(
    name: "hardcover", source: "https://www.adibooks.com/help/popups/covers_hard.asp",
    options: [
      ("cover_thickness", "0.0625in"), ("hinge", "0.4375in"), ("turn_in", "0.625in"),
      ("paper_thickness", "0.0066667in"),
    ])
}

extension Binding {
  /// A paper cover that is glued to the spine. Measurements from Forty Acres Press: 0.0327 inch on the spine for the
  /// cover, and 0.0046 inch for each sheet of paper.
  static let softcover = Binding(
    name: "softcover", source: "http://www.fortyacrespress.com/mb_15_calc.html",
    options: [("cover_thickness", "0.01635in"), ("paper_thickness", "0.0046in")])
}
