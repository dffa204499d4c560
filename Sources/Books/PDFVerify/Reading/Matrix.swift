import ImageCore

/// A transformation of a page's space (PDF 32000-1:2008, 8.3.4).
struct Matrix: Sendable, Equatable {
  var a = 1.0
  var b = 0.0
  var c = 0.0
  var d = 1.0
  var e = 0.0
  var f = 0.0

  /// What `cm` does: this first, then `outer`.
  func concatenated(to outer: Matrix) -> Matrix {
    Matrix(
      a: a * outer.a + b * outer.c, b: a * outer.b + b * outer.d,
      c: c * outer.a + d * outer.c, d: c * outer.b + d * outer.d,
      e: e * outer.a + f * outer.c + outer.e, f: e * outer.b + f * outer.d + outer.f)
  }

  /// The box of a rectangle; nil where its sides are not parallel to the page's.
  func box(x: Double, y: Double, width: Double, height: Double) -> PageBox? {
    guard (b == 0 && c == 0) || (a == 0 && d == 0) else { return nil }
    return PageBox(
      left: x * a + y * c + e, bottom: x * b + y * d + f,
      right: (x + width) * a + (y + height) * c + e,
      top: (x + width) * b + (y + height) * d + f)
  }

  /// How a picture in the unit square is turned; nil at an angle or without area.
  var orientation: Orientation? {
    if b == 0 && c == 0 && a != 0 && d != 0 {
      return a > 0 ? (d > 0 ? .upright : .flipped) : (d > 0 ? .mirrored : .rotated180)
    }
    if a == 0 && d == 0 && b != 0 && c != 0 {
      return b > 0 ? (c > 0 ? .transversed : .rotated270) : (c > 0 ? .rotated90 : .transposed)
    }
    return nil
  }

  func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (x * a + y * c + e, x * b + y * d + f)
  }

  /// The most that it stretches a length along an axis.
  var scale: Double {
    max((a * a + b * b).squareRoot(), (c * c + d * d).squareRoot())
  }
}
