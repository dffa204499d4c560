import PDFTestSupport
import PDFVerify
import Testing

/// Handmade files with one fault each that none of our writers can produce.
@Suite struct HandmadeFaultsTests {
  /// They are blank (PDF 32000-1:2008, table 30).
  @Test func pagesNeedNoContent() throws {
    let book = try TestBook([TestPicture(1)])
    let bytes = TestBook.file([
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<<>>>>",
    ])
    #expect(try book.verify(bytes, expecting: false).lines == ["1: warning: the page is blank"])
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let line: String
    var content = "0 0 9 9 re f"
    /// Further entries of the content stream's dictionary.
    var filter = ""
    /// Further entries of the page, its resources and the catalogue.
    var page = ""
    var resources = ""
    var catalogue = ""
    /// Further objects, numbered from 5.
    var objects: [String] = []

    var testDescription: String { name }

    /// The file. Objects 1 to 4 are the catalogue, the page tree, the page and its content.
    var bytes: [UInt8] {
      TestBook.file(
        [
          "<</Type/Catalog/Pages 2 0 R\(catalogue)>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
          "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]\(page)/Resources<<\(resources)>>"
            + "/Contents 4 0 R>>", HandmadeFaultsTests.stream(content, filter),
        ] + objects)
    }
  }

  static func stream(_ text: String, _ entries: String = "") -> String {
    "<<\(entries)/Length \(text.utf8.count)>>stream\n\(text)\nendstream"
  }

  private static func metadata(_ name: String, _ line: String, _ text: String) -> Row {
    Row(
      name: name, line: "error: the document's metadata (XMP) is not well-formed: " + line,
      catalogue: "/Metadata 5 0 R", objects: [stream(text, "/Type/Metadata/Subtype/XML")])
  }

  private static func font(_ name: String, _ line: String, _ objects: [String], catalogue: String = "") -> Row {
    Row(
      name: name, line: line, content: "BT /F 9 Tf 9 9 Td (A) Tj ET",
      resources: "/Font<</F 5 0 R>>",
      catalogue: catalogue, objects: objects)
  }

  private static let archive =
    "<x xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/' pdfaid:part='2'/>"

