import Foundation
import PictureTestSupport
import Testing

/// The committed files of every codec plugin, read by the program in confined workers.
struct CodecFixtureTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs"

  /// `svg/uses.svg` is left out: drawing half a million elements takes seconds before it is refused.
  private static let slow: Set<String> = ["svg/uses.svg"]

  /// "tiff/pages.tif" and so on, but for texts and scripts.
  private static let names: [String] = Built.files(in: fixtures).flatMap { format in
    Built.files(in: fixtures + "/" + format)
      .filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".py") }.map { format + "/" + $0 }
  }.filter { !slow.contains($0) }

  /// The size, the pixels and the number of pages that each header announces.
  private static let headers = """
    avif/alpha.avif 65x49 rgba8 1
    avif/animated.avif 65x49 rgba8 4
    avif/cropped.avif 40x20 rgb8 1
    avif/display-p3.avif 64x64 rgb8 1
    avif/gray-alpha.avif 65x49 graya8 1
    avif/gray.avif 65x49 gray8 1
    avif/hlg.avif 64x64 rgb16 1
    avif/lossless.avif 65x49 rgb8 1
    avif/lossy.avif 65x49 rgb8 1
    avif/metadata.avif 65x49 rgb8 1
    avif/pq.avif 64x64 rgb16 1
    avif/premultiplied.avif 65x49 rgba8 1
    avif/rec709.avif 64x64 rgb8 1
    avif/ten-bits.avif 65x49 rgb16 1
    avif/turned.avif 65x49 rgb8 1
    avif/twelve-bits-alpha.avif 65x49 rgba16 1
    gif/animated-truncated.gif 37x2 rgba8 7
    gif/disposal-0.gif 25x25 rgba8 7
    gif/disposal-1.gif 9x19 rgba8 2
    gif/disposal-10.gif 37x2 rgba8 7
    gif/disposal-12.gif 31x9 rgba8 6
    gif/disposal-17.gif 34x14 rgba8 5
    gif/disposal-5.gif 40x9 rgb8 6
    gif/interlaced.gif 90x60 rgb8 1
    gif/still.gif 90x60 rgb8 1
    heif/alpha.heic 65x49 rgba8 1
    heif/apple.heic 64x64 rgb16 1
    heif/exif.heic 260x196 rgb8 1
    heif/grid.heic 196x260 rgb8 1
    heif/hlg.heic 64x64 rgb16 1
    heif/pq.heic 64x64 rgb16 1
    heif/rec2020.heic 64x64 rgb16 1
    heif/still.heic 65x49 rgb8 1
    heif/ten-bits.heic 65x49 rgb16 1
    heif/thumbnail.heic 256x192 rgb8 1
    heif/two.heic 65x49 rgb8 2
    jpeg2000/alpha.jp2 75x53 rgba8 1
    jpeg2000/bits12.jp2 75x53 rgb16 1
    jpeg2000/bits2.jp2 75x53 gray8 1
    jpeg2000/codestream.j2k 75x53 rgb8 1
    jpeg2000/lossy.jp2 75x53 rgb8 1
    jpeg2000/subsampled.jp2 75x53 rgb8 1
    jpeg2000/tiles.jp2 75x53 rgb8 1
    jpegxl/animated.jxl 90x60 rgb8 5
    jpegxl/hlg.jxl 64x64 rgb16 1
    jpegxl/lossless-c.jxl 90x60 rgb8 1
    jpegxl/lossless-d4.jxl 90x60 rgba16 1
    jpegxl/lossless-gr.jxl 90x60 gray8 1
    jpegxl/lossless-la.jxl 90x60 graya8 1
    jpegxl/lossy.jxl 90x60 rgb8 1
    jpegxl/pq.jxl 64x64 rgb16 1
    raw/bayer.dng 160x120 rgb8 1
    raw/preview-progressive.dng 48x32 rgb8 1
    raw/preview-small.dng 96x64 rgb8 1
    raw/preview-turned.dng 90x60 rgb8 1
    raw/preview.dng 96x64 rgb8 1
    raw/turned.dng 120x160 rgb8 1
    tiff/associated.tif 75x53 rgba8 1
    tiff/bigtiff_jpeg.tif 75x53 rgb8 1
    tiff/bits12.tif 75x53 rgb16 1
    tiff/bits16_big_endian.tif 75x53 rgb16 1
    tiff/bits2.tif 75x53 gray8 1
    tiff/cielab.tif 75x53 rgb8 1
    tiff/cmyk.tif 75x53 cmyk8 1
    tiff/fax_g3.tif 75x53 gray8 1
    tiff/fax_g4.tif 75x53 gray8 1
    tiff/fax_g4_lsb.tif 75x53 gray8 1
    tiff/fax_g4_strips.tif 75x53 gray8 1
    tiff/fax_g4_turned.tif 75x53 gray8 1
    tiff/fax_runs.tif 2700x2624 gray8 1
    tiff/float.tif 75x53 rgb16 1
    tiff/jpeg_rgb.tif 75x53 rgb8 1
    tiff/jpeg_strip.tif 75x53 rgb8 1
    tiff/jpeg_strips.tif 75x53 rgb8 1
    tiff/jpeg_strips_turned.tif 75x53 rgb8 1
    tiff/jpeg_tiles.tif 75x53 rgb8 1
    tiff/orientation5.tif 30x20 rgb8 1
    tiff/orientation6.tif 30x20 rgb8 1
    tiff/orientation7.tif 30x20 rgb8 1
    tiff/orientation8.tif 30x20 rgb8 1
    tiff/pages.tif 75x53 gray8 2
    tiff/palette4.tif 75x53 rgb8 1
    tiff/planar.tif 75x53 rgb8 1
    tiff/pyramid.tif 75x53 rgb8 1
    tiff/straight.tif 75x53 rgba8 1
    tiff/tiles.tif 75x53 rgb8 1
    webp/alpha.webp 90x60 rgba8 1
    webp/animated-blend.webp 40x30 rgba8 8
    webp/animated-opaque.webp 90x60 rgb8 5
    webp/animated-truncated.webp 40x30 rgba8 9
    webp/animated.webp 40x30 rgba8 9
    webp/lossless-alpha.webp 90x60 rgba8 1
    webp/lossless.webp 90x60 rgb8 1
    webp/lossy.webp 90x60 rgb8 1
    webp/metadata.webp 90x60 rgb8 1
    """

  /// The files that are refused, and words of the reason.
  private static let refused = [
    "avif/truncated.avif": "has a damaged header",
    "gif/truncated.gif": "ends in the middle of frame 1",
    "heif/truncated.heic": "ends too early",
    "jpegxl/truncated.jxl": "ends in the middle of its pixels",
    "pdf/encrypted.pdf": "is encrypted",
    "pdf/truncated.pdf": "is damaged beyond repair",
    "svg/entities.svg": "entity reference loop",
    "svg/huge.svg": "give a width",
    "webp/truncated.webp": "ends in the middle of its pixels",
  ]

  /// The files that one version of a library reads and another refuses, and words of the reason.
  private static let either = [
    "heif/gain-map.heic": """
    apt-get install -t bookworm-backports libheif1 libheif-plugin-libde265
    """
  ]

  /// Every fixture in one folder: `tiff/pages.tif` becomes `tiff-pages.tif`.
  private func everything() throws -> Folder {
    let folder = try Folder()
    for name in Self.names { try folder.copy(Self.fixtures + "/" + name, to: Self.flat(name)) }
    return folder
  }

  private static func flat(_ name: String) -> String { name.replacingOccurrences(of: "/", with: "-") }

  @Test func eachFileIsReadOrRefused() throws {
    let folder = try everything()
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):save(\"out/\" .. path .. \".png\") end",
      "--on-error", "continue", arguments: Self.names.map(Self.flat), seconds: 20)
    #expect(outcome.signal == nil && outcome.status == 1, "\(outcome)")
    for name in Self.names {
      let file = Self.flat(name), isWritten = folder.exists("out/" + file + ".png")
      let reasons = outcome.messages.filter { $0.contains("open: \(file): ") }
      if let words = Self.refused[name] {
        #expect(!isWritten && reasons.count == 1 && reasons[0].contains(words), "\(name): \(reasons)")
      } else if let words = Self.either[name] {
        #expect(isWritten ? reasons.isEmpty : reasons.count == 1 && reasons[0].contains(words), "\(name): \(reasons)")
      } else {
        #expect(isWritten && reasons.isEmpty, "\(name): \(reasons)")
      }
    }
    #expect(folder.temporaries.isEmpty)
  }

  @Test func headersSayWhatTheFilesHold() throws {
    let folder = try everything()
    let expected = Self.headers.split(separator: "\n").map(String.init)
    let names = expected.map { String($0.prefix { $0 != " " }) }
    let outcome = try folder.imghost(["info", "--json"] + names.map(Self.flat), seconds: 20)
    #expect(outcome.status == 0, "\(outcome)")
    let found = try zip(names, outcome.outputLines).map { name, line in
      let fact = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let numbers = ["width", "height", "pages"].map { fact[$0] as? Int ?? 0 }
      return "\(name) \(numbers[0])x\(numbers[1]) \(fact["pixels"] as? String ?? "") \(numbers[2])"
    }
    #expect(found == expected)
  }

  @Test func losslessJPEG2000KeepsThePixels() throws {
    let folder = try Folder()
    for (name, script) in [
      ("write", "local p = img.open(arg[1]):resize(700) p:save(\"a.png\") p:save(\"a.jp2\", { lossless = true })"),
      ("read", "img.open(\"a.jp2\"):save(\"b.png\")"),
    ] {
      let outcome = try folder.run(script, arguments: [Built.photos + "/coffee.png"])
      #expect(outcome.status == 0, "\(name): \(outcome)")
    }
    #expect(try Pixels(file: folder("a.png")).bytes == Pixels(file: folder("b.png")).bytes)
  }

  /// The preview is 90 by 60 pixels, the picture that LibRaw develops 96 by 64. Both lie on their side.
  @Test(arguments: [("preview", 60, 90), ("develop", 64, 96)])
  func rawTakesThePreviewOrDevelops(_ choice: String, _ width: Int, _ height: Int) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.open(arg[1], { raw = \"\(choice)\" }):save(\"a.png\")",
      arguments: [Self.fixtures + "/raw/preview-turned.dng"])
    #expect(outcome.status == 0, "\(outcome)")
    let pixels = try Pixels(file: folder("a.png"))
    #expect(pixels.width == width && pixels.height == height)
    // The scene grows red from left to right: after a quarter turn clockwise, from top to bottom.
    let row = pixels.layout.rowByteCount
    #expect(pixels.bytes[(height - 2) * row + width / 2 * 3] > pixels.bytes[row + width / 2 * 3])
  }
}
