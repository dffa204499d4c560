import ImageCore
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

@testable import PDFBook
@testable import TextShaping

/// Changes that leave a book well formed but change its meaning: each one must be reported.
@Suite struct VandalismTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    /// The beginning of the object that is changed.
    let object: String
    let old: String
    let new: String
    let line: String

    init(_ name: String, in object: String, _ old: String, _ new: String, _ line: String) {
      (self.name, self.object, self.old, self.new, self.line) = (name, object, old, new, line)
    }

    var testDescription: String { name }
  }

  private static let document = "error: the document is not as it was written: "
  private static let page = "1: error: the page is not as it was written: "
  private static let font = "error: the font "

  /// Entries of the catalogue that imghost does not write.
  private static let catalogueEntries = [
    "OCProperties<</OCGs[]/D<<>>>>", "Threads[]", "URI<</Base(http://a.b/)>>", "Dests<<>>",
    "Collection<<>>", "Requirements[]", "Perms<<>>", "Legal<<>>", "SpiderInfo<<>>",
    "NeedsRendering true", "AF[]", "DSS<<>>",
  ].map { entry in
    let key = entry.prefix { $0.isLetter }
    return Change(
      "\(key) in the catalogue", in: "<</Type/Catalog", "/Pages", "/\(entry)/Pages",
      document + "the catalogue has the entry '\(key)', which imghost never writes")
  }

  static let changes =
    catalogueEntries + [
      Change(
        "an output intent for print", in: "<</Type/Catalog", "/S/GTS_PDFA1", "/S/GTS_PDFX",
        "error: the output intent, which says what colours mean, was changed"),
      Change(
        "the output intent's name", in: "<</Type/Catalog", "Identifier(sRGB IEC61966-2.1)",
        "Identifier(FOGRA39)", "error: the output intent, which says what colours mean, was changed"
      ),
      Change(
        "no output intent", in: "<</Type/Catalog", "/OutputIntents[", "/PieceInfu[",
        "error: the output intent, which says what colours mean, is missing"),
      Change(
        "a node of the page tree with actions", in: "<</Type/Pages", "/Kids", "/AA<<>>/Kids",
        document + "object"),
      Change(
        "classes of attributes", in: "<</Type/StructTreeRoot", "/K ", "/ClassMap<<>>/K ",
        document + "the structure of tags has the entry 'ClassMap'"),
      Change(
        "an outline that zooms in", in: "<</Title(One)", "/Fit]", "/XYZ 0 0 64]",
        document + "entry 2 of the outline does not show the whole of a page"),
      Change(
        "an outline of another colour", in: "<</Title(One)", "/Dest", "/C[1 0 0]/F 3/Dest",
        document + "entry 2 of the outline has the entry 'C'"),
      Change(
        "an outline that starts a program", in: "<</Title(One)", "/Dest",
        "/A<</S/Launch/F(x)>>/Dest", document + "entry 2 of the outline has the entry 'A'"),
      Change(
        "an open outline", in: "<</Title(All)", "/Count -4", "/Count 4",
        document + "entry 1 of the outline is expanded"),
      Change(
        "a link that leads to two places", in: "<</Type/Annot", "/A<<",
        "/A<</S/URI/URI(http://a.b)>>/A<<", "error: object"),
      Change(
        "a title twice", in: "<</Title(One)", "/Title", "/Title(Two)/Title", "error: object"),
      Change(
        "tabs in another order", in: "<</Type/Page/", "/Tabs/S", "/Tabs/R",
        page + "its tab order was changed"),
      Change(
        "no order of tabs", in: "<</Type/Page/", "/Tabs/S", "",
        page + "its tab order was changed"),
      Change(
        "a frame around a link", in: "<</Type/Annot", "[0 0 0]", "[0 0 9]",
        page + "link 1 has a border"),
      Change(
        "no word of a link's frame", in: "<</Type/Annot", "/Border[0 0 0]", "",
        page + "link 1 has a border"),
      Change(
        "another name of a font", in: "<</Type/Font/Subtype/Type0", "/BaseFont/",
        "/BaseFont/Other", font),
      Change(
        "a font's glyphs upright", in: "<</Type/Font/Subtype/CIDFont", "/BaseFont",
        "/DW2[500 -500]/BaseFont", font),
      Change(
        "a font's order of signs", in: "<</Type/Font/Subtype/CIDFont", "(Identity)", "(Japan1)",
        font),
      Change(
        "a font described as a script", in: "<</Type/FontDescriptor", "/Flags ", "/Flags 1", font),
      Change(
        "a font described as slanted", in: "<</Type/FontDescriptor", "/ItalicAngle ",
        "/ItalicAngle 4", font),
      Change(
        "a font's box", in: "<</Type/FontDescriptor", "/FontBBox[", "/FontBBox[1", font),
    ]

  /// Changes made in place to a stream's dictionary or to the trailer.
  static let patches: [(name: String, old: String, new: String, line: String)] = [
    (
      "no identifier in an archive", "/ID[", "/IX[", "error: the document claims PDF/A-2 but its trailer has no ID"
    ),
    (
      "metadata of another kind", "/Type/Metadata/Subtype/XML", "/Type/Metadata/Subtype/TXT",
      document + "the XMP metadata has the wrong Subtype"
    ),
    (
      "metadata that call themselves otherwise", "/Type/Metadata/Subtype/XML",
      "/Type/Metadata/Subtypo/XML", document + "the XMP metadata has the entry 'Subtypo'"
    ),
    ("the length of a font", "/Length1 ", "/Length2 ", font),
    ("the set of a font's codes", "/CIDSet ", "/CIDSot ", font),
  ]

  @Test(arguments: sampled(VandalismTests.patches))
  func isTold(name: String, old: String, new: String, line: String) throws {
    let book = try Self.book.get()
    try #require(!book.places(of: old).isEmpty)
    let lines = try book.verify(book.replacing(old, new), expecting: false, as: name).lines
    #expect(lines.contains { $0.hasPrefix(line) }, "\(line) is not among \(lines)")
  }

  @Test func theBookItselfVerifies() throws {
    #expect(try Self.book.get().verify(expecting: false).lines == [])
  }

  @Test(arguments: sampled(VandalismTests.changes)) func isTold(change: Change) throws {
    let book = try Self.book.get()
    let (number, object) = try book.object(beginning: change.object)
    let changed = object.replacing(change.old, with: change.new, maxReplacements: 1)
    try #require(changed != object)
    let report = try book.verify(
      book.updated([number: changed]), expecting: false, as: change.name)
    #expect(
      report.lines.contains { $0.hasPrefix(change.line) },
      "\(change.line) is not among \(report.lines)")
    #expect(!report.isVerified)
  }

  /// The profile that says what colours mean.
  @Test func theProfileOfAnIntentCounts() throws {
    let book = try Self.book.get()
    let (_, catalogue) = try book.object(beginning: "<</Type/Catalog")
    let start = catalogue.ranges(of: "/DestOutputProfile ")[0].upperBound
    let number = try #require(Int(catalogue[start...].prefix { $0.isNumber }))
    let (page, _) = try book.object(beginning: "<</Length ")
    let changed = catalogue.replacing("/DestOutputProfile \(number) ", with: "/DestOutputProfile \(page) ")
    let (object, _) = try book.object(beginning: "<</Type/Catalog")
    let lines = try book.verify(book.updated([object: changed]), expecting: false, as: "intent").lines
    let line = "error: the output intent, which says what colours mean, was changed"
    #expect(lines.contains { $0.hasPrefix(line) }, "\(lines)")
  }

  /// Changed decompression parameters are reported in an array too, which readers accept.
  @Test func parametersInAListAreTold() throws {
    let book = try TestBook([TestPicture(1)])
    let filter = "/Filter/DCTDecode"
    // Objects behind it move, and are found nevertheless.
    let changed = filter + "/DecodeParms[<</ColorTransform 0>>]"
    var bytes = book.bytes
    let start = book.offset(of: "startxref\n") + "startxref\n".utf8.count
    let digits = bytes[start...].prefix { $0 != 10 }
    let stated = try #require(Int(String(decoding: digits, as: UTF8.self)))
    bytes.replaceSubrange(digits.indices, with: String(stated + changed.utf8.count - filter.utf8.count).utf8)
    let place = book.offset(of: filter)
    bytes.replaceSubrange(place..<place + filter.utf8.count, with: changed.utf8)
    let lines = try book.verify(bytes, expecting: false, as: "list").lines
    let line = Self.page + "picture 1 has another ColorTransform"
    #expect(lines.contains { $0.hasPrefix(line) }, "\(lines)")
  }

  /// For an archive, tagged, with an outline, links and a text.
  private static let book = Result {
    var settings = DocumentSettings(info: DocumentInfo(title: "Summer"))
    settings.isTagged = true
    settings.language = "en"
    settings.conformance = .pdfA2b
    let block = try TextLayouter().layout("Paris in May", style: TextStyle(size: 9, alignment: .start), width: 70)
    return try TestBook(settings: settings) { writer, _ in
      for (number, title) in ["One", "Two", "Three", "Four"].enumerated() {
        let reference = try writer.add(PDFPicture(jpeg: TestPicture(number + 1).jpeg(quality: 95)))
        let rectangle = PageRectangle(left: 0, bottom: 40, width: 72, height: 48)
        var placement = Placement(reference, in: rectangle)
        placement.alternative = title
        var page = PDFPage(size: PageSize(width: 72, height: 88), placements: [placement])
        page.texts = [PlacedText(block, left: 1, top: 38, role: .caption(0))]
        page.outlines = [["All", title]]
        var link = PageLink("https://example.org/\(title)", over: rectangle)
        link.placement = 0
        page.links = [link]
        try writer.addPage(page)
      }
    }
  }
}