  static let rows: [Row] = [
    Row(
      name: "script under PDF/A",
      line: "1: error: the page has an action of the kind JavaScript, which PDF/A-2 forbids",
      page: "/AA<</O<</S/GoTo/Next<</S/JavaScript>>>>>>", catalogue: "/Metadata 5 0 R",
      objects: [stream(archive, "/Type/Metadata/Subtype/XML")]),
    Row(
      name: "archive without intent",
      line: "warning: the document claims PDF/A-2 but has no output intent",
      catalogue: "/Metadata 5 0 R", objects: [stream(archive, "/Type/Metadata/Subtype/XML")]),
    Row(
      name: "unknown filter",
      line: "1: error: picture 1 cannot be decoded: it uses the unknown filter 'DCTDecodf'",
      content: "q 9 0 0 9 0 0 cm /P Do Q", resources: "/XObject<</P 5 0 R>>",
      objects: [
        stream(
          "x",
          "/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8"
            + "/Filter[/FlateDecode/DCTDecodf]")
      ]),
    Row(
      name: "trim box outside", line: "1: error: the TrimBox is not inside the MediaBox",
      page: "/TrimBox[0 0 100 99]"),
    Row(
      name: "trim box outside the bleed", line: "1: error: the TrimBox is not inside the BleedBox",
      page: "/BleedBox[5 5 90 90]/TrimBox[4 5 90 90]"),
    Row(
      name: "art box without numbers", line: "1: error: the ArtBox is not a rectangle",
      page: "/ArtBox[0 0 9]"),
    Row(
      name: "crop box elsewhere",
      line: "1: error: the CropBox is not a rectangle inside the MediaBox",
      page: "/CropBox[200 200 300 300]"),
    Row(
      name: "user unit", line: "1: error: the UserUnit is 0.5; it goes from 1 to",
      page: "/UserUnit 0.5"),
    Row(
      name: "text outside", line: "1: error: the page's content has 'Tj' outside 'BT' and 'ET'",
      content: "(A) Tj"),
    Row(
      name: "text in text", line: "1: error: the page's content has 1 'BT' without 'ET'",
      content: "BT BT ET"),
    Row(
      name: "marked content", line: "1: error: the page's content has 1 'BMC' without 'EMC'",
      content: "/Figure BMC 0 0 9 9 re f"),
    Row(
      name: "marks ended twice", line: "1: error: the page's content has 1 'EMC' without 'BMC'",
      content: "/Figure BMC EMC EMC"),
    Row(
      name: "operands", line: "1: error: the page's content gives the operator 'cm' operands it",
      content: "q 1 0 0 1 0 cm Q"),
    Row(
      name: "no graphics state", line: "1: error: the page draws 'G1', which its resources do not",
      content: "/G1 gs 0 0 9 9 re f"),
    Row(
      name: "deep nesting",
      line: "1: warning: the page's content nests 'q' 30 deep; readers need not support",
      content: String(repeating: "q ", count: 30) + String(repeating: "Q ", count: 30)),
    Row(
      name: "an open string", line: "1: error: the page's content is malformed at its byte",
      content: "BT (open Tj ET"),
    Row(
      name: "compressed for no reason",
      line: "1: error: the page's compressed content is damaged", filter: "/Filter/FlateDecode"),
    Row(
      name: "content of another kind",
      line: "1: warning: the page's content is compressed with LZWDecode and was not checked",
      filter: "/Filter/LZWDecode"),
    metadata("open element", "element 'x' is never closed", "<x><y/>"),
    metadata("crossed elements", "'y' is closed as 'x'", "<x><y></x></y>"),
    metadata("unquoted", "element 'x': the value of attribute 'a' is not quoted", "<x a=1/>"),
    metadata("twice", "element 'x': duplicate attribute 'a'", "<x a='1' a='2'/>"),
    metadata("ampersand", "the reference '&nbsp;' is unknown", "<x>&nbsp;</x>"),
    metadata("nothing", "it has no element", "<?xpacket end='w'?>"),
    Row(
      name: "metadata elsewhere",
      line: "error: the document's metadata (XMP) is not well-formed: it is missing",
      catalogue: "/Metadata 77 0 R"),
    font(
      "font that readers lack", "1: error: the font Garamond is not embedded; readers may",
      ["<</Type/Font/Subtype/TrueType/BaseFont/Garamond/Encoding/WinAnsiEncoding>>"]),
    font(
      "font under PDF/A", "1: error: the font Helvetica is not embedded, which PDF/A-1 requires",
      [
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        stream("<r><pdfaid:part>1</pdfaid:part></r>"),
      ], catalogue: "/Metadata 6 0 R"),
    font(
      "cut font", "1: error: the font Garamond cannot be used: its program is cut off",
      [
        "<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Garamond/Encoding/WinAnsiEncoding"
          + "/FontDescriptor 6 0 R>>", "<</Type/FontDescriptor/FontFile2 7 0 R>>",
        stream("true\u{0}\u{9}12345678901234567890"),
      ]),
    font(
      "no font program",
      "1: error: the font Garamond cannot be used: it is not a TrueType or OpenType font",
      [
        "<</Type/Font/Subtype/Type0/BaseFont/Garamond/DescendantFonts[6 0 R]/ToUnicode 8 0 R>>",
        "<</Type/Font/Subtype/CIDFontType2/FontDescriptor 7 0 R>>",
        "<</Type/FontDescriptor/FontFile2 8 0 R>>", stream("not a font at all"),
      ]),
    font(
      "lost font program", "1: error: the font Garamond cannot be used: the file lacks its program",
      [
        "<</Type/Font/Subtype/Type0/BaseFont/Garamond/DescendantFonts[6 0 R]>>",
        "<</Type/Font/Subtype/CIDFontType2/FontDescriptor<</FontFile2 66 0 R>>>>",
      ]),
    font(
      "unsearchable font", "1: warning: text in the font Garamond cannot be searched",
      [
        "<</Type/Font/Subtype/Type0/BaseFont/Garamond/DescendantFonts[6 0 R]>>",
        "<</Type/Font/Subtype/CIDFontType2/FontDescriptor<</FontFile2 66 0 R>>>>",
      ]),
  ]

  @Test(arguments: HandmadeFaultsTests.rows) func isNamed(row: Row) throws {
    let report = try TestBook([TestPicture(1, width: 8, height: 8)]).verify(row.bytes, expecting: false)
    #expect(
      report.lines.contains { $0.hasPrefix(row.line) },
      "\(row.line) is not among \(report.lines)")
  }

  static let hybrids: [(String, String, String)] = [
    ("/Type/ObjStm", "/Type/ObjXtm", "error: the object stream in object 4 is missing or damaged"),
    (
      "6 0 <</Type/Page", "7 0 <</Type/Page",
      "error: the cross-reference table puts object 6 into the object stream 4, which does not contain"
    ),
    ("/W[1 1 1]", "/W[1 9 1]", "error: the cross-reference table is malformed at byte"),
    ("/XRefStm ", "/XRefStm 9", "error: the cross-reference table is missing at byte"),
  ]

  @Test(arguments: HandmadeFaultsTests.hybrids)
  func brokenObjectStreams(old: String, new: String, line: String) throws {
    let text = String(decoding: HybridFile.bytes, as: Unicode.UTF8.self).replacing(old, with: new)
    let report = try TestBook([TestPicture(1, width: 8, height: 8)]).verify(Array(text.utf8), expecting: false)
    #expect(
      report.lines.contains { $0.hasPrefix(line) }, "\(line) is not among \(report.lines)")
  }
}
