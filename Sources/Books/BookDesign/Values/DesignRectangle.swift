/// A rectangle on a page, or on two facing pages, in points from the upper left corner.
public struct DesignRectangle: Sendable, Hashable {
  public var left: Double
  public var top: Double
  public var width: Double
  public var height: Double

  public init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  public var right: Double { left + width }
  public var bottom: Double { top + height }
  var area: Double { width * height }
}

extension DesignRectangle {
  /// Makes it smaller around its middle, to a share of its sides.
  mutating func shrink(to share: Double) {
    left += width * (1 - share) / 2
    top += height * (1 - share) / 2
    width *= share
    height *= share
  }
}
