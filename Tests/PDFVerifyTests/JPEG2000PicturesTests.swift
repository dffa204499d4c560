import COpenJPEG
import PDFTestSupport
import PDFVerify
import Testing

/// JPEG 2000 data, which imghost stores and libopenjp2 decodes for the comparison.
@Suite struct JPEG2000PicturesTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var picture = TestJPEG2000()
    var entries = ""
    var extra: [UInt8] = []
    /// The beginning of the only finding; nil for none.
    var line: String?

    init(
      _ name: String, _ picture: TestJPEG2000 = TestJPEG2000(), _ entries: String = "", extra: [UInt8] = [],
      says line: String? = nil
    ) {
      (testDescription, self.picture, self.entries) = (name, picture, entries)
      (self.extra, self.line) = (extra, line)
    }

    var page: JPEG2000Pages.Page {
      let file = picture.encoded()
      return JPEG2000Pages.Page(
        data: extra.isEmpty ? file : TestJPEG2000.adding(extra, to: file), entries: entries,
        width: picture.width, height: picture.height)
    }
  }

  private static let gray = TestJPEG2000(components: 1, colours: OPJ_CLRSPC_GRAY)
  private static let ramp =
    "/ColorSpace[/Indexed/DeviceRGB 255<"
    + (0..<256).map { ["00ff10", "a0b1c2", "7f0102"][$0 % 3] }.joined() + ">]"
  /// What is said of opacity in data, by what poppler does with it since 24.12.
  private static let opacity =
    PopplerVersion.drawsOpacityInData
    ? "1: warning: picture 1 was not compared exactly: poppler shows the opacity"
    : "1: warning: picture 1 has opacity in its JPEG 2000 data, which poppler does not show"

  static let equal: [Row] = [
    Row("RGB"),
    Row("RGB, stated", TestJPEG2000(), "/ColorSpace/DeviceRGB"),
    Row("gray", gray),
    Row("gray, stated", gray, "/ColorSpace/DeviceGray/BitsPerComponent 8"),
    Row("codestream", TestJPEG2000(isCodestream: true), "/ColorSpace/DeviceRGB"),
    Row(
      "gray codestream", TestJPEG2000(components: 1, isCodestream: true), "/ColorSpace/DeviceGray"),
    Row("9 bits", TestJPEG2000(bits: 9)),
    Row("12 bits", TestJPEG2000(components: 1, bits: 12, colours: OPJ_CLRSPC_GRAY)),
    Row("16 bits", TestJPEG2000(bits: 16)),
    Row("signed", TestJPEG2000(bits: 8, isSigned: true)),
    Row("signed, 16 bits", TestJPEG2000(bits: 16, isSigned: true)),
    Row("tiles", TestJPEG2000(isTiled: true)),
    Row("palette inside", TestJPEG2000(components: 1), extra: TestJPEG2000.palette),
    Row("palette of the PDF", gray, ramp),
    Row(
      "palette of the PDF outweighs the one inside", TestJPEG2000(components: 1), ramp,
      extra: TestJPEG2000.palette),
    Row("YCC said to be RGB", TestJPEG2000(colours: OPJ_CLRSPC_SYCC), "/ColorSpace/DeviceRGB"),
    Row(
      "opacity that is not to be shown", TestJPEG2000(components: 4, hasAlpha: true),
      says: PopplerVersion.drawsOpacityInData ? opacity : nil),
    Row(
      "opacity", TestJPEG2000(components: 4, hasAlpha: true), "/SMaskInData 1",
      says: opacity),
    Row(
      "gray and opacity",
      TestJPEG2000(components: 2, hasAlpha: true, colours: OPJ_CLRSPC_GRAY), "/SMaskInData  2",
      says: opacity),
  ]

  @Test(arguments: JPEG2000PicturesTests.equal) func areEqual(row: Row) throws {
    let report = try JPEG2000Pages.verify([row.page])
    let isCompared = !row.picture.hasAlpha || !PopplerVersion.drawsOpacityInData
    #expect(report.comparisons() == [isCompared ? .equal : .notCompared], "\(report.lines)")
    #expect(report.lines.count == (row.line == nil ? 0 : 1), "\(report.lines)")
    if let line = row.line { #expect(report.lines[0].hasPrefix(line), "\(report.lines)") }
  }

  static let aside: [Row] = [
    Row(
      "sub-sampled YCC", TestJPEG2000(subsampling: 2, colours: OPJ_CLRSPC_SYCC),
      says: "poppler does not show JPEG 2000 with components of different sizes"),
    Row(
      "YCC", TestJPEG2000(colours: OPJ_CLRSPC_SYCC),
      says: "poppler shows JPEG 2000 in YCC as if it were RGB or gray"),
    Row(
      "1 bit", TestJPEG2000(components: 1, bits: 1, colours: OPJ_CLRSPC_GRAY),
      says: "poppler shows JPEG 2000 of fewer than 8 bits too dark"),
    Row(
      "7 bits", TestJPEG2000(bits: 7), says: "poppler shows JPEG 2000 of fewer than 8 bits too dark"
    ),
    Row(
      "four colours", TestJPEG2000(components: 4, isCodestream: true),
      says: "its JPEG 2000 data has 4 components that are not known to be RGB"),
    Row(
      "opacity that cannot be set aside", TestJPEG2000(components: 4, hasAlpha: true),
      "/SMaskInData 2 0 R",
      says: PopplerVersion.drawsOpacityInData
        ? "poppler shows the opacity" : "it has a mask or a Decode array of a kind that imghost never"),
    Row(
      "palette of 200 columns", TestJPEG2000(components: 1),
      extra: TestJPEG2000.box("pclr", [0, 1, 200] + [UInt8](repeating: 7, count: 400)),
      says: "the palette in its JPEG 2000 data has more than four columns"),
    Row(
      "broken palette", TestJPEG2000(components: 1),
      extra: TestJPEG2000.box("pclr", [0, 0, 3, 7, 7, 7]),
      says: "libopenjp2 does not read its JPEG 2000 data"),
  ]

  @Test(arguments: JPEG2000PicturesTests.aside) func isSetAside(row: Row) throws {
    let report = try JPEG2000Pages.verify([row.page])
    let line = "1: warning: picture 1 was not compared exactly: " + row.line!
    #expect(report.lines.contains { $0.hasPrefix(line) }, "\(line) is not among \(report.lines)")
    #expect(report.comparisons() == [.notCompared])
  }

  static let wrong: [(String, JPEG2000Pages.Page, String)] = [
    (
      "half transparent",
      .init(
        data: TestJPEG2000().encoded(), content: "q /G gs 40 0 0 28 0 0 cm /P Do Q"),
      "1: error: picture 1 is not shown as it is stored: "
    ),
    (
      "other size", .init(data: TestJPEG2000(width: 28, height: 40).encoded()),
      "1: error: picture 1 states 40x28 pixels; its data has 28x40"
    ),
    (
      "other components", .init(data: TestJPEG2000().encoded(), entries: "/ColorSpace/DeviceGray"),
      "1: error: picture 1 states 1 colour component; its data has 3"
    ),
    (
      "short palette",
      .init(
        data: TestJPEG2000(components: 1, colours: OPJ_CLRSPC_GRAY).encoded(),
        entries: "/ColorSpace[/Indexed/DeviceRGB 1<00ff10a0b1c2>]"),
      "1: error: picture 1 cannot be decoded: it uses colours that its palette does not have"
    ),
  ]

  /// What poppler before 24.12 is asked for without its opacity.
  private static let wrongOpacity = (
    "opacity, half transparent",
    JPEG2000Pages.Page(
      data: TestJPEG2000(components: 4, hasAlpha: true).encoded(), entries: "/SMaskInData 1",
      content: "q /G gs 40 0 0 28 0 0 cm /P Do Q"), "1: error: picture 1 is not shown as it is stored: "
  )

  @Test(arguments: wrong + (PopplerVersion.drawsOpacityInData ? [] : [wrongOpacity]))
  func isNamed(name: String, page: JPEG2000Pages.Page, line: String) throws {
    let report = try JPEG2000Pages.verify([page])
    #expect(report.lines.contains { $0.hasPrefix(line) }, "\(line) is not among \(report.lines)")
    #expect(!report.isVerified)
  }

  @Test func manyPicturesAreComparedAsTheyAreSeen() throws {
    let data = TestJPEG2000(width: 160, height: 112).encoded()
    var page = JPEG2000Pages.Page(data: data, width: 160, height: 112)
    page.content = "q 40 0 0 14 0 14 cm /P Do Q q 40 0 0 14 0 0 cm /P Do Q"
    let report = try JPEG2000Pages.verify([page], nativePixels: 0)
    #expect(report.lines == [])
    guard case .scaled(let decibels) = report.comparisons()[0] else {
      Issue.record("\(report.comparisons())")
      return
    }
    #expect(decibels > 30)
    page.content = "/G gs " + page.content
    #expect(try !JPEG2000Pages.verify([page], nativePixels: 0).isVerified)
  }

  /// libopenjp2 leaves a tile that is not there black, and so does poppler.
  @Test func missingTilesAreNamed() throws {
    var data = TestJPEG2000(isCodestream: true, isTiled: true).encoded()
    let last = data.indices.dropLast().last { data[$0] == 0xff && data[$0 + 1] == 0x90 }!
    data.removeSubrange(last..<data.count - 2)
    let report = try JPEG2000Pages.verify([.init(data: data, entries: "/ColorSpace/DeviceRGB")])
    #expect(
      report.lines == [
        "1: warning: picture 1 was not compared exactly: its JPEG 2000 data lacks some of its tiles"
      ])
  }

  /// Poppler's complaint about a missing JP2 header is kept only if it cannot read the codestream either.
  @Test func damagedCodestreamsAreToldAsPopplerDoes() throws {
    var data = TestJPEG2000(isCodestream: true).encoded()
    data[60] ^= 0xff
    data.removeLast(data.count / 2)
    let report = try JPEG2000Pages.verify([.init(data: data, entries: "/ColorSpace/DeviceRGB")])
    #expect(report.lines.contains { $0.contains("libopenjp2 does not read") }, "\(report.lines)")
    #expect(report.lines.contains { $0.contains("opening JPX Stream as J2K") }, "\(report.lines)")
  }
}
