/// A part of an upright picture or of a page, as shares of its width and height from the top left corner.
package struct UnitRectangle: Sendable, Hashable {
  package var left: Double
  package var top: Double
  package var width: Double
  package var height: Double

  package init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  /// The whole picture or page.
  package static let whole = UnitRectangle(left: 0, top: 0, width: 1, height: 1)

  package var right: Double { left + width }
  package var bottom: Double { top + height }

  /// Returns whether two rectangles have more than an edge in common. `tolerance` is a share of the whole: smaller
  /// overlaps are ignored.
  package func overlaps(_ other: UnitRectangle, tolerance: Double = 1e-9) -> Bool {
    left < other.right - tolerance && other.left < right - tolerance
      && top < other.bottom - tolerance && other.top < bottom - tolerance
  }

  /// Returns whether `other` is completely inside, except for `tolerance`.
  package func contains(_ other: UnitRectangle, tolerance: Double = 1e-9) -> Bool {
    other.left >= left - tolerance && other.right <= right + tolerance
      && other.top >= top - tolerance && other.bottom <= bottom + tolerance
  }
}
