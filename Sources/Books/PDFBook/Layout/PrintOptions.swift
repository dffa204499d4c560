/// The bleed, marks and blank pages for print. Lengths are in points.
package struct PrintOptions: Sendable, Hashable {
  /// The distance by which pictures at an edge of the finished page extend beyond it.
  package var bleed = 0.0
  /// Whether crop marks are drawn outside the bleed.
  package var cropMarks = false
  /// The page count is a multiple of this number; blank pages are added as needed.
  package var pageMultiple = 1
  /// The height of the running lines that lie on pictures at the page's lower edge. Captions stay above them.
  package var runningLineHeight = 0.0

  package init() {}

  /// The maximum bleed, more than any printer requires.
  static let maximumBleed = 100 * 72 / 25.4

  /// The usual length of a crop mark, and its distance from the bleed.
  static let markLength = 14.0
  static let markGap = 6.0
  static let markWidth = 0.25
  /// The number of dashes of a fold mark.
  static let foldDashes = 3

  /// The combined width of bleed and crop marks on each side of the finished page.
  package var margin: Double { bleed + (cropMarks ? Self.markGap + Self.markLength : 0) }
}
