import ImageCore

/// An affine matrix (PDF 32000-1:2008, 8.3.3): x' = ax + cy + e, y' = bx + dy + f. In expectations, the unit is the
/// point, and the origin is the page's lower left corner.
///
/// PDF draws pictures in the unit square, with their first row at the top (8.9.5.1).
public struct AffineMatrix: Sendable, Hashable {
  public var a, b, c, d, e, f: Double

  public init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
    (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
  }

  public static let identity = AffineMatrix(1, 0, 0, 1, 0, 0)

  /// Creates the matrix that draws a stored picture upright in a rectangle, by applying `orientation`.
  public init(_ orientation: Orientation, left x: Double, bottom y: Double, width w: Double, height h: Double) {
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

  /// The matrix with its numbers rounded to four decimals, as in PDF files.
  public var rounded: AffineMatrix {
    AffineMatrix(
      Points.rounded(a), Points.rounded(b), Points.rounded(c), Points.rounded(d),
      Points.rounded(e), Points.rounded(f))
  }

  /// Returns the matrix that applies this one first, then `outer`, as the operator `cm` does.
  public func concatenated(to outer: AffineMatrix) -> AffineMatrix {
    AffineMatrix(
      a * outer.a + b * outer.c, a * outer.b + b * outer.d,
      c * outer.a + d * outer.c, c * outer.b + d * outer.d,
      e * outer.a + f * outer.c + outer.e, e * outer.b + f * outer.d + outer.f)
  }

  public func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (x * a + y * c + e, x * b + y * d + f)
  }

  /// The left, bottom, right and top of the area that the unit square covers, at any angle.
  public var bounds: (left: Double, bottom: Double, right: Double, top: Double) {
    (e + min(0, a) + min(0, c), f + min(0, b) + min(0, d), e + max(0, a) + max(0, c), f + max(0, b) + max(0, d))
  }

  /// The orientation of a picture that the matrix draws; nil if the picture's sides are not parallel to the axes, or if
  /// it has no area.
  public var orientation: Orientation? {
    if b == 0 && c == 0 && a != 0 && d != 0 {
      return a > 0 ? (d > 0 ? .upright : .flipped) : (d > 0 ? .mirrored : .rotated180)
    }
    if a == 0 && d == 0 && b != 0 && c != 0 {
      return b > 0 ? (c > 0 ? .transversed : .rotated270) : (c > 0 ? .rotated90 : .transposed)
    }
    return nil
  }

  /// The larger of the scale factors of the two axes.
  public var scale: Double { max((a * a + b * b).squareRoot(), (c * c + d * d).squareRoot()) }
}
