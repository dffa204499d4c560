/// Figures of a whole design, for comparing it with another.
package struct DesignFigures: Sendable, Hashable {
  /// The share of the paper that pictures cover, from 0 to 1, without the bleed.
  package var covered: Double
  /// The share of the pictures' attention that is visible, from 0 to 1: the mean, and below, the minimum.
  package var kept: Double
  package var leastKept: Double

  package init(_ design: BookDesign, on paper: DesignPaper) {
    let slots = design.pages.flatMap(\.slots)
    covered =
      slots.reduce(0) { $0 + $1.rectangle.area } / (paper.width * paper.height * Double(max(1, design.pageCount)))
    kept = slots.isEmpty ? 1 : slots.reduce(0) { $0 + $1.kept } / Double(slots.count)
    leastKept = slots.reduce(1) { min($0, $1.kept) }
  }
}
