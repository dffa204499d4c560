import Foundation
import ImageCodecs
import ImageCore
import Testing

@testable import ImageOperations

/// The crops of the sample photographs by `vips smartcrop --interesting attention` of libvips 8.14.1.
@Suite struct AttentionTests {
  struct Recorded: CustomStringConvertible, Sendable {
    let name: String
    /// The size of the photograph after `vips thumbnail --size force`.
    let scaled: (width: Int, height: Int)
    let crop: (width: Int, height: Int)
    let left: Int
    let top: Int

    init(_ name: String, _ scaled: (Int, Int), _ crop: (Int, Int), _ left: Int, _ top: Int) {
      (self.name, self.scaled, self.crop, self.left, self.top) = (name, scaled, crop, left, top)
    }

    var description: String { "\(name) \(crop.width)x\(crop.height)" }
  }

  static let recorded = [
    Recorded("astronaut.png", (300, 300), (300, 100), 0, 15),
    Recorded("astronaut.png", (300, 300), (100, 300), 71, 0),
    Recorded("astronaut.png", (200, 200), (200, 120), 0, 0),
    Recorded("chelsea.png", (300, 200), (300, 100), 0, 43),
    Recorded("chelsea.png", (451, 300), (100, 300), 302, 0),
    Recorded("chelsea.png", (200, 133), (200, 120), 0, 6),
    Recorded("coffee.png", (300, 200), (300, 100), 0, 31),
    Recorded("coffee.png", (450, 300), (100, 300), 118, 0),
    Recorded("coffee.png", (200, 133), (200, 120), 0, 0),
    Recorded("hubble_deep_field.jpg", (300, 262), (300, 100), 0, 89),
    Recorded("hubble_deep_field.jpg", (344, 300), (100, 300), 244, 0),
    Recorded("hubble_deep_field.jpg", (200, 174), (200, 120), 0, 32),
    Recorded("retina.jpg", (300, 300), (300, 100), 0, 81),
    Recorded("retina.jpg", (300, 300), (100, 300), 0, 0),
    Recorded("retina.jpg", (200, 200), (200, 120), 0, 27),
    Recorded("rocket.jpg", (300, 200), (300, 100), 0, 100),
    Recorded("rocket.jpg", (450, 300), (100, 300), 217, 0),
    Recorded("rocket.jpg", (200, 133), (200, 120), 0, 13),
  ]

  private static func photograph(_ name: String) throws -> any RowSource {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let file = try InputFile(path: folder.path + "/Scripts/photos/" + name)
    let codec = try CodecList.recognise(file)
    return try codec.makeDecoder(file, header: codec.readHeader(file), options: DecodeOptions())
  }

  @Test(arguments: recorded) func cutsWhereLibvipsDoes(_ recorded: Recorded) throws {
    let picture = try Self.photograph(recorded.name)
    let (width, height) = recorded.crop
    let arguments: [ParameterValue] = [.integer(width), .integer(height)]
    let named: [(name: String, value: ParameterValue)] = [("position", .text("attention"))]
    let fill = try Fill(resampleArguments(Fill.self, arguments, named))
    let found = try fill.open([picture], nominal: [picture.layout], context: .serial)

    let scaled = try Resize(
      resampleArguments(
        Resize.self, [.integer(recorded.scaled.width), .integer(recorded.scaled.height)], [("fit", .text("fill"))]))
    let whole = try scaled.open(
      [Self.photograph(recorded.name)], nominal: [picture.layout], context: .serial
    ).readAll(.serial)
    let window = try SmartCrop.window(
      .attention, of: whole, width: width, height: height, .serial)
    let cell = max(whole.layout.width, whole.layout.height) / 32 + 1
    let off = max(abs(window.left - recorded.left), abs(window.top - recorded.top))
    // All were met exactly when recorded; one cell of the grid is how fine the method places.
    #expect(off <= cell, "\(window.left),\(window.top), not \(recorded.left),\(recorded.top)")
    #expect(
      try resampledSamples(of: found)
        == resampledSamples(of: CroppedSource(BufferSource(whole), window)))
  }

  @Test func formatsMakeNoDifference() throws {
    let picture = try Self.photograph("astronaut.png").readAll(.serial)
    let expected = try SmartCrop.window(.attention, of: picture, width: 512, height: 170, .serial)
    let (width, height) = (picture.layout.width, picture.layout.height)
    for format in [PixelFormat.rgb16, .rgba8, .rgba16] {
      let other = PixelBuffer(PictureLayout(width: width, height: height, format: format))
      let scale = format.sample.maximum / 255
      for y in 0..<height {
        for x in 0..<width {
          for band in 0..<format.bands {
            let value = band == 3 ? 255 : RowSamples.load(picture.row(y), x * 3 + band, .u8)
            RowSamples.store(value * scale, other.row(y), x * format.bands + band, format.sample)
          }
        }
      }
      let window = try SmartCrop.window(.attention, of: other, width: 512, height: 170, .serial)
      #expect(window == expected, "\(format)")
    }
  }

  /// Invisible pixels draw no attention, and a picture may be smaller than the grid.
  @Test(arguments: [(90, 30), (9, 3)])
  func transparentPartsDoNotCount(_ width: Int, _ height: Int) throws {
    let layout = PictureLayout(width: width, height: height, format: .rgba8)
    let picture = PixelBuffer(layout)
    for y in 0..<height {
      for x in 0..<width {
        // Red and invisible on the left, a gray edge on the right.
        let third = x * 3 / width
        let pixel =
          third == 0 ? [255, 0, 0, 0] : third == 1 ? [0, 0, 0, 255] : [90, 90, 90, 255]
        for (band, value) in pixel.enumerated() { RowSamples.store(value, picture.row(y), x * 4 + band, .u8) }
      }
    }
    let window = try SmartCrop.window(.attention, of: picture, width: height, height: height, .serial)
    #expect(window.left >= height)
  }
}
