import BookExpectations

/// A rectangle of a page in the page's units (PDF 32000-1:2008, 7.9.5), with sorted corners.
struct PageBox: Sendable, Equatable {
  var left, bottom, right, top: Double

  var width: Double { right - left }
  var height: Double { top - bottom }

  init(left: Double, bottom: Double, right: Double, top: Double) {
    (self.left, self.bottom) = (min(left, right), min(bottom, top))
    (self.right, self.top) = (max(left, right), max(bottom, top))
  }

  func intersection(_ other: PageBox) -> PageBox? {
    let (left, right) = (max(left, other.left), min(right, other.right))
    let (bottom, top) = (max(bottom, other.bottom), min(top, other.top))
    guard left < right, bottom < top else { return nil }
    return PageBox(left: left, bottom: bottom, right: right, top: top)
  }

  func contains(_ other: PageBox, tolerance: Double) -> Bool {
    other.left >= left - tolerance && other.right <= right + tolerance
      && other.bottom >= bottom - tolerance && other.top <= top + tolerance
  }

  func union(_ other: PageBox) -> PageBox {
    PageBox(
      left: min(left, other.left), bottom: min(bottom, other.bottom),
      right: max(right, other.right), top: max(top, other.top))
  }

  /// Returns the box in the page's coordinates, for a box relative to the lower left corner of `origin`.
  func moved(by origin: PageBox) -> PageBox {
    PageBox(
      left: left + origin.left, bottom: bottom + origin.bottom, right: right + origin.left,
      top: top + origin.bottom)
  }

  func expanded(by distance: Double) -> PageBox {
    PageBox(left: left - distance, bottom: bottom - distance, right: right + distance, top: top + distance)
  }
}

extension AffineMatrix {
  /// Returns the box of a transformed rectangle; nil if its sides are not parallel to the page's sides.
  func box(x: Double, y: Double, width: Double, height: Double) -> PageBox? {
    guard (b == 0 && c == 0) || (a == 0 && d == 0) else { return nil }
    return PageBox(
      left: x * a + y * c + e, bottom: x * b + y * d + f,
      right: (x + width) * a + (y + height) * c + e,
      top: (x + width) * b + (y + height) * d + f)
  }
}

/// The size of a page in points (1/72 inch).
public struct PageSize: Sendable, Hashable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Returns whether another page has this size, to within a point, in either orientation.
  func isMet(by other: PageSize) -> Bool {
    abs(other.width - width) <= 1 && abs(other.height - height) <= 1
      || abs(other.width - height) <= 1 && abs(other.height - width) <= 1
  }

  var text: String { FaultText.size(width, height) }
}
