import PictureTraits

/// A rectangle on a page, or on two facing pages, in points from the upper left corner, as the engine measures it.
///
/// In requests and designs, rectangles are shares of the page (`UnitRectangle`).
struct DesignRectangle: Sendable, Hashable {
  var left: Double
  var top: Double
  var width: Double
  var height: Double

  var bottom: Double { top + height }
  var area: Double { width * height }

  /// Shrinks the rectangle around its centre to a share of its sides.
  mutating func shrink(to share: Double) {
    left += width * (1 - share) / 2
    top += height * (1 - share) / 2
    width *= share
    height *= share
  }
}

extension DesignPaper {
  /// Converts an area in shares of a page, or of two facing pages, to points.
  func area(of share: UnitRectangle, isSpread: Bool) -> DesignRectangle {
    let width = width * (isSpread ? 2 : 1)
    return DesignRectangle(
      left: share.left * width, top: share.top * height, width: share.width * width, height: share.height * height)
  }

  /// Converts an area in points to shares of a page, or of two facing pages.
  func share(of area: DesignRectangle, isSpread: Bool) -> UnitRectangle {
    let width = width * (isSpread ? 2 : 1)
    return UnitRectangle(
      left: area.left / width, top: area.top / height, width: area.width / width, height: area.height / height)
  }
}
