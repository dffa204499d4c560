import Testing

@testable import VectorShapes

/// Coverage against exact areas, and against a reference with many samples a pixel.
struct ShapeRasterTests {
  /// The coverage of every pixel of a picture.
  static func coverage(_ contours: [Contour], _ width: Int, _ height: Int) -> [[Float]] {
    let raster = ShapeRaster(contours, rows: 0..<height)
    var scratch = ShapeRaster.Scratch()
    return (0..<height).map { y in
      var row = [Float](repeating: -1, count: width)
      _ = row.withUnsafeMutableBufferPointer { raster.read(y, columns: 0..<width, into: $0.baseAddress!, &scratch) }
      return row
    }
  }

  private static func sum(_ coverage: [[Float]]) -> Double { coverage.joined().reduce(0) { $0 + Double($1) } }

  /// Shapes inside a picture of 40x30 and their areas.
  static let shapes: [(name: String, path: Path, area: Double, error: Double)] = [
    ("whole pixels", .box(left: 3, top: 4, width: 10, height: 7), 70, 0),
    ("parts of pixels", .box(left: 3.3, top: 4.2, width: 10.1, height: 7.7), 77.77, 1e-3),
    ("inside one pixel", .box(left: 7.25, top: 7.5, width: 0.5, height: 0.125), 0.0625, 1e-6),
    ("triangle", .polygon([Point(2.5, 1.5), Point(35.2, 20.1), Point(5.1, 28.7)]), 420.54, 1e-2),
    ("thin triangle", .polygon([Point(1, 10), Point(39, 10.5), Point(1, 11)]), 19, 1e-2),
    ("circle", .ellipse(centre: Point(20, 15), radius: Point(12.5, 12.5)), 490.874, 0.2),
    ("ellipse", .ellipse(centre: Point(20.3, 14.9), radius: Point(18, 5)), 282.743, 0.2),
    ("round corners", .box(left: 2, top: 2, width: 30, height: 20, radius: 5), 600 - 25 * (4 - 3.14159265), 0.1),
  ]

  @Test func areasAreExact() {
    for (name, path, area, error) in Self.shapes {
      for contours in [path.contours(), path.contours().map(\.reversed)] {
        #expect(abs(Self.sum(Self.coverage(contours, 40, 30)) - area) <= error, "\(name)")
      }
    }
  }

  @Test func pixelsOfABoxAreExact() {
    let found = Self.coverage(Path.box(left: 1.25, top: 0.5, width: 2, height: 1).contours(), 5, 3)
    #expect(found[0] == [0, 0.375, 0.5, 0.125, 0])
    #expect(found[1] == [0, 0.375, 0.5, 0.125, 0])
    #expect(found[2] == [0, 0, 0, 0, 0])
  }

  /// A part outside covers nothing, and a part to the left does not hide the rest.
  @Test func shapesReachBeyondThePicture() {
    let path = Path.box(left: -5, top: -5, width: 100, height: 100)
    #expect(Self.coverage(path.contours(), 7, 5).joined().allSatisfy { $0 == 1 })
    let left = Path.polygon([Point(-10, 0), Point(2, 0), Point(2, 4), Point(-10, 4)])
    #expect(Self.coverage(left.contours(), 3, 4).allSatisfy { $0 == [1, 1, 0] })
    let slope = Path.polygon([Point(-4, 0), Point(4, 8), Point(-4, 8)])
    #expect(abs(Self.sum(Self.coverage(slope.contours(), 8, 8)) - 8) < 1e-3)
  }

  @Test func overlappingContoursMakeTheirUnion() {
    let first = Path.box(left: 2.5, top: 2.5, width: 10, height: 10).contours()
    let second = Path.box(left: 6.5, top: 6.5, width: 10, height: 10).contours()
    #expect(abs(Self.sum(Self.coverage(first + second, 20, 20)) - 164) < 1e-3)
    // The other direction makes a hole.
    let hole = Path.box(left: 4.5, top: 4.5, width: 2, height: 3).contours().map(\.reversed)
    #expect(abs(Self.sum(Self.coverage(first + hole, 20, 20)) - 94) < 1e-3)
  }

