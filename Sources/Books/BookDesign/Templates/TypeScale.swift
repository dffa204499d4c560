/// The font sizes of a style and its baseline grid, in points: for an A4 page, or scaled to
/// another page size.
package struct TypeScale: Sendable, Hashable {
  /// Titles of books and chapters.
  package var title: Double
  /// Headings of sections and of pages of text.
  package var heading: Double
  /// Captions, and lines at the edges of pages.
  package var caption: Double
  /// Running text.
  package var text: Double
  /// The distance between two lines of the baseline grid, which begins at a page's upper edge.
  package var baseline: Double

  package init(
    title: Double = 28, heading: Double = 18, caption: Double = 9, text: Double = 10, baseline: Double = 12
  ) {
    (self.title, self.heading, self.caption, self.text) = (title, heading, caption, text)
    self.baseline = baseline
  }

  /// The shorter side of A4.
  private static let side = 210 * 72 / 25.4

  /// Returns the sizes for a page of another size.
  ///
  /// Font sizes grow with the square root of the page's side, because small books are read at a shorter distance: A6
  /// has half the side of A4 and seven tenths of its font sizes.
  ///
  /// - Parameter side: the shorter side of the page in points.
  package func scaled(toSide side: Double) -> TypeScale {
    let factor = (side / Self.side).squareRoot()
    return TypeScale(
      title: title * factor, heading: heading * factor, caption: caption * factor, text: text * factor,
      baseline: baseline * factor)
  }
}
