import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Documents that claim PDF/X: right ones, and each rule of ISO 15930 broken.
@Suite struct PrintTests {
  /// The books that imghost writes.
  @Test(arguments: [Conformance.pdfX1a, .pdfX4]) func books(_ conformance: Conformance) throws {
    var settings = DocumentSettings(info: DocumentInfo(title: "Summer", author: "Ann"))
    settings.info.creationTime = 1_700_000_000
    settings.conformance = conformance
    let book = try TestBook(settings: settings) { writer, add in
      let picture = try writer.add(
        PDFPicture(jpeg: TestPicture(1, components: conformance == .pdfX1a ? 4 : 3).jpeg(quality: 95)))
      let page = try PageSetup().page(picture).prepared(for: settings)
      add(page, [])
      try writer.addPage(page)
    }
    #expect(try book.verify(expecting: false).lines == [])
  }

  private static let statements = [
    "dc:title>Summer</dc:title", "xmp:CreateDate>2026-01-01</xmp:CreateDate",
    "xmp:ModifyDate>2026-01-01</xmp:ModifyDate", "xmp:MetadataDate>2026-01-01</xmp:MetadataDate",
    "xmpMM:DocumentID>uuid:1</xmpMM:DocumentID", "xmpMM:VersionID>1</xmpMM:VersionID",
    "xmpMM:RenditionClass>default</xmpMM:RenditionClass", "pdf:Trapped>False</pdf:Trapped",
    "pdfxid:GTS_PDFXVersion>PDF/X-4</pdfxid:GTS_PDFXVersion",
  ]

