import BookExpectations
import ImageCore

/// The size of a page in points (1/72 inch).
public struct PageSize: Sendable, Hashable {
  public var width: Double
  public var height: Double

  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// As pages take it from their pictures.
  var rounded: PageSize {
    PageSize(width: LengthText.pageSide(width), height: LengthText.pageSide(height))
  }

  /// The longest side of a page without UserUnit (PDF 32000-1:2008, Annex C), in points.
  public static let maximumPlainSide = 14_400.0
  /// The longest side that UserUnit reaches in Acrobat (75,000 units of 1/72 inch each), in points:
  /// 15,000,000 inches.
  public static let maximumSide = maximumPlainSide * 75_000

  /// Whether sides are from 3 units on and at most `maximumSide`: in points, and in the page's own units (Annex
  /// C), which are larger where a side is longer than 14,400.
  var isPossible: Bool {
    [width, height].allSatisfy { $0 / userUnit >= 3 && $0 <= Self.maximumSide }
  }

  /// Points to a unit of the page: 1 up to 14,400 points a side, then the next whole number that fits.
  var userUnit: Double { (max(width, height) / Self.maximumPlainSide).rounded(.up) }
}

/// A rectangle in points; the origin is the page's lower left corner.
public struct PageRectangle: Sendable, Hashable {
  public var left: Double
  public var bottom: Double
  public var width: Double
  public var height: Double

  public init(left: Double, bottom: Double, width: Double, height: Double) {
    self.left = left
    self.bottom = bottom
    self.width = width
    self.height = height
  }
}
