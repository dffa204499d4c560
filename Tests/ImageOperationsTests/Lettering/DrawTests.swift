import ImageCore
import Testing

@testable import ImageOperations

/// Shapes on pictures.
struct DrawTests {
  private static func plain(_ width: Int, _ height: Int, _ format: PixelFormat, _ value: Int) -> Picture {
    Picture(width, height, format) { _, _, band in band == format.model.bandCount ? format.sample.maximum : value }
  }

  @Test func fillsAndStrokes() throws {
    let call = Call(
      "draw",
      named: ["box": .list([2, 2, 6, 4].map { .integer($0) }), "fill": "#ff0000", "colour": "#0000ff", "width": 2])
    let result = try call.run(Self.plain(12, 10, .rgb8, 255))
    func pixel(_ x: Int, _ y: Int) -> [Int] { (0..<3).map { result[x, y, $0] } }
    #expect(pixel(0, 0) == [255, 255, 255] && pixel(9, 9) == [255, 255, 255])
    #expect(pixel(1, 1) == [0, 0, 255] && pixel(2, 2) == [0, 0, 255] && pixel(8, 6) == [0, 0, 255])
    #expect(pixel(3, 3) == [255, 0, 0] && pixel(6, 4) == [255, 0, 0])
  }

  /// Half a pixel is half the colour, at 8 and 16 bits, with and without alpha.
  @Test(arguments: PixelFormat.all)
  func edgesAreMixed(_ format: PixelFormat) throws {
    let call = Call("draw", named: ["box": .list([0.5, 0, 2, 9].map { .number($0) }), "fill": "black"])
    let result = try call.run(Self.plain(4, 2, format, format.sample.maximum))
    let top = format.sample.maximum
    #expect(abs(result[0, 0, 0] - top / 2) <= 1 && result[1, 1, 0] == 0 && abs(result[2, 0, 0] - top / 2) <= 1)
    #expect(result[3, 0, 0] == top && result.layout.format == format)
    if format.hasAlpha { #expect(result[0, 0, format.bands - 1] == top) }
  }

  @Test func transparentGroundsBecomeThePaint() throws {
    let ground = Picture(4, 1, .rgba8) { _, _, _ in 0 }
    let call = Call("draw", named: ["box": .list([0.5, 0, 2, 1].map { .number($0) }), "fill": "#204060"])
    let result = try call.run(ground)
    #expect((0..<4).map { result[1, 0, $0] } == [0x20, 0x40, 0x60, 255])
    #expect((0..<4).map { result[0, 0, $0] } == [0x20, 0x40, 0x60, 128] && result[3, 0, 3] == 0)
  }

  @Test func grayStaysGrayForGrayColours() throws {
    let gray = Self.plain(4, 4, .gray8, 255)
    let line: ParameterValue = .list([0, 0, 4, 4].map { .integer($0) })
    #expect(try Call("draw", named: ["line": line, "colour": "#808080"]).run(gray).layout.format == .gray8)
    #expect(try Call("draw", named: ["line": line, "colour": "red"]).run(gray).layout.format == .rgb8)
  }

  /// Points may be rows of a list, and no pixel away from the shapes changes.
  @Test func inkStaysNearTheShape() throws {
    let picture = Picture.noise(60, 50, .rgb8)
    let rows: ParameterValue = .list([[10, 12], [40, 30], [15, 33]].map { .list($0.map { .integer($0) }) })
    let result = try Call("draw", named: ["polygon": rows, "fill": "red", "colour": "blue", "width": 1]).run(picture)
    var changed = 0
    for y in 0..<50 {
      for x in 0..<60 where (0..<3).contains(where: { result[x, y, $0] != picture[x, y, $0] }) {
        changed += 1
        #expect((8...42).contains(x) && (10...35).contains(y), "(\(x), \(y))")
      }
    }
    #expect(changed > 250)
  }

  static let mistakes: [(named: [String: ParameterValue], text: String)] = [
    ([:], "nothing to draw; give 'line', 'box', 'circle', 'ellipse', 'polygon' or several of them"),
    (["line": .list([1, 2, 3, 4, 5].map { .integer($0) })], "'line' needs an x and a y for each point"),
    (["circle": .list([1, 2, -3].map { .integer($0) })], "'circle' has a negative radius"),
    (["box": .list([1, 2, -3, 4].map { .integer($0) })], "'box' has a negative width or height"),
    (
      ["line": .list([1, 2, 3, 4].map { .integer($0) }), "fill": "red"],
      "a line has no inside to fill; give its 'colour'"
    ),
  ]

  @Test(arguments: mistakes)
  func mistakesAreNamed(_ named: [String: ParameterValue], _ text: String) throws {
    #expect(throws: OperationError.unsuitable(text)) { try Call("draw", named: named).make() }
  }
}
