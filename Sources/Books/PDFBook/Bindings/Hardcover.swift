extension Binding {
  /// Boards that a printed sheet is folded around, by the rules of Adibooks: 1/8 inch of board on the spine, grooves of
  /// 7/16 inch beside it, and 5/8 inch folded over at each outer edge. The paper is that of
  /// their example: 300 pages an inch, which is 150 sheets.
  static let hardcover = Binding(
    name: "hardcover", source: "https://www.adibooks.com/help/popups/covers_hard.asp",
    options: [
      ("cover_thickness", "0.0625in"), ("hinge", "0.4375in"), ("turn_in", "0.625in"),
      ("paper_thickness", "0.0066667in"),
    ])
}
