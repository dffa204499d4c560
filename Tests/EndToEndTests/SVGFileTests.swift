import Foundation
import ImageCodecs
import PictureTestSupport
import TestSupport
import Testing

/// The sizes of drawings, and the syntax before and in them.
@Suite(.wholeRuns) struct SVGFileTests {
  private static let lines = stride(from: 0, to: 100, by: 2).map {
    "<rect x=\"\($0)\" width=\"1\" height=\"80\"/>"
  }.joined()

  private func svg(_ size: String, before: String = "", inner: String = lines) -> String {
    before + "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) viewBox=\"0 0 100 80\">"
      + "<rect width=\"100\" height=\"80\" fill=\"#fff\"/>\(inner)</svg>"
  }

  private func drawn(_ folder: Folder, _ name: String, _ options: String = "{}") throws -> Pixels {
    let outcome = try folder.run("img.open('\(name)', \(options)):save('out.png')", seconds: 60)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    return try Pixels(file: folder("out.png"))
  }

  /// libxml2 asks ICU for these on Debian 12, and the C library on Debian 13, which opens a file for each.
  @Test(arguments: ["windows-1251", "koi8-r", "iso-8859-5", "shift_jis", "euc-kr"])
  func drawingsInOtherEncodings(_ encoding: String) throws {
    let folder = try Folder()
    let drawing = svg("width='100' height='80'", before: "<?xml version='1.0' encoding='\(encoding)'?>")
    var bytes = Data(drawing.utf8)
    // Two letters in each of them.
    bytes.insert(contentsOf: Data("<desc>".utf8) + [0xb1, 0xb2] + Data("</desc>".utf8), at: bytes.count - 6)
    try bytes.write(to: URL(fileURLWithPath: folder("a.svg")))
    #expect(try drawn(folder, "a.svg")[0, 40] == [0, 0, 0, 255])
  }

  @Test(arguments: [
    ("width='100' height='80'", 100, 80), ("width='26.458334mm' height='21.166666mm'", 100, 80),
    ("width='26.4583mm' height='21.1667mm'", 100, 80), ("width='100.0001' height='80'", 100, 80),
    ("width='99.9999' height='79.9999'", 100, 80), ("width='1.0416667in' height='60pt'", 100, 80),
    ("width='2.6458333cm' height='5pc'", 100, 80),
  ])
  func sizesAreRoundedAndSharp(_ size: String, _ width: Int, _ height: Int) throws {
    let folder = try Folder()
    try folder.write("a.svg", svg(size))
    let pixels = try drawn(folder, "a.svg")
    #expect(pixels.width == width && pixels.height == height)
    for x in 0..<width {
      let expected: [UInt8] = x % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255]
      for y in [0, 40, height - 1] { #expect(pixels[x, y] == expected, "\(x), \(y)") }
    }
  }

  /// A size that is not whole fills its pixels to the edge.
  @Test(arguments: [("width='100.4' height='80.3'", 100, 80), ("width='100.6' height='79.5'", 101, 80)])
  func fractionsFillTheirPixels(_ size: String, _ width: Int, _ height: Int) throws {
    let folder = try Folder()
    // The aspect ratio would leave edges clear.
    try folder.write("a.svg", svg(size + " preserveAspectRatio='none'", inner: ""))
    for (options, scale) in [("{}", 1), ("{ width = \(3 * width) }", 3)] {
      let pixels = try drawn(folder, "a.svg", options)
      #expect(pixels.width == width * scale && abs(pixels.height - height * scale) <= 1)
      for (x, y) in [(0, 0), (pixels.width - 1, 0), (0, pixels.height - 1), (pixels.width - 1, pixels.height - 1)] {
        #expect(pixels[x, y][3] >= 254, "\(x), \(y)")
      }
    }
  }

  static let prologues: [(name: String, text: String)] = [
    ("a comment", "<!-- " + String(repeating: "x", count: 5_000) + " -->"),
    ("a declaration and a comment", "<?xml version='1.0'?>\n<!--" + String(repeating: " <svg", count: 2_000) + "-->\n"),
    ("blanks and comments", "\n\n  " + String(repeating: "<!-- -> - >-->\n", count: 500)),
    (
      "a document type with declarations",
      "<!DOCTYPE svg [ <!-- ]> --> <!ENTITY a \"]>\"> " + String(repeating: "<!ENTITY b 'b'>\n", count: 400) + "]>\n"
    ),
    ("instructions", String(repeating: "<?note > ?>\n", count: 600)),
    ("many blanks", String(repeating: " \n\t\r", count: 450)),
    (
      "many blanks and a comment",
      String(repeating: "\n", count: 1_900) + "<!--" + String(repeating: "x", count: 9_000) + "-->"
    ),
    (
      "blanks and a document type",
      String(repeating: " ", count: 1_500) + "<!DOCTYPE svg>" + String(repeating: " ", count: 9_000)
    ),
    (
      "blanks and an instruction",
      String(repeating: " ", count: 1_500) + "<?note?>" + String(repeating: "\n", count: 9_000)
    ),
  ]

