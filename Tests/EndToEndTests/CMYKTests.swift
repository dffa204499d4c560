import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// CMYK through the built program: read, converted, written.
@Suite(.wholeRuns) struct CMYKTests {
  /// Inks, and their sRGB as Little CMS 2.14 computes it in floating point: FOGRA39, relative colorimetric, with black
  /// point compensation.
  static let colours: [(ink: [UInt8], rgb: [Double])] = [
    ([0, 0, 0, 0], [255, 255, 255]), ([255, 0, 0, 0], [0, 159.1, 227.4]), ([0, 255, 0, 0], [229.9, 0, 125.9]),
    ([0, 0, 255, 0], [255, 237.1, 0]), ([0, 0, 0, 255], [31.9, 31.5, 30.2]), ([255, 255, 0, 0], [47.4, 40.4, 131.3]),
    ([0, 255, 255, 0], [227.8, 6, 21]), ([255, 0, 255, 0], [0, 150, 64.6]), ([128, 0, 0, 0], [128.3, 207.8, 245.1]),
    ([0, 0, 0, 128], [157, 157.4, 157.5]), ([51, 76, 102, 25], [197.2, 170.6, 147.2]),
    ([180, 140, 130, 90], [75.9, 83.8, 87.3]), ([255, 255, 255, 255], [3.1, 0.8, 0]),
    ([20, 200, 180, 10], [216.4, 83, 70]), ([140, 90, 60, 200], [46, 57.6, 65.6]),
  ]

