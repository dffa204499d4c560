extension Binding {
  /// A paper cover that is glued to the spine, according to Forty Acres Press: 0.0327 inch on the spine for the cover,
  /// and 0.0046 inch for each sheet of paper.
  static let softcover = Binding(
    name: "softcover", source: "http://www.fortyacrespress.com/mb_15_calc.html",
    options: [("cover_thickness", "0.01635in"), ("paper_thickness", "0.0046in")])
}