  @Test(arguments: prologues.indices)
  func theDrawingMayBeginLate(_ index: Int) throws {
    let (name, text) = Self.prologues[index]
    let folder = try Folder()
    let file = svg("width='100' height='80'", before: text)
    try folder.write("a.svg", file)
    try folder.write("bom.svg", [0xef, 0xbb, 0xbf] + Array(file.utf8))
    for (path, file) in Self.wide(file) { try folder.write(path, file) }
    var paths = ["a.svg", "bom.svg", "little.svg", "big.svg"]
    // Without a byte order mark a declaration must come first (XML 1.0, 4.3.3).
    let declared = svg("width='100' height='80'", before: "<?xml version='1.0' encoding='UTF-16'?>" + text)
    if !text.hasPrefix("<?xml") {
      for (path, file) in Self.wide(declared) { try folder.write("bare-" + path, Array(file.dropFirst(2))) }
      paths += ["bare-little.svg", "bare-big.svg"]
    }
    for path in paths { #expect(try drawn(folder, path).width == 100, "\(name), \(path)") }
  }

  /// The text in UTF-16, in both orders, with byte order marks.
  private static func wide(_ text: String) -> [(path: String, file: [UInt8])] {
    let units = [0xfeff] + Array(text.utf16)
    return [
      ("little.svg", units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }),
      ("big.svg", units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }),
    ]
  }

  /// The side that a drawing lacks follows from its view box.
  @Test(arguments: [
    ("width='50'", 50, 40), ("height='160'", 200, 160), ("", 100, 80), ("width='50' height='100%'", 50, 40),
    ("width='100%' height='2in'", 240, 192),
  ])
  func aMissingSideFollowsFromTheViewBox(_ size: String, _ width: Int, _ height: Int) throws {
    let folder = try Folder()
    try folder.write("a.svg", svg(size))
    let pixels = try drawn(folder, "a.svg")
    #expect(pixels.width == width && pixels.height == height)
    // The white ground fills it.
    for (x, y) in [(0, 0), (width - 1, height - 1)] { #expect(pixels[x, y][3] == 255, "\(x), \(y)") }
  }

  /// Documents of other kinds are named, and not drawn.
  @Test func otherDocumentsAreNoDrawings() throws {
    let folder = try Folder()
    for (name, text) in [
      ("a.xml", "<?xml version='1.0'?><!-- <svg> --><feed><svg/></feed>"),
      ("b.html", "<!DOCTYPE html><html><body><svg width='9' height='9'/></body></html>"),
      ("c.svg", "<!-- " + String(repeating: "x", count: 9_000)), ("d.svg", "<!-- x --><svgx/>"),
    ] {
      try folder.write(name, text)
      let outcome = try folder.run("img.open('\(name)'):save('out.png')")
      #expect(outcome.status != 0 && outcome.error.contains("file format"), "\(outcome)")
    }
  }

  /// A data address of more than 10 MB, plain and packed.
  @Test func longAddressesAreDrawn() throws {
    let folder = try Folder()
    // A PNG whose rows are stored: the filter of each row keeps them from being packed.
    var random = SplitMix(4)
    let noise = Pixels(1_700, 1_700) { _, _ in [UInt8(random.below(256)), UInt8(random.below(256)), 200] }
    let png = try noise.encoded(PNGCodec(), [("compression", .integer(0))])
    let data = Data(png).base64EncodedString()
    #expect(data.utf8.count > 10_000_000)
    let image =
      "<image width=\"100\" height=\"80\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,\(data)\"/>"
    try folder.write("a.svg", svg("width='100' height='80'", inner: image))
    let pixels = try drawn(folder, "a.svg")
    #expect(pixels[50, 40][2] > 180 && pixels[50, 40][2] < 220 && pixels[50, 40][3] == 255)
  }

  /// Entities that multiply are refused in long files, too, where other limits are lifted.
  @Test func entitiesDoNotMultiplyInLongFiles() throws {
    let folder = try Folder()
    let entities = (1...8).map { number in
      "<!ENTITY e\(number) \"" + String(repeating: "&e\(number - 1);", count: 10) + "\">"
    }.joined()
    let before =
      "<!DOCTYPE svg [<!ENTITY e0 'lololol'>\(entities)]><!--" + String(repeating: "x", count: 10_100_000) + "-->"
    try folder.write("a.svg", svg("width='100' height='80'", before: before, inner: "<text>&e8;</text>"))
    let outcome = try folder.run("img.open('a.svg'):save('out.png')", seconds: 60)
    outcome.expect(status: 1, error: "is no SVG that librsvg reads")
  }
}
