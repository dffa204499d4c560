/// Figures of a whole design, by which it can be compared with another.
package struct DesignFigures: Sendable, Hashable {
  /// The share of the paper that pictures cover, from 0 to 1. The bleed does not count.
  package var covered: Double
  /// The share of what draws the eye that the pictures show, from 0 to 1: the mean of all, and the least.
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
