/// A point in pixels, with x to the right and y down. The top left pixel covers the square from (0, 0) to (1, 1).
package struct Point: Hashable, Sendable {
  package var x: Double
  package var y: Double

  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  static func + (left: Point, right: Point) -> Point { Point(left.x + right.x, left.y + right.y) }
  static func - (left: Point, right: Point) -> Point { Point(left.x - right.x, left.y - right.y) }
  static func * (point: Point, factor: Double) -> Point { Point(point.x * factor, point.y * factor) }

  var length: Double { (x * x + y * y).squareRoot() }
  /// The point rotated clockwise by a quarter turn, so that a point to the right moves below.
  var turned: Point { Point(-y, x) }
  func dot(_ other: Point) -> Double { x * other.x + y * other.y }
  func cross(_ other: Point) -> Double { x * other.y - y * other.x }
}

/// A map of the plane: `x' = a x + c y + e`, `y' = b x + d y + f`.
package struct AffineMap: Hashable, Sendable {
  package var a, b, c, d, e, f: Double

  package init(a: Double = 1, b: Double = 0, c: Double = 0, d: Double = 1, e: Double = 0, f: Double = 0) {
    (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
  }

  package static let identity = AffineMap()

  package static func moving(_ x: Double, _ y: Double) -> AffineMap { AffineMap(e: x, f: y) }

  /// Returns a rotation around (0, 0), clockwise with y down.
  package static func rotating(degrees: Double) -> AffineMap {
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: degrees)
    return AffineMap(a: cosine, b: sine, c: -sine, d: cosine)
  }

  package func callAsFunction(_ point: Point) -> Point {
    Point(a * point.x + c * point.y + e, b * point.x + d * point.y + f)
  }

  /// Returns the map that applies this one first, then another one.
  package func then(_ next: AffineMap) -> AffineMap {
    AffineMap(
      a: next.a * a + next.c * b, b: next.b * a + next.d * b, c: next.a * c + next.c * d, d: next.b * c + next.d * d,
      e: next.a * e + next.c * f + next.e, f: next.b * e + next.d * f + next.f)
  }
}

/// Sines and cosines that are identical on every processor, unlike those of the C library.
enum Trigonometry {
  /// Returns the sine and the cosine of an angle, with an error below 1e-15. Multiples of 90 degrees are exact.
  static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    let rest = degrees.remainder(dividingBy: 360)
    let quarters = (rest / 90).rounded()
    let x = (rest - quarters * 90) * (Double.pi / 180)
    // Taylor's series, whose remainder is below 1e-17 for angles up to 45 degrees.
    var (sine, cosine, term) = (0.0, 1.0, 1.0)
    for n in 1...18 {
      term *= x / Double(n)
      switch n % 4 {
      case 1: sine += term
      case 2: cosine -= term
      case 3: sine -= term
      default: cosine += term
      }
    }
    switch (Int(quarters) + 4) % 4 {
    case 1: return (cosine, -sine)
    case 2: return (-sine, -cosine)
    case 3: return (-cosine, sine)
    default: return (sine, cosine)
    }
  }
}
