import BookExpectations
import ImageCore
import PictureTraits

/// A rectangle in points; the origin is the page's lower left corner.
package struct PageRectangle: Sendable, Hashable {
  package var left: Double
  package var bottom: Double
  package var width: Double
  package var height: Double

  package init(left: Double, bottom: Double, width: Double, height: Double) {
    self.left = left
    self.bottom = bottom
    self.width = width
    self.height = height
  }
}

extension PageRectangle {
  var right: Double { left + width }
  var top: Double { bottom + height }
  var centre: Double { left + width / 2 }

  /// Returns the rectangle moved by a distance.
  package func offset(_ x: Double, _ y: Double) -> PageRectangle {
    PageRectangle(left: left + x, bottom: bottom + y, width: width, height: height)
  }

  /// Returns the common part of two rectangles. If it is empty, its width or height is 0.
  func intersection(_ other: PageRectangle) -> PageRectangle {
    let (x, y) = (max(left, other.left), max(bottom, other.bottom))
    return PageRectangle(
      left: x, bottom: y, width: max(0, min(right, other.right) - x),
      height: max(0, min(top, other.top) - y))
  }

  /// Returns the rectangle extended by the bleed at each edge that lies at an edge of the page.
  func bled(_ bleed: Double, over page: PageSize) -> PageRectangle {
    guard bleed > 0 else { return self }
    // A hundredth of a point allows for rounding, and is invisible.
    let near = 0.01
    let left = self.left <= near ? -bleed : self.left
    let bottom = self.bottom <= near ? -bleed : self.bottom
    let right = self.right >= page.width - near ? page.width + bleed : self.right
    let top = self.top >= page.height - near ? page.height + bleed : self.top
    return PageRectangle(left: left, bottom: bottom, width: right - left, height: top - bottom)
  }

  func grown(_ by: Double) -> PageRectangle {
    PageRectangle(left: left - by, bottom: bottom - by, width: width + 2 * by, height: height + 2 * by)
  }

  /// Returns whether the rectangle lies inside another one. A tolerance of a thousandth of a point is invisible.
  func isInside(_ other: PageRectangle) -> Bool {
    left >= other.left - 0.001 && bottom >= other.bottom - 0.001
      && left + width <= other.left + other.width + 0.001
      && bottom + height <= other.bottom + other.height + 0.001
  }
}

extension PageRectangle {
  /// Creates the rectangle of an area that is given in shares of a page.
  package init(_ share: UnitRectangle, of page: PageSize) {
    self.init(
      left: share.left * page.width, bottom: (1 - share.bottom) * page.height, width: share.width * page.width,
      height: share.height * page.height)
  }
}

extension UnitRectangle {
  /// Creates the shares of a page that an area covers.
  package init(_ area: PageRectangle, of page: PageSize) {
    self.init(
      left: area.left / page.width, top: 1 - (area.bottom + area.height) / page.height,
      width: area.width / page.width, height: area.height / page.height)
  }
}

/// The size of a page in points (1/72 inch).
package struct PageSize: Sendable, Hashable {
  package var width: Double
  package var height: Double

  package init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The size with both sides rounded by `LengthText.pageSide`, as for pages that have the size of their picture.
  var rounded: PageSize { PageSize(width: LengthText.pageSide(width), height: LengthText.pageSide(height)) }

  /// The longest side of a page without UserUnit (PDF 32000-1:2008, Annex C), in points.
  package static let maximumPlainSide = 14_400.0
  /// The longest side in Acrobat, with the largest UserUnit (75,000), in points: 15,000,000 inches.
  package static let maximumSide = maximumPlainSide * 75_000

  /// Whether a PDF can have such a page. Sides are at most `maximumSide`, and at least 3 of the page's units (Annex C),
  /// which are larger than a point if a side exceeds 14,400 points.
  var isPossible: Bool { [width, height].allSatisfy { $0 / userUnit >= 3 && $0 <= Self.maximumSide } }

  /// The size of the page's unit in points: 1 if no side exceeds 14,400 points, otherwise the smallest whole number
  /// that keeps the sides within 14,400 units.
  var userUnit: Double { (max(width, height) / Self.maximumPlainSide).rounded(.up) }
}
