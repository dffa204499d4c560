import ImageCore
import ImageOperations
import Testing

/// `affine` and `perspective` against linear interpolation in double precision.
@Suite struct MappingTests {
  struct Row: Sendable {
    let name: String
    let call: Call
    let size: (Int, Int)
    /// Maps a point of the result to one of the source.
    let source: @Sendable (Double, Double) -> (Double, Double)
  }

  /// Pictures of 31x23.
  static let rows = [
    Row(name: "identity", call: affine([1, 0, 0, 1]), size: (31, 23)) { ($0, $1) },
    Row(name: "mirror", call: affine([-1, 0, 0, 1]), size: (31, 23)) { (31 - $0, $1) },
    Row(name: "transpose", call: affine([0, 1, 1, 0]), size: (23, 31)) { ($1, $0) },
    Row(name: "shear", call: affine([1, 0.5, 0, 1]), size: (43, 23)) { ($0 - $1 / 2, $1) },
    Row(name: "stretch", call: affine([2, 0, 0, 1.5]), size: (62, 35)) { ($0 / 2, $1 / 1.5) },
    Row(name: "cut", call: perspective([4, 3, 24, 3, 24, 13, 4, 13]), size: (20, 10)) { ($0 + 4, $1 + 3) },
    Row(name: "beside", call: perspective([-5, -5, 5, -5, 5, 5, -5, 5]), size: (10, 10)) { ($0 - 5, $1 - 5) },
    Row(
      name: "trapezoid", call: perspective([10, 2, 20, 2, 30, 20, 0, 20], ["width": 30, "height": 18]), size: (30, 18)
    ) { x, y in
      // By similar triangles: all verticals meet in (15, -7), rows at v above the base are scaled by depth.
      let depth = 27 / (27 / 9.0 + (1 - 27 / 9.0) * y / 18)
      return (15 + (x / 30 - 0.5) * 30 * depth / 27, depth - 7)
    },
  ]

  private static func affine(_ matrix: [Double]) -> Call {
    Call("affine", .list(matrix.map { .number($0) }), named: ["kernel": "linear"])
  }

  private static func perspective(_ corners: [Double], _ options: [String: ParameterValue] = [:]) -> Call {
    Call(
      "perspective", .list(corners.map { .number($0) }), named: options.merging(["kernel": "linear"]) { one, _ in one })
  }

  @Test(arguments: rows)
  func matchesInterpolation(_ row: Row) throws {
    for format in [PixelFormat.gray8, .rgb8, .rgb16] {
      let input = Picture.noise(31, 23, format)
      let result = try row.call.run(input)
      #expect((result.width, result.height) == row.size, "\(row.name)")
      func sample(_ x: Int, _ y: Int, _ band: Int) -> Double {
        0..<31 ~= x && 0..<23 ~= y ? Double(input[x, y, band]) : 0
      }
      var worst = 0.0
      for y in 0..<result.height {
        for x in 0..<result.width {
          let (u, v) = row.source(Double(x) + 0.5, Double(y) + 0.5)
          let (left, top) = ((u - 0.5).rounded(.down), (v - 0.5).rounded(.down))
          let (f, g) = (u - 0.5 - left, v - 0.5 - top)
          for band in 0..<format.bands {
            func at(_ across: Int, _ down: Int) -> Double { sample(Int(left) + across, Int(top) + down, band) }
            let expected = (at(0, 0) * (1 - f) + at(1, 0) * f) * (1 - g) + (at(0, 1) * (1 - f) + at(1, 1) * f) * g
            worst = max(worst, abs(expected - Double(result[x, y, band])) / Double(input.top))
          }
        }
      }
      // Half a level, and half of a 1,024th of a pixel in each direction.
      #expect(worst <= 0.5 / Double(input.top) + 0.0011, "\(row.name), \(format): \(worst)")
    }
  }

  @Test func transparentPixelsDoNotBleed() throws {
    let input = Picture(8, 8, .rgba8) { x, _, band in x < 4 ? 200 : (band == 3 ? 0 : 7) }
    let result = try Call("affine", [1, 0.3, 0, 1]).run(input)
    for y in 0..<result.height {
      for x in 0..<result.width where result[x, y, 3] > 60 { #expect(abs(result[x, y, 0] - 200) <= 1) }
    }
  }

  @Test func wrongShapesAreRefused() throws {
    #expect(throws: OperationError.self) { try Call("affine", [1, 2, 2, 4]).make() }
    // Counterclockwise, crossed, and all on a line.
    for corners: ParameterValue in [
      [0, 0, 0, 9, 9, 9, 9, 0], [0, 0, 9, 9, 9, 0, 0, 9], [0, 0, 1, 1, 2, 2, 3, 3],
    ] {
      #expect(throws: OperationError.self) { try Call("perspective", corners).make() }
    }
  }
}
