import BookExpectations
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFVerify

/// PDFs of other programs that are unusual, but correct.
@Suite struct FalseAlarmsTests {
  /// Returns a PDF with these objects, numbered from 1; the first one is the catalogue.
  private static func file(_ objects: [[UInt8]]) -> [UInt8] {
    var (bytes, table) = (Array("%PDF-1.6\n".utf8), "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n")
    for (index, object) in objects.enumerated() {
      let digits = String(bytes.count)
      table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
      bytes += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
    }
    let end = "trailer\n<</Size \(objects.count + 1)/Root 1 0 R>>\nstartxref\n\(bytes.count)\n%%EOF\n"
    return bytes + Array((table + end).utf8)
  }

  private static func stream(_ bytes: [UInt8], _ entries: String = "") -> [UInt8] {
    Array("<<\(entries)/Length \(bytes.count)>>stream\n".utf8) + bytes + Array("\nendstream".utf8)
  }

  /// Returns a page of 96 x 64 points with a picture as object 5, and further objects from 6 on.
  private static func page(
    _ content: String = "96 0 0 64 0 0 cm /P Do", resources: String = "", entries: String = "", picture: [UInt8],
    _ others: [[UInt8]] = []
  ) -> [UInt8] {
    let own = "<<" + resources + "/XObject<</P 5 0 R>>>>"
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 96 64]/Resources \(own)/Contents 4 0 R\(entries)>>"
    return file(
      [
        Array("<</Type/Catalog/Pages 2 0 R>>".utf8),
        Array("<</Type/Pages/Kids[3 0 R]/Count 1>>".utf8), Array(page.utf8),
        stream(Array(content.utf8)), picture,
      ] + others)
  }

  private static func jpeg(_ bytes: [UInt8], _ space: String) -> [UInt8] {
    stream(
      bytes,
      "/Type/XObject/Subtype/Image/Width 96/Height 64/BitsPerComponent 8/ColorSpace\(space)"
        + "/Filter/DCTDecode")
  }

  private func verify(_ bytes: [UInt8]) throws -> VerificationReport {
    try TestBook([TestPicture(1)]).verify(bytes, expecting: false, as: "other")
  }

  /// Default spaces of resources, where they lie, with what they lead to as object 6.
  @Test(arguments: [
    ("/ColorSpace<</DefaultRGB 6 0 R>>", "[/CalRGB<</WhitePoint[0.95 1 1.09]/Gamma[2 2 2]>>]"),
    ("/ColorSpace 6 0 R", "<</DefaultRGB[/CalRGB<</WhitePoint[0.95 1 1.09]/Gamma[2 2 2]>>]>>"),
    ("/ColorSpace<</DefaultRGB[/ICCBased 7 0 R]>>", "null"),
  ])
  func defaultSpaces(resources: String, object: String) throws {
    let picture = Self.jpeg(TestPicture(1).jpeg(), "/DeviceRGB")
    let profile = Self.stream(TestProfile.swapped, "/N 3")
    let report = try verify(Self.page(resources: resources, picture: picture, [Array(object.utf8), profile]))
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  /// In an object stream nothing can be overwritten.
  @Test(arguments: ["/ColorSpace<</DefaultRGB 6 0 R>>", "/ColorSpace 7 0 R"])
  func packedDefaultSpaces(resources: String) throws {
    let bytes = Self.page(
      resources: resources, picture: Self.jpeg(TestPicture(1).jpeg(), "/DeviceRGB"),
      [
        Array("[/CalRGB<</WhitePoint[0.95 1 1.09]/Gamma[2 2.5 2]>>]".utf8),
        Array("<</DefaultRGB 6 0 R/Other[/CalGray<</WhitePoint[0.95 1 1.09]>>]>>".utf8),
      ])
    let folder = TestFolder()
    let (path, other) = (folder.write(bytes, as: "plain.pdf"), folder.file("packed.pdf"))
    let options = ["--object-streams=generate", "--compress-streams=n", path, other]
    guard try runTool("qpdf", options) != nil else { return }
    let packed = folder.read("packed.pdf")
    #expect(String(decoding: packed, as: Unicode.ASCII.self).contains("/ObjStm"))
    let report = try verify(packed)
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  @Test func inheritedDefaultSpaces() throws {
    let picture = Self.jpeg(TestPicture(1).jpeg(), "/DeviceRGB")
    let report = try verify(
      Self.file([
        Array("<</Type/Catalog/Pages 2 0 R>>".utf8),
        Array(
          ("<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</XObject<</P 5 0 R>>/ColorSpace"
            + "<</DefaultRGB[/CalRGB<</WhitePoint[0.95 1 1.09]/Gamma[2 2 2]>>]>>>>>>").utf8),
        Array("<</Type/Page/Parent 2 0 R/MediaBox[0 0 96 64]/Contents 4 0 R>>".utf8),
        Self.stream(Array("96 0 0 64 0 0 cm /P Do".utf8)), picture,
      ]))
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  @Test(arguments: ["/DeviceRGB", "[/ICCBased 6 0 R]"])
  func profilesOfPageGroups(space: String) throws {
    let picture = Self.jpeg(TestPicture(1).jpeg(), space)
    let report = try verify(
      Self.page(
        entries: "/Group<</S/Transparency/I true/CS[/ICCBased 6 0 R]>>", picture: picture,
        [Self.stream(TestProfile.swapped, "/N 3")]))
    #expect(report.lines == [])
    #expect(report.comparisons() == [space == "/DeviceRGB" ? .equal : .equalWithoutProfile])
  }

  private static func adobeSegment(_ bytes: [UInt8]) throws -> Range<Int> {
    let mark: [UInt8] = [0xff, 0xee, 0, 14] + Array("Adobe".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: mark) })
    return start..<start + 16
  }

  /// Whether CMYK is inverted the Decode array says, and not the Adobe segment.
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func cmykWithAndWithoutAdobeSegments(hasSegment: Bool, isInverted: Bool) throws {
    var bytes = TestPicture(1, components: 4).jpeg(quality: 95)
    let segment = try Self.adobeSegment(bytes)
    if !hasSegment { bytes.removeSubrange(segment) }
    let decode = isInverted ? "/Decode[1 0 1 0 1 0 1 0]" : ""
    let report = try verify(Self.page(picture: Self.jpeg(bytes, "/DeviceCMYK" + decode)))
    #expect(report.lines == [])
    guard case .rough = report.comparisons().first else {
      Issue.record("\(report.comparisons())")
      return
    }
  }

  /// YCCK has the segment that says so, and is inverted by a Decode array alone, too.
  @Test(arguments: [true, false]) func yccks(isInverted: Bool) throws {
    var bytes = TestPicture(1, components: 4).jpeg(quality: 95)
    let segment = try Self.adobeSegment(bytes)
    bytes[segment.upperBound - 1] = 2
    let decode = isInverted ? "/Decode[1 0 1 0 1 0 1 0]" : ""
    let report = try verify(Self.page(picture: Self.jpeg(bytes, "/DeviceCMYK" + decode)))
    #expect(report.lines == [])
    guard case .rough(let decibels) = report.comparisons().first else {
      Issue.record("\(report.comparisons())")
      return
    }
    // Inverted the other way it is far from that.
    #expect(decibels > 15)
  }

  /// A picture with a soft mask, behind which there is what the content paints.
  @Test(arguments: [
    "", "0.2 0.5 0.7 rg 0 0 96 64 re f ",
    // Only below a part of it.
    "0.2 0.5 0.7 rg 20 20 30 30 re f ",
    "0.2 0.5 0.7 rg 20 20 30 30 re f 20.3 20.4 30.2 20.1 re W n ",
    "10.2 10.3 50.3 40.1 re W n ", "0.9 0.1 0.1 0 k 0 0 96 64 re f ",
    "0 0 m 96 0 l 40 64 l f ", "/P Do q 50 0 0 30 20 20 cm /P Do Q ",
    "0 0 0 rg 0 0 96 64 re f ",
  ])
  func softMasks(below: String) throws {
    func picture(_ mask: String) -> [UInt8] {
      Self.stream(
        (0..<96 * 64 * 3).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: index * 7 / 5) },
        "/Type/XObject/Subtype/Image/Width 96/Height 64/BitsPerComponent 8/ColorSpace/DeviceRGB"
          + mask)
    }
    let mask = Self.stream(
      (0..<96 * 64).map { (index: Int) -> UInt8 in UInt8(min(255, index % 96 * 4)) },
      "/Type/XObject/Subtype/Image/Width 96/Height 64/BitsPerComponent 8/ColorSpace/DeviceGray")
    let content = "q " + below + "96 0 0 64 0 0 cm /P Do Q"
    let report = try verify(
      Self.page(content, picture: picture("/SMask 6 0 R"), [mask]))
    // A picture that another one covers is only noted.
    #expect(!report.lines.contains { $0.contains("error") }, "\(report.lines)")
    guard case .within = report.comparisons().last else {
      Issue.record("\(report.comparisons())")
      return
    }
  }

  @Test(arguments: ["\u{feff}", ""]) func encodingsOfMetadata(mark: String) throws {
    let packet =
      mark + "<x:xmpmeta xmlns:x='adobe:ns:meta/'>"
      + "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
      + "xmlns:dc='http://purl.org/dc/elements/1.1/' dc:title='Ein Sommer — 夏'/></rdf:RDF></x:xmpmeta>"
    let scalars = packet.unicodeScalars.map(\.value)
    let forms: [[UInt8]] = [
      Array(packet.utf8), packet.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] },
      packet.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] },
      scalars.flatMap { value in [24, 16, 8, 0].map { UInt8(value >> UInt32($0) & 0xff) } },
      scalars.flatMap { value in [0, 8, 16, 24].map { UInt8(value >> UInt32($0) & 0xff) } },
    ]
    let meant = try #require(XMPForm(forms[0]))
    for form in forms {
      #expect(XMLChecker.problem(with: form) == nil)
      let found = try #require(XMPForm(form))
      #expect(found.digest == meant.digest)
      #expect(found.properties == meant.properties)
      #expect(XMLChecker.problem(with: form.dropLast(3)) != nil)
    }
  }

  @Test(arguments: [
    ("D:20231114221320+01'00'", "2023-11-14T22:13:20+01:00", true),
    ("D:20231114221320+01'00'", "2023-11-14T21:13Z", true),
    ("D:202311142213+01'00'", "2023-11-14T22:13:20+01:00", true),
    ("D:202311142213", "2023-11-14T22:13", true),
    ("D:2023111422+01", "2023-11-14T22:13:20+01:00", true),
    ("D:20231114", "2023-11-14T22:13:20+01:00", true), ("D:2023", "2023-11", true),
    ("D:20231114221320+01'00'", "2023-11-14T22:14+01:00", false),
    ("D:20231114221320Z", "2023-11-14T22:13:21Z", false), ("D:20231114", "2023-11-15", false),
    ("D:20231114221320+01'00'", "2023-11-14T22:13Z", false),
  ])
  func datesOfAnyPrecision(info: String, packet: String, isSame: Bool) throws {
    let (first, second) = (try #require(PDFDate(info)), try #require(PDFDate(packet)))
    #expect(first.isSame(as: second) == isSame)
    #expect(second.isSame(as: first) == isSame)
  }

  /// A size that UserUnit makes is told with it.
  @Test func userUnits() throws {
    let picture = Self.jpeg(TestPicture(1).jpeg(), "/DeviceRGB")
    let folder = TestFolder()
    let bytes = Self.page(entries: "/UserUnit 2", picture: picture)
    let result = try runVerifier(["--size", "96x64", "--dpi", "50", folder.write(bytes, as: "unit.pdf")])
    #expect(result.status == 4)
    let lines = result.text.split(separator: "\n").filter { $0.contains("error: ") }
    #expect(lines.count == 1, "\(result.text)")
    #expect(
      result.text.contains(
        "page 1: error: the page's UserUnit is 2, which makes it 192 x 128 points instead of 96 x 64\n"
      ))
    // Only the resolution is wrong if no page size is expected.
    let other = try runVerifier(["--dpi", "50", folder.file("unit.pdf")])
    #expect(
      other.text.contains(
        "picture 1 has 36 pixels per inch; at least 50 are wanted; its UserUnit is 2"))
  }

  /// A UserUnit on a book's page is reported once, before anything else.
  @Test func userUnitsOfBooks() throws {
    let book = try TestBook([TestPicture(1)], caption: "A caption")
    let (number, text) = try book.object(beginning: "<</Type/Page/")
    let report = try book.verify(
      book.updated([number: text.replacing("/Type/Page/", with: "/Type/Page/UserUnit 75000/")]))
    #expect(report.lines.count == 1, "\(report.lines)")
    #expect(
      report.lines.first?.hasPrefix(
        "1: error: the page's UserUnit is 75000, which makes it 5400000 x ") == true,
      "\(report.lines)")
  }

  /// A page beyond the sides that PDF has without one.
  @Test(arguments: [("150", false), ("151", true), ("75000", true)])
  func pagesBeyondAllSides(unit: String, isTold: Bool) throws {
    let picture = Self.jpeg(TestPicture(1).jpeg(), "/DeviceRGB")
    let report = try verify(Self.page(entries: "/UserUnit \(unit)", picture: picture))
    let size = (Int(unit)! * 96, Int(unit)! * 64)
    #expect(
      report.lines
        == (isTold
          ? [
            "1: warning: the page's UserUnit is \(unit), which makes it \(size.0) x \(size.1) points; "
              + "without one, sides end at 14,400"
          ] : []))
  }

  /// A program that writes the same file with the version that it always writes.
  @Test func loweredVersions() throws {
    let book = try TestBook([TestPicture(1)])
    let report = try book.verify(book.replacing("%PDF-1.4", "%PDF-1.3"), expecting: false)
    #expect(
      report.lines == [
        "warning: the file states PDF 1.3 and was written as PDF 1.4; readers ignore that"
      ])
    #expect(report.isVerified)
  }
}
