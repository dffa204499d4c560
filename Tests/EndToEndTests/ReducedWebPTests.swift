import ImageCodecs
import PictureTestSupport
import TestSupport
import Testing

/// WebP files that are reduced while they are decoded, beside the same pixels reduced afterwards.
struct ReducedWebPTests {
  /// Each width takes another reduction by the decoder, up to 16, and most divide neither side of the file.
  private static let widths = [298, 199, 148, 119, 99, 85, 74, 66, 59, 49, 37, 18]

  /// Photographs, pixels without loss, and alpha go three ways.
  @Test(.wholeRuns, arguments: [("quality = 100", false), ("lossless = true", false), ("quality = 100", true)])
  func reducedPixelsAreThoseOfTheWholePicture(_ options: String, _ hasAlpha: Bool) throws {
    let folder = try Folder()
    try folder.write("a.png", Pixels.waves(597, 397, hasAlpha ? .rgba8 : .rgb8).encoded(PNGCodec()))
    for script in ["img.open(\"a.png\"):save(\"a.webp\", { \(options) })", "img.open(\"a.webp\"):save(\"whole.png\")"] {
      let outcome = try folder.run(script)
      outcome.expect(status: 0)
    }
    // A file of which several pictures are made is decoded once for all of them.
    for width in Self.widths { try folder.copy(folder("a.webp"), to: "\(width).webp") }
    let outcome = try folder.run(
      """
      for _, width in ipairs(arg) do
        img.open(width .. ".webp"):resize(tonumber(width)):save("reduced-" .. width .. ".png")
        img.open("whole.png"):resize(tonumber(width)):save("expected-" .. width .. ".png")
      end
      """, arguments: Self.widths.map(String.init))
    outcome.expect(status: 0)
    for width in Self.widths {
      let reduced = try Pixels(file: folder("reduced-\(width).png"))
      let expected = try Pixels(file: folder("expected-\(width).png"))
      #expect(reduced.layout == expected.layout)
      let differences = zip(Self.seen(reduced), Self.seen(expected)).map { abs(Int($0) - Int($1)) }
      let mean = Double(differences.reduce(0, +)) / Double(differences.count), most = differences.max() ?? 0
      // A decoder's pixels are half as large as the result's, so small results differ more.
      #expect(mean < 60 / Double(width) && most < 20, "\(width): \(mean), \(most)")
    }
  }

  /// The bytes, with colours as they show on black: those of transparent pixels mean nothing.
  private static func seen(_ pixels: Pixels) -> [UInt8] {
    guard pixels.bands == 4 else { return pixels.bytes }
    return pixels.bytes.indices.map { index in
      let alpha = Int(pixels.bytes[index / 4 * 4 + 3])
      return index % 4 == 3 ? UInt8(alpha) : UInt8((Int(pixels.bytes[index]) * alpha + 127) / 255)
    }
  }
}
