import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import Testing

/// Tagged books that are wrong in one way each, and files written by hand.
@Suite struct DamagedTagsTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let line: String
    let old: String
    let new: String
    var index = 0

    init(_ line: String, _ old: String, _ new: String, only index: Int = 0) {
      (self.line, self.old, self.new, self.index) = (line, old, new, index)
    }

    var testDescription: String { "\(old) -> \(new)" }
  }

  private static let structure = "error: the structure of the tagged document is broken: "
  private static let part = "2: error: the page's part of the structure is broken: "

  static let damages: [Damage] = [
    Damage(
      "2: error: the alternative text of picture 1 is 'Viaw 2' instead of 'View 2'",
      "/Alt(View 2)", "/Alt(Viaw 2)"),
    Damage(
      "3: error: the alternative text 'View 3' of picture 1 is missing", "/Alt(View 3)",
      "/Olt(View 3)"),
    Damage("warning: a figure on page 3 has no alternative text", "/Alt(View 3)", "/Olt(View 3)"),
    Damage(part + "the content has MCID 0 2 times", "<</MCID 1>>BDC", "<</MCID 0>>BDC", only: 1),
    Damage(
      part + "the element in object", "/Figure<</MCID 0>>BDC", "/Figure<</MCIX 0>>BDC", only: 1),
    Damage(
      "2: error: the page is not as it was written: no element of the structure has its MCID 7",
      "<</MCID 1>>BDC", "<</MCID 7>>BDC", only: 1),
    Damage("2: error: the page's content has 1 'BMC' without 'EMC'", "EMC\n", " n \n", only: 3),
    Damage(
      "2: error: the page is not as it was written: it has content that is neither tagged nor",
      "/Artifact BMC", "/Artifoct BMC", only: 1),
    Damage(structure + "it is missing, though", "/StructTreeRoot ", "/StructTreeReet "),
    Damage(structure + "it has no parent tree", "/ParentTree ", "/ParantTree "),
    Damage(part + "the parent tree leads from MCID 0 to", "/StructParents 2", "/StructParents 4"),
    Damage(
      part + "the page has no key in the parent tree", "/StructParents 2", "/StructPorents 2"),
    Damage(structure + "the parent tree has keys that do not rise", "/Nums[0 ", "/Nums[5 "),
    Damage(
      part + "the parent tree does not lead from the annotation", "/StructParent 3",
      "/StructParent 1"),
    Damage(structure + "the element in object", "/Type/OBJR", "/Type/OBJX", only: 1),
    Damage("error: the element in object", "<</S/Caption", "<</S/Coption", only: 1),
    Damage(structure + "object", "<</S/Caption", "<</T/Caption", only: 1),
  ]

  /// Pages with a background, a picture with a text of its own that is a link, and a caption.
  private static let book = Result {
    var settings = DocumentSettings()
    settings.isTagged = true
    settings.language = "en"
    return try TestBook(settings: settings) { writer, _ in
      for number in 1...4 {
        let reference = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        let rectangle = PageRectangle(left: 0, bottom: 20, width: 72, height: 48)
        var placement = Placement(reference, in: rectangle)
        placement.alternative = "View \(number)"
        var caption = Caption("Paris \(number)", centre: 36, baseline: 8)
        caption.placement = 0
        var page = PDFPage(
          size: PageSize(width: 72, height: 80), background: .white, placements: [placement], captions: [caption])
        var link = PageLink("https://example.org/\(number)", over: rectangle)
        link.placement = 0
        page.links = [link]
        try writer.addPage(page)
      }
    }
  }

  @Test func theBookItselfVerifies() throws {
    #expect(try Self.book.get().verify(expecting: false).lines == [])
  }

  @Test(arguments: DamagedTagsTests.damages) func isNoticed(damage: Damage) throws {
    let book = try Self.book.get()
    let name = String((damage.line + damage.new).filter(\.isLetter).suffix(80))
    let report = try book.verify(book.replacing(damage.old, damage.new, only: damage.index), expecting: false, as: name)
    #expect(
      report.lines.contains { $0.hasPrefix(damage.line) },
      "\(damage.line) is not among \(report.lines)")
  }

  @Test func elementsNameWhereTheyAre() throws {
    let book = try Self.book.get()
    var bytes = book.bytes
    let start = "/S/Figure/P "
    let digit = book.places(of: start)[1] + start.utf8.count
    bytes[digit] = bytes[digit] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
    let lines = try book.verify(bytes, expecting: false, as: "elements").lines
    let reason = "does not name the one that it is in"
    #expect(lines.contains { $0.hasPrefix(Self.structure) && $0.contains(reason) }, "\(lines)")
  }

  /// A structure tree by hand: objects 5 (root), 6 (its only element) and more; the content has MCID 0.
  struct Row: Sendable, CustomTestStringConvertible {
    let line: String
    var root = "/K 6 0 R/ParentTree<</Nums[0[6 0 R]]>>"
    var element = "/S/P/P 5 0 R/Pg 3 0 R/K 0"
    var content = "/P<</MCID 0>>BDC 0 0 9 9 re f EMC"
    var page = "/StructParents 0"
    var resources = ""
    var more: [String] = []
    var isRight = false

    var testDescription: String { line }
  }

  static let rows: [Row] = [
    Row(line: "all is well", isRight: true),
    Row(
      line: "properties by name", content: "/P /L BDC 0 0 9 9 re f EMC",
      resources: "/Properties<</L<</MCID 0>>>>", isRight: true),
    Row(
      line: "a reference to content", element: "/S/P/P 5 0 R/K[<</Type/MCR/Pg 3 0 R/MCID 0>>]",
      isRight: true),
    Row(
      line: "an element of another name",
      root: "/K[6 0 R]/RoleMap<</Plate/Figure>>"
        + "/ParentTree<</Kids[7 0 R]>>",
      element: "/S/Plate/P 5 0 R/Pg 3 0 R/K 0/ActualText<FEFF0041>",
      more: ["<</Limits[0 0]/Nums[0[6 0 R]]>>"], isRight: true),
    Row(
      line: structure + "the parent tree states other limits than its keys have",
      root: "/K 6 0 R/ParentTree<</Kids[7 0 R]>>", more: ["<</Limits[0 5]/Nums[0[6 0 R]]>>"]),
    Row(
      line: structure + "the parent tree has object 7 twice",
      root: "/K 6 0 R/ParentTree 7 0 R", more: ["<</Kids[7 0 R]>>"]),
    Row(
      line: structure + "the structure tree contains the element in object 6 twice",
      root: "/K[6 0 R 6 0 R]/ParentTree<</Nums[0[6 0 R]]>>"),
    Row(
      line: structure + "the structure tree contains the element in object 6 twice",
      element: "/S/P/P 5 0 R/Pg 3 0 R/K[0 6 0 R]"),
    Row(
      line: structure + "the elements in objects 6 and 7 have the same content, MCID 0",
      root: "/K[6 0 R 7 0 R]/ParentTree<</Nums[0[6 0 R]]>>", more: ["<</S/P/P 5 0 R/Pg 3 0 R/K 0>>"]
    ),
    Row(
      line: structure + "the element in object 6 does not name the page of its content",
      element: "/S/P/P 5 0 R/K 0"),
    Row(
      line: structure + "the element in object 6 has a child that is not an object",
      element: "/S/P/P 5 0 R/Pg 3 0 R/K[0<</S/Span>>]"),
    Row(
      line: structure + "the element in object 6 names content without an MCID",
      element: "/S/P/P 5 0 R/Pg 3 0 R/K[0<</Type/MCR>>]"),
    Row(
      line:
        "1: error: the page's part of the structure is broken: the parent tree leads from MCID 0 to "
        + "nothing", root: "/K 6 0 R/ParentTree<</Nums[0[]]>>"),
    Row(
      line:
        "1: error: the page's part of the structure is broken: the element in object 6 has MCID 1",
      root: "/K 6 0 R/ParentTree<</Nums[0[6 0 R 6 0 R]]>>",
      element: "/S/P/P 5 0 R/Pg 3 0 R/K[0 1]"),
    Row(
      line: "1: warning: no element of the structure has the page's MCID 1",
      content: "/P<</MCID 0>>BDC EMC /P<</MCID 1>>BDC EMC"),
    Row(
      line: "1: warning: the page has content that is neither tagged nor an artifact",
      content: "/P<</MCID 0>>BDC EMC 0 0 9 9 re f"),
    Row(
      line:
        "1: error: the page's content has marks that begin outside a text object and end inside it",
      content: "/P<</MCID 0>>BDC BT EMC ET"),
    Row(
      line: "warning: a figure on page 1 has no alternative text",
      element: "/S/Figure/P 5 0 R/Pg 3 0 R/K 0/Alt()"),
  ]

  @Test(arguments: DamagedTagsTests.rows) func byHand(row: Row) throws {
    let bytes = TestBook.file(
      [
        "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 5 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]\(row.page)/Resources<<\(row.resources)>>"
          + "/Contents 4 0 R>>", HandmadeFaultsTests.stream(row.content),
        "<</Type/StructTreeRoot\(row.root)>>", "<<\(row.element)>>",
      ] + row.more)
    let lines = try TestBook([TestPicture(1, width: 8, height: 8)]).verify(bytes, expecting: false).lines
    if row.isRight {
      #expect(lines == [])
    } else {
      #expect(lines.contains { $0.hasPrefix(row.line) }, "\(row.line) is not among \(lines)")
    }
  }

  /// The verifier finishes whichever byte of the structure is changed, with or without a finding.
  @Test func changedBytes() throws {
    let book = try Self.book.get()
    let elements = book.places(of: "<</S/") + book.places(of: "/StructTreeRoot")
    for seed in 0..<40 {
      var bytes = book.bytes
      let place = elements[seed * 7 % elements.count] + 3 + seed * 13 % 40
      bytes[place] = UInt8(ascii: "0") + UInt8(seed % 10)
      let report = try book.verify(bytes, expecting: false, as: "changed\(seed)")
      #expect(report.pages.count <= 4)
    }
  }

  /// Structures that nest without end, or are no structures, end.
  @Test(arguments: ["/StructTreeRoot 4 0 R", "/StructTreeRoot 99 0 R", "/StructTreeRoot 5 0 R"])
  func hostileStructures(root: String) throws {
    let deep = (6...400).map { "<</S/Div/P \($0 - 1) 0 R/K \($0 + 1) 0 R>>" }
    let bytes = TestBook.file(
      [
        "<</Type/Catalog/Pages 2 0 R\(root)>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<<>>/Contents 4 0 R>>",
        HandmadeFaultsTests.stream("0 0 9 9 re f"), "<</K 6 0 R/ParentTree 5 0 R>>",
      ] + deep)
    let lines = try TestBook([TestPicture(1, width: 8, height: 8)]).verify(bytes, expecting: false).lines
    #expect(lines.contains { $0.hasPrefix(Self.structure) }, "\(lines)")
  }
}
