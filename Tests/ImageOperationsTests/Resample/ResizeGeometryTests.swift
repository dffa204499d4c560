import ImageCore
import Testing

@testable import ImageOperations

/// A size and its result in sharp 0.33. Every row follows from `ResolveShrink`, `CalculateCrop` and
/// `CalculateEmbedPosition` in its src/common.cc.
struct SizeCase: CustomTestStringConvertible, Sendable {
  let name: String
  let from: (Int, Int)
  let options: (Int?, Int?)
  var fit = ResizeFit.cover
  var gravity = Gravity.centre
  var enlarge = true
  var reduce = true
  let size: (Int, Int)
  var scaled: (Int, Int)?
  /// left and top of the window in the scaled picture.
  var window: (Int, Int) = (0, 0)
  var pad: (Int, Int) = (0, 0)
  var testDescription: String { name }
}

let sizeCases: [SizeCase] = [
  SizeCase(name: "width only", from: (2725, 2225), options: (320, nil), size: (320, 261)),
  SizeCase(name: "height only", from: (2725, 2225), options: (nil, 320), size: (392, 320)),
  SizeCase(name: "rounds half up", from: (100, 25), options: (50, nil), size: (50, 13)),
  SizeCase(name: "never to nothing", from: (1000, 1), options: (10, nil), size: (10, 1)),
  SizeCase(
    name: "cover cuts the sides", from: (2725, 2225), options: (320, 320), size: (320, 320),
    scaled: (392, 320), window: (36, 0)),
  SizeCase(
    name: "cover, an odd spare rounds up", from: (200, 101), options: (100, 48), size: (100, 48),
    scaled: (100, 51), window: (0, 2)),
  SizeCase(
    name: "cover, south east", from: (300, 100), options: (50, 50),
    gravity: Gravity(x: 1, y: 1), size: (50, 50), scaled: (150, 50), window: (100, 0)),
  SizeCase(
    name: "cover without enlarging", from: (320, 240), options: (400, 200), enlarge: false,
    size: (320, 200), scaled: (320, 240), window: (0, 20)),
  SizeCase(
    name: "contain", from: (320, 240), options: (100, 100), fit: .contain, size: (100, 100),
    scaled: (100, 75), pad: (0, 12)),
  SizeCase(
    name: "contain, east", from: (240, 320), options: (100, 100), fit: .contain,
    gravity: Gravity(x: 1, y: 0), size: (100, 100), scaled: (75, 100), pad: (25, 0)),
  SizeCase(
    name: "inside", from: (2725, 2225), options: (320, 320), fit: .inside, size: (320, 261)),
  SizeCase(
    name: "outside", from: (2725, 2225), options: (320, 320), fit: .outside, size: (392, 320)),
  SizeCase(name: "fill", from: (2725, 2225), options: (32, 320), fit: .fill, size: (32, 320)),
  SizeCase(
    name: "fill, width only", from: (272, 222), options: (32, nil), fit: .fill, size: (32, 222)),
  SizeCase(
    name: "inside without enlarging", from: (30, 20), options: (90, 90), fit: .inside,
    enlarge: false, size: (30, 20)),
  SizeCase(
    name: "inside without reducing", from: (300, 200), options: (90, 90), fit: .inside,
    reduce: false, size: (300, 200)),
]

@Suite("Sizes of resize") struct ResizeGeometryTests {
  @Test("are sharp's", arguments: sizeCases)
  func sizes(_ row: SizeCase) {
    let geometry = ResizeGeometry(
      sourceWidth: row.from.0, sourceHeight: row.from.1,
      ResizeTarget(
        width: row.options.0.map { .pixels($0) }, height: row.options.1.map { .pixels($0) }, fit: row.fit,
        placement: .gravity(row.gravity), enlarge: row.enlarge, reduce: row.reduce))
    let scaled = row.scaled ?? row.size
    #expect((geometry.width, geometry.height) == row.size)
    #expect((geometry.scaledWidth, geometry.scaledHeight) == scaled)
    #expect((geometry.window.left, geometry.window.top) == row.window)
    #expect((geometry.padLeft, geometry.padTop) == row.pad)
  }

  /// Percentages are of the same side of the picture, rounded half up and at least a pixel.
  @Test(arguments: [("50%", 5), ("25%", 3), ("0.1%", 1), ("250%", 25), ("100%", 10)])
  func percentages(_ text: String, _ width: Int) throws {
    let side = try #require(PictureSide(text))
    #expect(side.pixels(of: 10) == width)
    let geometry = ResizeGeometry(sourceWidth: 10, sourceHeight: 100, ResizeTarget(width: side))
    #expect(geometry.width == width && geometry.height == width * 10)
  }

  @Test(arguments: ["50", "%", "0%", "-5%", "10001%", " 5%", "nan%", "5 %"])
  func noPercentages(_ text: String) { #expect(PictureSide(text) == nil) }

  @Test("every position has a place", arguments: CropPosition.names)
  func positions(_ name: String) {
    #expect(name == "centre" || name == "center" || CropPosition(name: name) != .gravity(.centre))
  }
}
