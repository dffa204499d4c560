import ImageCore

/// The properties of the bound book that determine covers and spreads. Lengths are in points.
package struct BindingOptions: Sendable, Hashable {
  /// The number of pages of the book inside the cover.
  package var pages = 0
  /// The thickness of a sheet, which is two pages.
  package var sheetThickness = 0.0
  /// The thickness of the cover. The spine is wider by twice this value.
  package var coverThickness = 0.0
  /// The width of the groove on each side of the spine, where the cover bends when it is opened.
  package var hinge = 0.0
  /// The width of the strip at each outer edge of the sheet that is folded around the boards.
  package var turnIn = 0.0
  /// Whether the first page is a right-hand page, as in a bound book.
  package var startsRight = true
  /// Whether the book is read from right to left, as in Hebrew, Arabic and Japanese, so that the right one of two
  /// facing pages comes first.
  package var isRightToLeft = false

  package init() {}

  /// Creates options with only the reading direction and the side of the first page. The arguments must have been
  /// checked.
  init(sidesOf arguments: Arguments) {
    isRightToLeft = arguments.text("reading_direction") == DocumentView.Direction.rightToLeft.rawValue
    startsRight =
      arguments.optionalText("first_page").map { $0 == "right" } ?? !isRightToLeft
  }

  /// Returns whether a page is a right-hand page.
  ///
  /// - Parameter page: its number, from 1.
  package func isOnRight(_ page: Int) -> Bool { (page % 2 == 1) == startsRight }

  /// The distance between the inner edges of the two boards: the spine and the hinges.
  package var gap: Double { spine + 2 * hinge }

  /// The width of the spine.
  package var spine: Double { Double((pages + 1) / 2) * sheetThickness + 2 * coverThickness }
}
