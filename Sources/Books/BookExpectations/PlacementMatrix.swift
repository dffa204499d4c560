import ImageCore

/// Where a picture lies on a page: the matrix that takes the unit square, in which a PDF draws pictures with
/// their first row at the top, to the page (PDF 32000-1:2008, 8.3.3 and 8.9.5.1).
///
/// x' = ax + cy + e, y' = bx + dy + f, in points from the page's lower left corner, rounded to the four
/// decimals that files carry.
public struct PlacementMatrix: Sendable, Hashable {
  public let a, b, c, d, e, f: Double

  public init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
    self.a = Points.rounded(a)
    self.b = Points.rounded(b)
    self.c = Points.rounded(c)
    self.d = Points.rounded(d)
    self.e = Points.rounded(e)
    self.f = Points.rounded(f)
  }

  /// The matrix that lays a stored picture, turned upright by `orientation`, into a rectangle.
  public init(
    _ orientation: Orientation, left x: Double, bottom y: Double, width w: Double, height h: Double
  ) {
    switch orientation {
    case .upright: self.init(w, 0, 0, h, x, y)
    case .mirrored: self.init(-w, 0, 0, h, x + w, y)
    case .rotated180: self.init(-w, 0, 0, -h, x + w, y + h)
    case .flipped: self.init(w, 0, 0, -h, x, y + h)
    case .transposed: self.init(0, -h, -w, 0, x + w, y + h)
    case .rotated90: self.init(0, -h, w, 0, x, y + h)
    case .transversed: self.init(0, h, w, 0, x, y)
    case .rotated270: self.init(0, h, -w, 0, x + w, y)
    }
  }

  /// Left, bottom, right and top of what the picture covers, at any angle.
  public var bounds: (left: Double, bottom: Double, right: Double, top: Double) {
    (
      e + min(0, a) + min(0, c), f + min(0, b) + min(0, d), e + max(0, a) + max(0, c),
      f + max(0, b) + max(0, d)
    )
  }

  /// How the stored picture is turned; nil at an angle or without area.
  public var orientation: Orientation? {
    if b == 0 && c == 0 && a != 0 && d != 0 {
      return a > 0 ? (d > 0 ? .upright : .flipped) : (d > 0 ? .mirrored : .rotated180)
    }
    if a == 0 && d == 0 && b != 0 && c != 0 {
      return b > 0 ? (c > 0 ? .transversed : .rotated270) : (c > 0 ? .rotated90 : .transposed)
    }
    return nil
  }
}

/// Lengths as expectations carry them.
enum Points {
  /// To four decimals, a thirty-thousandth of a millimetre.
  static func rounded(_ value: Double) -> Double {
    guard value.magnitude < 1e11 else { return value }
    let rounded = (value * 10_000).rounded() / 10_000
    return rounded == 0 ? 0 : rounded
  }

  /// The shortest decimal text, without an exponent and without `.0`.
  static func text(_ value: Double) -> String {
    guard value.magnitude < 1e11 else { return "\(value)" }
    return LengthText.text(value)
  }
}
