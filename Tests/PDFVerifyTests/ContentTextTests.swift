import BookExpectations
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook
@testable import PDFVerify
@testable import TextShaping

/// Text as the page's own content has it.
@Suite struct ContentTextTests {
  /// Codes are two bytes: single ones, ranges that count up, ranges by a list.
  @Test func mapsOfCharacters() {
    let map = CharacterMap(
      Array(
        """
        /CIDInit /ProcSet findresource begin begincmap
        /CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def
        2 beginbfchar <0003><0041> <0004><D83DDE00> endbfchar
        2 beginbfrange <0010><0012><0061> <0020><0021>[<0031><00320033>] endbfrange
        endcmap
        """.utf8))
    let codes: [UInt8] = [0, 3, 0, 4, 0, 0x10, 0, 0x11, 0, 0x12, 0, 0x20, 0, 0x21, 9, 9]
    #expect(map.text(codes) == "A😀abc123")
    #expect(map.text([0, 3, 0]) == "A")
    for hostile in ["beginbfrange <0000><FFFF>[] endbfrange", "beginbfchar <00> endbfchar", "<", "]"] {
      #expect(CharacterMap(Array(hostile.utf8)).text([0, 0]) == "")
    }
  }

  /// A text that neither poppler nor the page's content has is missing, whichever way the page runs.
  @Test func textsThatAreNotThereAreMissing() throws {
    let blocks = try ["\u{645}\u{631}\u{62D}", "Summer"].map {
      try TextLayouter().layout($0, style: TextStyle(size: 9, alignment: .start), width: 70)
    }
    var book = try TestBook { writer, add in
      let reference = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      var page = PDFPage(
        size: PageSize(width: 72, height: 100),
        placements: [Placement(reference, in: PageRectangle(left: 0, bottom: 50, width: 72, height: 48))])
      page.texts = [PlacedText(blocks[0], left: 1, top: 48), PlacedText(blocks[1], left: 1, top: 28)]
      add(page, [])
      try writer.addPage(page)
    }
    #expect(try book.verify().lines == [])
    let page = book.expected.pages[0]
    let second = page.captions[1]
    let other = CaptionExpectation(
      "Winter", left: second.left, bottom: second.bottom, width: second.width,
      height: second.height)
    book.expected.pages[0] = PageExpectation(
      width: page.width, height: page.height, pictures: page.pictures,
      captions: [page.captions[0], other], links: page.links)
    #expect(
      try book.verify(as: "other").lines == [
        "1: error: the text 'Winter' reads 'Summer'"
      ])
  }

  /// Text that is turned, stands for glyphs, or is drawn in ways that imghost has not.
  @Test(arguments: [
    ("BT /T0 9 Tf 1 0 0 1 10 20 Tm [<0003>-20<0004>]TJ ET", "AB"),
    ("q 0 1 -1 0 15 10 cm BT /T0 9 Tf 1 0 0 1 10 0 Tm <0003>Tj ET Q", "A"),
    (
      "BT /T0 9 Tf 1 0 0 1 10 20 Tm /Span<</ActualText<FEFF0915>>>BDC <0003>Tj EMC <0004>Tj ET", "कB"
    ),
    ("BT /T0 9 Tf 1 0 0 1 60 20 Tm <0003>Tj ET", ""),
    ("BT /T1 9 Tf 1 0 0 1 10 20 Tm <0003>Tj ET", ""),
    ("BT /T0 9 Tf 10 20 Td <0003>Tj ET", ""), ("<0003>Tj (", ""),
  ])
  func contents(content: String, text: String) throws {
    let map = "1 beginbfchar <0003><0041> <0004><0042> endbfchar"
    let folder = TestFolder()
    let path = folder.write(
      TestBook.file([
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R"
          + "/Resources<</Font<</T0<</Encoding/Identity-H/ToUnicode 5 0 R>>>>>>>>",
        HandmadeFaultsTests.stream(content), HandmadeFaultsTests.stream(map),
      ]), as: "page.pdf")
    let file = try PDFFile(FileMapping(InputFile(path: path)))
    let entries = try #require(file.object(3)?.dictionary)
    let own = ContentText(entries, file)
    #expect(own.text(in: PageBox(left: 5, bottom: 15, right: 30, top: 25)) == text)
  }
}
