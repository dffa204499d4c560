import BookExpectations
import ImageCore

/// The size of a page in points (1/72 inch).
package struct PageSize: Sendable, Hashable {
  package var width: Double
  package var height: Double

  package init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size rounded in the same way as that of pages as large as their picture.
  var rounded: PageSize { PageSize(width: LengthText.pageSide(width), height: LengthText.pageSide(height)) }

  /// The longest side of a page without UserUnit (PDF 32000-1:2008, Annex C), in points.
  package static let maximumPlainSide = 14_400.0
  /// The longest side that UserUnit allows in Acrobat (75,000 units of 1/72 inch each), in points: 15,000,000 inches.
  package static let maximumSide = maximumPlainSide * 75_000

  /// Whether a PDF can have such a page. Sides are at least 3 units and at most `maximumSide`, in points and
  /// in the page's own units (Annex C). Units are larger if a side exceeds 14,400 points.
  var isPossible: Bool { [width, height].allSatisfy { $0 / userUnit >= 3 && $0 <= Self.maximumSide } }

  /// The size of the page's unit in points: 1 if sides are up to 14,400 points, otherwise the next whole
  /// number that fits.
  var userUnit: Double { (max(width, height) / Self.maximumPlainSide).rounded(.up) }
}