  /// Counts samples by the winding of a ray to the left.
  private static func reference(_ contours: [Contour], _ x: Int, _ y: Int) -> Double {
    let count = 32
    var inside = 0
    for row in 0..<count {
      for column in 0..<count {
        let place = Point(Double(x) + (Double(column) + 0.5) / 32, Double(y) + (Double(row) + 0.5) / 32)
        var winding = 0
        for contour in contours {
          for (from, to) in zip(contour.points, contour.points.dropFirst() + contour.points.prefix(1))
          where (from.y <= place.y) != (to.y <= place.y) {
            let crossing = from.x + (place.y - from.y) * (to.x - from.x) / (to.y - from.y)
            if crossing < place.x { winding += from.y < to.y ? 1 : -1 }
          }
        }
        if winding != 0 { inside += 1 }
      }
    }
    return Double(inside) / 1_024
  }

  @Test(arguments: 1...12)
  func starsMatchTheReference(_ seed: Int) {
    var state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15
    func next(_ range: Double) -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 40) / Double(1 << 24) * range
    }
    let contours = (0..<2).map { _ in
      Contour((0..<5).map { _ in Point(next(24) - 4, next(20) - 4) }, isClosed: true)
    }
    let found = Self.coverage(contours, 16, 12)
    for y in 0..<12 {
      for x in 0..<16 {
        // The reference has a grid of 1/32; crossings of edges are placed between slabs.
        #expect(abs(Double(found[y][x]) - Self.reference(contours, x, y)) < 0.1, "(\(x), \(y)) of \(seed)")
      }
    }
  }

  @Test func strokesHaveTheirArea() {
    let line = Path.lines([Point(5, 5), Point(25, 5)])
    let pen = Stroke(width: 3)
    #expect(abs(Self.sum(Self.coverage(pen.outline(of: line.contours()), 40, 30)) - 60) < 1e-3)
    // Sharp corners: the outer box less the inner one.
    let box = Path.box(left: 5, top: 5, width: 20, height: 10).contours()
    #expect(abs(Self.sum(Self.coverage(pen.outline(of: box), 40, 30)) - (23 * 13 - 17 * 7)) < 1e-3)
    // Round corners lack (4 - π) r² / 4 each.
    let round = Stroke(width: 3, join: .round).outline(of: box)
    #expect(abs(Self.sum(Self.coverage(round, 40, 30)) - (23 * 13 - 17 * 7 - 1.5 * 1.5 * 0.8584)) < 0.05)
    let ring = pen.outline(of: Path.ellipse(centre: Point(20, 15), radius: Point(10, 10)).contours())
    #expect(abs(Self.sum(Self.coverage(ring, 40, 30)) - 188.496) < 0.3)
  }

  /// A line that turns back ends flat with sharp corners, and round with round ones.
  @Test func sharpTurnsAreCutOff() {
    let path = Path.lines([Point(5, 10), Point(25, 10), Point(5, 10.001)]).contours()
    #expect(abs(Self.sum(Self.coverage(Stroke(width: 4).outline(of: path), 40, 30)) - 80) < 0.5)
    let round = Stroke(width: 4, join: .round).outline(of: path)
    #expect(abs(Self.sum(Self.coverage(round, 40, 30)) - (80 + 2 * 3.14159)) < 0.5)
  }

  /// Numbers that no picture has are no reason to stop.
  @Test func hostileCoordinatesAreHarmless() {
    for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300, Double.leastNonzeroMagnitude] {
      let contour = Contour([Point(1, 1), Point(value, 3), Point(4, value)], isClosed: true)
      let found = Self.coverage([contour] + Stroke(width: 3).outline(of: [contour]), 6, 6)
      #expect(found.joined().allSatisfy { (0...1).contains($0) }, "\(value)")
    }
  }

  @Test func anglesAreExact() {
    for (degrees, sine, cosine) in [(0.0, 0.0, 1.0), (90, 1, 0), (180, 0, -1), (-90, -1, 0), (270, -1, 0), (720, 0, 1)]
    {
      let found = Trigonometry.sineAndCosine(degrees: degrees)
      #expect(found.sine == sine && found.cosine == cosine, "\(degrees)")
    }
    for (degrees, sine) in [(30.0, 0.5), (-30, -0.5), (150, 0.5), (45, 0.5.squareRoot()), (210, -0.5)] {
      #expect(abs(Trigonometry.sineAndCosine(degrees: degrees).sine - sine) < 1e-15, "\(degrees)")
    }
  }
}