  /// A page with a CMYK picture.
  ///
  /// - Parameters:
  ///   - changes: texts in the objects and the trailer, and others in their place.
  ///   - profile: the device class and colour space of the output intent.
  private static func document(modern: Bool, _ changes: [(String, String)], profile: String = "prtrCMYK") -> [UInt8] {
    let spaces =
      "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\" "
      + "xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmlns:xmpMM=\"http://ns.adobe.com/xap/1.0/mm/\" "
      + "xmlns:pdfxid=\"http://www.npes.org/pdfx/ns/id/\""
    let packet =
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
      + "<rdf:Description rdf:about=\"\" \(spaces)>\(statements.map { "<\($0)>" }.joined())</rdf:Description></rdf:RDF>"
      + "</x:xmpmeta>"
    var icc = [UInt8](repeating: 0, count: 140)
    icc.replaceSubrange(12..<20, with: Array(profile.utf8))
    icc.replaceSubrange(36..<40, with: Array("acsp".utf8))
    func changed(_ text: String) -> [UInt8] {
      Array(changes.reduce(text) { $0.replacing($1.0, with: $1.1) }.utf8)
    }
    func stream(_ entries: String, _ bytes: [UInt8]) -> [UInt8] {
      changed("<<\(entries)/Length \(bytes.count)>>stream\n") + bytes + Array("\nendstream".utf8)
    }
    let objects = [
      changed(
        "<</Type/Catalog/Pages 2 0 R\(modern ? "/Metadata 8 0 R" : "")/OutputIntents[<</Type/OutputIntent/S/GTS_PDFX"
          + "/OutputConditionIdentifier(FOGRA39)/RegistryName(http://www.color.org)/DestOutputProfile 6 0 R>>]>>"),
      changed("<</Type/Pages/Kids[3 0 R]/Count 1>>"),
      changed(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 96 64]/TrimBox[0 0 96 64]/Resources<</XObject<</P 5 0 R>>>>"
          + "/Contents 4 0 R>>"),
      stream("", changed("96 0 0 64 0 0 cm /P Do")),
      stream(
        "/Type/XObject/Subtype/Image/Width 96/Height 64/BitsPerComponent 8/ColorSpace/DeviceCMYK/Filter/DCTDecode",
        TestPicture(1, components: 4).jpeg(quality: 95)),
      stream("/N 4", icc),
      changed(
        "<</Title(Summer)/Creator(a)/Producer(b)/CreationDate(D:20260101)/ModDate(D:20260101)/Trapped/False"
          + (modern ? ">>" : "/GTS_PDFXVersion(PDF/X-1a:2003)>>")),
      stream("/Type/Metadata/Subtype/XML", changed(packet)),
    ]
    var bytes = Array("%PDF-1.4\n".utf8)
    var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for (index, object) in objects.enumerated() {
      let digits = String(bytes.count)
      table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
      bytes += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
    }
    let start = bytes.count
    let trailer = changed("trailer\n<</Size \(objects.count + 1)/Root 1 0 R/Info 7 0 R/ID[<00><00>]>>\n")
    return bytes + Array(table.utf8) + trailer + Array("startxref\n\(start)\n%%EOF\n".utf8)
  }

  private func reasons(_ bytes: [UInt8]) throws -> [String] {
    try TestBook([TestPicture(1)]).verify(bytes, expecting: false, as: "print").lines
      .filter { $0.contains("does not conform") }
  }

  @Test(arguments: [false, true]) func rightDocuments(modern: Bool) throws {
    #expect(try reasons(Self.document(modern: modern, [])) == [])
  }

  /// PDF/X-3 allows the device colours of its output intent (ISO 15930-6, 6.2.3).
  @Test(arguments: [("prtrRGB ", "DeviceCMYK"), ("prtrCMYK", "DeviceRGB")])
  func deviceColours(profile: String, wrong: String) throws {
    let changes = [("PDF/X-1a:2003", "PDF/X-3:2003"), ("/P Do", "/P Do 1 0 0 rg 0 0 0 1 k")]
    let reasons = try reasons(Self.document(modern: false, changes, profile: profile))
    #expect(reasons.contains { $0.contains("its content has colours in \(wrong)") }, "\(reasons)")
    #expect(reasons.allSatisfy { $0.contains(wrong) }, "\(reasons)")
  }

  /// Broken in both parts.
  static let common: [(old: String, new: String, reason: String)] = [
    ("GTS_PDFX/", "GTS_PDFA1/", "it has no output intent GTS_PDFX"),
    ("(FOGRA39)", "()", "its output intent has no OutputConditionIdentifier"),
    ("/RegistryName(http://www.color.org)", "", "its output intent has neither RegistryName nor Info"),
    ("/DestOutputProfile 6 0 R", "/DestOutputProfile 99 0 R", "the profile of its output intent is missing or damaged"),
    ("/ID[<00><00>]", "", "its trailer has no ID"),
    ("/TrimBox[0 0 96 64]", "", "the page has neither TrimBox nor ArtBox"),
    ("/TrimBox", "/ArtBox[0 0 96 64]/TrimBox", "the page has both TrimBox and ArtBox"),
    ("/Contents 4", "/AA<</O<</S/Named/N/NextPage>>>>/Contents 4", "the page has actions"),
    (
      "/Contents 4", "/Annots[<</Type/Annot/Subtype/Link/Rect[1 1 9 9]>>]/Contents 4",
      "an annotation of the kind Link lies on the printed area"
    ),
    ("/Pages 2 0 R", "/Pages 2 0 R/OpenAction<</S/JavaScript/JS(x)>>", "it has actions"),
    ("/Pages 2 0 R", "/Pages 2 0 R/Names<</JavaScript<<>>>>", "it has scripts"),
    ("/P Do", "/P Do 1 0 0 rg", "its content has colours in DeviceRGB"),
    (
      "/Resources<<", "/Resources<</ExtGState<</G<</TR 4 0 R>>>>", "the graphics state 'G' has a transfer function"
    ),
    (
      "/ColorSpace/DeviceCMYK", "/ColorSpace[/Indexed/DeviceRGB 1 <000000ffffff>]",
      "the colours of picture 'P' are DeviceRGB"
    ),
    ("/Filter/DCTDecode", "/Filter[/LZWDecode/DCTDecode]", "picture 'P' is compressed with LZW"),
    ("/Filter/DCTDecode", "/OPI<<>>/Filter/DCTDecode", "picture 'P' has an OPI comment"),
  ]

  @Test(arguments: common.indices, [false, true]) func brokenRules(_ index: Int, modern: Bool) throws {
    let (old, new, reason) = Self.common[index]
    let found = try reasons(Self.document(modern: modern, [(old, new)]))
    #expect(found.contains { $0.contains(reason) && $0.contains(modern ? "15930-7" : "15930-4") }, "\(found)")
  }

  @Test(arguments: [
    ("/Trapped/False", "/Trapped/Unknown", "does not say whether it is trapped"),
    ("/Title(Summer)", "", "its Info dictionary has no Title"), ("/ModDate(D:20260101)", "", "has no ModDate"),
    ("/Resources<<", "/Group<</S/Transparency>>/Resources<<", "it has a transparency group"),
    ("/Resources<<", "/Resources<</ExtGState<</G<</ca 0.5>>>>", "the graphics state 'G' is transparent"),
    ("/Resources<<", "/Resources<</ExtGState<</G<</BM/Multiply>>>>", "the graphics state 'G' is transparent"),
    ("/Filter/DCTDecode", "/SMask 5 0 R/Filter/DCTDecode", "picture 'P' has a soft mask"),
    ("/ColorSpace/DeviceCMYK", "/ColorSpace[/ICCBased 6 0 R]", "the colours of picture 'P' are ICCBased"),
    ("/Filter/DCTDecode", "/Filter/JPXDecode", "picture 'P' is JPEG 2000 or JBIG2"),
    ("/BitsPerComponent 8", "/BitsPerComponent 16", "picture 'P' has 16 bits a sample"),
  ])
  func brokenRulesOfPart4(old: String, new: String, reason: String) throws {
    let found = try reasons(Self.document(modern: false, [(old, new)]))
    #expect(found.contains { $0.contains(reason) }, "\(found)")
  }

  /// Each statement is missing once.
  @Test(arguments: statements.indices.dropLast()) func missingStatements(_ index: Int) throws {
    let found = try reasons(Self.document(modern: true, [("<" + Self.statements[index] + ">", "")]))
    #expect(found.count == 1, "\(found)")
  }

  @Test func profiles() throws {
    #expect(
      try reasons(Self.document(modern: true, [], profile: "mntrCMYK")).contains { $0.contains("not of a printer") })
    #expect(
      try reasons(Self.document(modern: false, [], profile: "prtrRGB ")).contains { $0.contains("not for CMYK") })
    let same = try reasons(
      Self.document(modern: true, [("/ColorSpace/DeviceCMYK", "/ColorSpace[/ICCBased 6 0 R]")]))
    #expect(same.contains { $0.contains("are the profile of the output intent") }, "\(same)")
    // DefaultRGB gives RGB a meaning in part 7 alone.
    let meant = [
      ("/P Do", "/P Do 1 0 0 rg"), ("/Resources<<", "/Resources<</ColorSpace<</DefaultRGB[/ICCBased 6 0 R]>>"),
    ]
    #expect(try reasons(Self.document(modern: true, meant)) == [])
    #expect(try reasons(Self.document(modern: false, meant)).count == 1)
  }
}
