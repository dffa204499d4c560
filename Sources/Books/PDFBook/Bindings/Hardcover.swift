extension Binding {
  /// Boards that a printed sheet is folded around, according to Adibooks: 1/8 inch of board on the spine, grooves of
  /// 7/16 inch next to it, and 5/8 inch folded over at each outer edge. The paper is that of their example: 300 pages
  /// (150 sheets) per inch.
  static let hardcover = Binding(
    name: "hardcover", source: "https://www.adibooks.com/help/popups/covers_hard.asp",
    options: [
      ("cover_thickness", "0.0625in"), ("hinge", "0.4375in"), ("turn_in", "0.625in"),
      ("paper_thickness", "0.0066667in"),
    ])
}