  /// A TIFF of one row of CMYK, uncompressed, without a profile.
  static func tiff(_ inks: [[UInt8]]) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
    func long(_ value: Int) -> [UInt8] { word(value) + word(value >> 16) }
    let entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
      (256, 3, 1, inks.count), (257, 3, 1, 1), (258, 3, 4, 8 + 2 + 9 * 12 + 4), (259, 3, 1, 1), (262, 3, 1, 5),
      (273, 4, 1, 8 + 2 + 9 * 12 + 4 + 8), (277, 3, 1, 4), (278, 3, 1, 1), (279, 4, 1, inks.count * 4),
    ]
    var bytes: [UInt8] = [0x49, 0x49, 42, 0] + long(8) + word(entries.count)
    for entry in entries { bytes += word(entry.tag) + word(entry.type) + long(entry.count) + long(entry.value) }
    return bytes + long(0) + [8, 0, 8, 0, 8, 0, 8, 0] + inks.flatMap { $0 }
  }

  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write("in.tif", Self.tiff(Self.colours.map(\.ink)))
    let colours: [[UInt8]] = [[200, 120, 40], [30, 60, 90], [128, 128, 128], [255, 255, 255], [20, 20, 20]]
    try folder.write("in.png", try Pixels(64, 32) { x, _ in colours[x / 13] }.png())
    return folder
  }

  private func bytes(_ file: String, _ folder: Folder) throws -> [Int] {
    try Pixels(file: folder(file)).bytes.map(Int.init)
  }

  @Test func untaggedInkIsFOGRA39() throws {
    let folder = try folder()
    let outcome = try folder.run("img.open(\"in.tif\"):save(\"out.png\")")
    outcome.expect(status: 0)
    let row = try bytes("out.png", folder)
    for (x, colour) in Self.colours.enumerated() {
      for band in 0..<3 {
        #expect(
          abs(Double(row[3 * x + band]) - colour.rgb[band]) <= 1.5, "\(colour.ink): \(row[(3 * x)..<(3 * x + 3)])")
      }
    }
  }

  /// Files store 1 - ink, with transform 0, without an Adobe segment, and as YCCK.
  @Test(arguments: ["cmyk-adobe.jpg", "cmyk-plain.jpg", "ycck-adobe.jpg"]) func inkOfJPEGs(_ name: String) throws {
    let folder = try Folder()
    try folder.copy(Built.root + "/Tests/ImageCodecsTests/Fixtures/" + name, to: "in.jpg")
    let outcome = try folder.run("img.open(\"in.jpg\"):save(\"out.png\")")
    outcome.expect(status: 0)
    let start = (8 * 48 + 8) * 3
    let cyan = try bytes("out.png", folder)[start..<start + 3]
    // (178, 0, 225, 0) of YCCK is green.
    let wanted = name.hasPrefix("ycck") ? [82, 176, 76] : [0, 159, 227]
    #expect(zip(cyan, wanted).allSatisfy { abs($0 - $1) <= 3 }, "\(cyan)")
  }

  /// Converted to ink and back, colours that paper has are nearly the same; the file's own ink stays as it is.
  @Test func writtenInk() throws {
    let folder = try folder()
    let first = try folder.run(
      """
      local ink = img.open("in.png"):to_profile("cmyk")
      ink:save("a.tif") ink:save("a.jpg", { quality = 100, subsampling = "4:4:4" })
      img.open("in.png"):save("b.tif", { profile = "cmyk" })
      ink:resize(32):crop(0, 0, 32, 8):flip():save("small.tif")
      """)
    first.expect(status: 0)
    #expect(folder.bytes("a.tif") == folder.bytes("b.tif"))
    let second = try folder.run(
      """
      img.open("a.tif"):save("tif.png") img.open("a.jpg"):save("jpg.png")
      img.open("a.tif"):to_profile("cmyk"):save("again.tif")
      """)
    second.expect(status: 0)
    let original = try bytes("in.png", folder)
    for (file, most) in [("tif.png", 8), ("jpg.png", 14)] {
      let back = try bytes(file, folder)
      let distance = zip(original, back).map { abs($0 - $1) }.max() ?? 255
      #expect(distance <= most, "\(file): \(distance)")
    }
    #expect(folder.bytes("again.tif") == folder.bytes("a.tif"))
    for file in ["a.tif", "a.jpg", "small.tif"] {
      let info = try folder.imghost("info", file)
      #expect(info.output.contains("cmyk8") && info.output.contains("ICC profile"), "\(info)")
    }
  }

  /// Ink that is only cut, turned and resized before its conversion does not go by way of sRGB, whatever else is made of
  /// the file.
  @Test(arguments: ["a.tif", "a.jpg"]) func inkBeforeItsConversion(_ file: String) throws {
    let folder = try folder()
    let made = try folder.run(
      "img.open(\"in.png\"):to_profile(\"cmyk\"):save(\"\(file)\", { metadata = { keep = { \"date\" } } })")
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      local ink = img.open("\(file)")
      assert(ink:stats().mean[3])
      local small = ink:crop(2, 2, 40, 20):flip():resize(16)
      small:save("srgb.png")
      small:to_profile("cmyk"):save("1.tif")
      small:save("2.tif", { profile = "cmyk" })
      ink:to_profile("cmyk"):crop(2, 2, 40, 20):flip():resize(16):save("3.tif")
      small:blur(1):to_profile("cmyk"):save("4.tif")
      ink:resize(9):to_profile("display-p3"):save("5.png")
      """)
    outcome.expect(status: 0)
    #expect(folder.bytes("1.tif") == folder.bytes("3.tif"))
    #expect(folder.bytes("2.tif") == folder.bytes("3.tif"))
    // The same colours, which sRGB gives other inks.
    #expect(folder.bytes("4.tif") != folder.bytes("3.tif"))
    let info = try folder.imghost("info", "srgb.png", "5.png", "3.tif")
    #expect(info.output.components(separatedBy: "rgb8").count == 3 && info.output.contains("cmyk8"), "\(info)")
  }

  /// A JPEG is reduced while it is decoded, as ink, too.
  @Test func reducedInk() throws {
    let folder = try folder()
    let made = try folder.run(
      """
      local big = img.open("in.png"):resize(1024, 512, { kernel = "nearest" })
      big:to_profile("cmyk"):save("a.jpg", { quality = 100, subsampling = "4:4:4" })
      """)
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      img.open("a.jpg"):resize(64):to_profile("cmyk"):save("small.tif")
      img.open("a.jpg"):to_profile("cmyk"):resize(64):save("slow.tif")
      """)
    outcome.expect(status: 0)
    let plan = try folder.run("img.open(\"a.jpg\"):resize(64):to_profile(\"cmyk\"):save(\"b.tif\")", "--dry-run")
    #expect(plan.output.contains("1/8"), "\(plan)")
    let second = try folder.run(
      "for _, n in ipairs{ 'small', 'slow' } do img.open(n .. '.tif'):save(n .. '.png') end")
    second.expect(status: 0)
    let (small, slow) = (try bytes("small.png", folder), try bytes("slow.png", folder))
    #expect(small.count == slow.count && zip(small, slow).allSatisfy { abs($0 - $1) <= 8 })
  }

  @Test(arguments: [
    (":save(\"a.png\")", "PNG files hold no CMYK; use .jpg or .tif, or convert to sRGB"),
    (":save(\"a.bmp\")", "BMP files hold no CMYK"),
    (":blur(2):save(\"a.jpg\")", "does not work on CMYK; call it before 'to_profile'"),
    (":resize{ width = 9, height = 9, fit = \"contain\" }:save(\"a.jpg\")", "does not work on CMYK"),
    (":hash()", "hash: in.png: does not work on CMYK; call it before 'to_profile'"),
    (":composite(img.canvas(3, 3)):save(\"a.jpg\")", "does not work on CMYK; call it before 'to_profile'"),
  ])
  func refusals(_ call: String, _ words: String) throws {
    let folder = try folder()
    let outcome = try folder.run("img.open(\"in.png\"):to_profile(\"cmyk\")" + call)
    #expect(outcome.status != 0 && outcome.error.contains(words), "\(outcome)")
    #expect(!folder.exists("a.jpg"))
  }

  /// A file is copied with its ink, unless sRGB is asked for.
  @Test func untouchedFiles() throws {
    let folder = try Folder()
    try folder.copy(Built.root + "/Tests/ImageCodecsTests/Fixtures/cmyk-adobe.jpg", to: "in.jpg")
    let outcome = try folder.run(
      """
      local p = img.open("in.jpg")
      p:save("copy.jpg") p:save("srgb.jpg", { profile = "srgb" }) p:save("none.jpg", { metadata = "none" })
      """)
    outcome.expect(status: 0)
    #expect(folder.bytes("copy.jpg") == folder.bytes("in.jpg"))
    for file in ["srgb.jpg", "none.jpg"] {
      let info = try folder.imghost("info", file)
      #expect(info.output.contains("rgb8"), "\(info)")
    }
  }

  /// The profile's colour space counts where the file names none. The box follows the 22 bytes of the image's header.
  @Test func jpeg2000WithAProfileForInk() throws {
    let folder = try Folder()
    let fixture = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/jpeg2000/rgb_trns_ycbc.jp2"
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture)))
    try #require(file[66..<70].elementsEqual("colr".utf8) && file[35] == 0x2d)
    var profile = [UInt8](repeating: 0, count: 128)
    profile.replaceSubrange(16..<20, with: "CMYK".utf8)
    let colours = [0, 0, 0, UInt8(11 + profile.count)] + Array("colr".utf8) + [2, 0, 0] + profile
    file[35] = UInt8(30 + colours.count)
    file.replaceSubrange(62..<77, with: colours)
    try folder.write("ink.jp2", file)
    let info = try folder.imghost("info", "ink.jp2")
    #expect(info.status == 0 && info.output.contains("cmyk8") && info.output.contains("64 x 64"), "\(info)")
  }

  /// Pages keep their ink, encoded and without loss, and the verifier compares them.
  @Test(arguments: [false, true]) func booksKeepInk(isLossless: Bool) throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local ink = img.open("in.png"):to_profile("cmyk")
      img.book("b.pdf", { ink, ink:flop() }, { verify = true, lossless = \(isLossless) })
      """)
    outcome.expect(status: 0)
    let text = String(decoding: folder.bytes("b.pdf"), as: UTF8.self)
    #expect(text.contains("/N 4") && text.contains("/Decode[1 0 1 0 1 0 1 0]") != isLossless)
  }
}
