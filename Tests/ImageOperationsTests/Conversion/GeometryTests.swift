import ImageCore
import ImageOperations
import Testing

/// Operations that move pixels and change none.
@Suite struct GeometryTests {
  @Test func flipAndFlop() throws {
    for format in PixelFormat.all {
      let input = Picture.noise(13, 7, format)
      #expect(
        try Call("flip").run(input) == Picture(13, 7, format) { input[$0, 6 - $1, $2] })
      #expect(
        try Call("flop").run(input) == Picture(13, 7, format) { input[12 - $0, $1, $2] })
    }
  }

  @Test(arguments: [(0, 0, 20, 50), (3, 40, 17, 10), (19, 49, 1, 1), (0, 35, 5, 3)])
  func crop(_ left: Int, _ top: Int, _ width: Int, _ height: Int) throws {
    for format in PixelFormat.all {
      let input = Picture.noise(20, 50, format)
      let call = Call("crop", .integer(left), .integer(top), .integer(width), .integer(height))
      let expected = Picture(width, height, format) { input[left + $0, top + $1, $2] }
      #expect(try call.run(input) == expected)
    }
  }

  @Test(arguments: [(15, 0, 6, 1), (0, 50, 1, 1), (0, 0, 21, 50)])
  func cropOutside(_ left: Int, _ top: Int, _ width: Int, _ height: Int) {
    let call = Call("crop", .integer(left), .integer(top), .integer(width), .integer(height))
    let region = Region(left: left, top: top, width: width, height: height)
    #expect(throws: OperationError.regionOutside(region, width: 20, height: 50)) {
      _ = try call.run(.noise(20, 50, .gray8))
    }
  }

  /// The border of the row `abc`, three pixels on the left and seven on the right.
  static let borders: [(String, [Int])] = [
    ("background", [0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0]),
    ("copy", [1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3]),
    ("repeat", [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]),
    ("mirror", [3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3]),
  ]

  @Test(arguments: borders)
  func extendAcross(_ mode: String, _ expected: [Int]) throws {
    let call = Call("extend", named: ["left": 3, "right": 7, "extend_with": .text(mode)])
    #expect(try call.run(Picture(3, 1, .gray8, [1, 2, 3])).samples == expected)
  }

  @Test(arguments: borders)
  func extendDown(_ mode: String, _ expected: [Int]) throws {
    let call = Call("extend", named: ["top": 3, "bottom": 7, "extend_with": .text(mode)])
    #expect(try call.run(Picture(1, 3, .gray8, [1, 2, 3])).samples == expected)
  }

  @Test func extendBackground() throws {
    let opaque = Call("extend", named: ["left": 1, "background": "#ff8000"])
    #expect(
      try opaque.run(Picture(1, 1, .rgb8, [1, 2, 3])).samples == [255, 128, 0, 1, 2, 3])
    let translucent = Call("extend", named: ["top": 1, "background": "#ff800080"])
    let result = try translucent.run(Picture(1, 1, .rgb8, [1, 2, 3]))
    #expect(result.layout.format == .rgba8)
    #expect(result.samples == [255, 128, 0, 128, 1, 2, 3, 255])
  }

  @Test func extendTooFar() {
    let call = Call("extend", named: ["left": 999_999, "right": 2])
    #expect(throws: OperationError.tooLarge(width: 1_000_002, height: 1)) {
      _ = try call.run(.noise(1, 1, .gray8))
    }
  }
}
