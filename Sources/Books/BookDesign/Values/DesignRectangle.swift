/// A rectangle on a page, or on two facing pages, in points from the upper left corner.
package struct DesignRectangle: Sendable, Hashable {
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

  package var right: Double { left + width }
  package var bottom: Double { top + height }
  var area: Double { width * height }
}

extension DesignRectangle {
  /// Shrinks the rectangle around its centre to a share of its sides.
  mutating func shrink(to share: Double) {
    left += width * (1 - share) / 2
    top += height * (1 - share) / 2
    width *= share
    height *= share
  }
}
