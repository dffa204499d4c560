import ImageCore
import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Faults that readers repair silently: errors in books of imghost, and warnings in other files.
@Suite struct StructureTests {
  /// The text to replace, its replacement, and the line that must be found.
  static let changes: [(old: String, new: String, line: String)] = [
    ("\nendobj\n", "\nendobk\n", "error: object 1 does not end with 'endobj'"),
    ("\nendobj\n", "\n", "error: object 1 does not end with 'endobj'"),
    ("endstream\nendobj\n", "endstream\n", "error: object 3 does not end with 'endobj'"),
    (
      ">>stream\n", ">>stream\r", "error: 'stream' of object 3 is not followed by an end of line of LF, or of CR and LF"
    ),
    (
      "/Length 69>>", "/Length 68>>", "error: the stream of object 5 is 1 byte longer than its Length says"
    ),
    (
      "/Length 69>>", "/Length 79>>", "1: error: the stream of object 5 is 69 bytes long; its Length "
    ),
    (
      "/Size 20", "/Size 29", "error: the trailer counts 29 objects; the cross-reference table has 20"
    ),
    (
      "/Size 20", "/Size 19", "error: the trailer counts 19 objects; the cross-reference table has 20"
    ),
    ("/Size ", "/Sizo ", "error: the trailer does not say how many objects there are (Size)"),
    ("/P 3 0 R", "/P 3 2 R", "1: error: the page draws 'P', which its resources do not have"),
    ("/Root 2 0 R", "/Root 2 1 R", "error: there is no document catalogue"),
    (
      "/Type/Page/", "/Type/Pane/",
      "error: a page, object 6, has the Type 'Pane' instead of 'Page'"
    ),
    ("/Type/Page/", "/Typo/Page/", "error: a page, object 6, has no Type; it must be 'Page'"),
    (
      "/Type/Pages", "/Type/Peges", "error: a node of the page tree, object 7, has the Type 'Peges' instead of 'Pages'"
    ),
    (
      "/Type/Catalog", "/Type/Katalog", "error: the catalogue, object 2, has the Type 'Katalog' instead of 'Catalog'"
    ),
    (
      "/Parent 7 0 R", "/Parent 6 0 R", "error: object 6 of the page tree does not name its parent, object 7"
    ),
    (
      "/Type/Font/", "/Type/Fond/", "1: error: the font Helvetica has the Type 'Fond' instead of 'Font'"
    ),
    ("/Type/Font/", "/Typo/Font/", "1: error: the font Helvetica has no Type; it must be 'Font'"),
    (
      "/Prev 15 0 R", "/Prov 15 0 R", "error: entry 4 of the outline names none as its Prev; it is object 15"
    ),
    (
      "/Next 17 0 R", "/Noxt 17 0 R", "error: entry 1 of the outline names object 17 as its Last; it is object 16"
    ),
    ("/Next 18 0 R", "/Next 15 0 R", "error: the outline refers to object 15, which is not an"),
    (
      "/Last 18 0 R", "/Last 17 0 R", "error: the outline names object 17 as its Last; it is object 18"
    ),
    (
      "/Count -2", "/Count -3", "error: entry 1 of the outline counts -3 entries below it; there are 2"
    ),
    (
      "/Count -2", "/Cuont -2", "error: entry 1 of the outline counts no entries below it; there are 2"
    ),
    ("R/Count 2", "R/Count 3", "error: the outline counts 3 entries below it; there are 2"),
    (
      "/Parent 15 0 R", "/Parent 14 0 R", "error: entry 2 of the outline names object 14 as its Parent; it is object 15"
    ),
  ]

  @Test(arguments: StructureTests.changes)
  func areErrorsInBooks(old: String, new: String, line: String) throws {
    let book = try Self.book.get()
    let lines = try book.verify(
      book.patched(old, new), expecting: false, as: String((old + new).filter { $0.isLetter || $0.isNumber })
    ).lines
    #expect(lines.contains { $0.hasPrefix(line) }, "\(line) is not among \(lines)")
  }

  @Test func booksAreRight() throws {
    #expect(try Self.book.get().verify(expecting: false).lines == [])
  }

  /// Entries of the cross-reference table that lead to another object, or only to a part of one's number.
  @Test func tablesThatMislead() throws {
    let book = try Self.book.get()
    func lines(_ name: String, _ change: (inout [UInt8], _ entry: (Int) -> Int) -> Void) throws -> [String] {
      let table = book.offset(of: "xref\n0 20\n") + 10
      var bytes = book.bytes
      change(&bytes) { table + $0 * 20 }
      return try book.verify(bytes, expecting: false, as: name).lines
    }
    let exchanged = try lines("exchanged") { bytes, entry in
      for (number, other) in [(9, 12), (12, 9)] {
        bytes.replaceSubrange(entry(number)..<entry(number) + 10, with: book.bytes[entry(other)..<entry(other) + 10])
      }
    }
    #expect(
      exchanged.prefix(2).map { $0.prefix(55) } == [
        "error: the cross-reference table puts object 9 at byte ",
        "error: the cross-reference table puts object 12 at byte",
      ])
    // Object 3 where object 13 is, behind its first digit.
    let part = try lines("part") { bytes, entry in
      let digits = String(book.offset(of: "\n13 0 obj") + 2)
      bytes.replaceSubrange(entry(3) + 10 - digits.utf8.count..<entry(3) + 10, with: digits.utf8)
    }
    #expect(part.first?.hasPrefix("error: the cross-reference table puts object 3 at") == true)
    let generation = try lines("generation") { bytes, entry in
      bytes[entry(14) + 15] = UInt8(ascii: "1")
    }
    #expect(
      generation.first
        == "error: the cross-reference table gives object 14 the generation 1; it has 0")
  }

  /// An entry that lost a byte moves all that follow.
  @Test func entriesOfTablesAreEven() throws {
    let book = try Self.book.get()
    var bytes = book.bytes
    bytes.remove(at: book.offset(of: "xref\n0 20\n") + 10 + 14 * 20 + 12)
    #expect(
      try book.verify(bytes, expecting: false, as: "short").lines == [
        "error: the entries of the cross-reference table are not 20 bytes long before that of object 15"
      ])
  }

  /// References lead to the generation that an object has.
  @Test func generationsAreFollowed() throws {
    let text = String(
      decoding: TestBook.file([
        "<</Type/Catalog/Pages 2 1 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 1 R/MediaBox[0 0 99 99]/Resources<<>>/Contents 4 0 R>>",
        HandmadeFaultsTests.stream("0 0 9 9 re f"),
      ]), as: Unicode.ASCII.self)
    let book = try TestBook([TestPicture(1, width: 8, height: 8)])
    let unlike = try book.verify(Array(text.utf8), expecting: false, as: "unlike").lines
    #expect(unlike.contains("error: the document catalogue has no page tree"))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let entry = String(lines.filter { $0.hasSuffix(" 00000 n ") }[1])
    let right = text.replacing("2 0 obj", with: "2 1 obj")
      .replacing(entry, with: entry.replacing("00000 n", with: "00001 n"))
    #expect(try book.verify(Array(right.utf8), expecting: false, as: "right").lines == [])
  }

  @Test func rootsHaveNoParent() throws {
    let tree = "<</Type/Pages/Parent 2 0 R/Kids[6 0 R 10 0 R 13 0 R]/Count 3>>"
    let book = try Self.book.get()
    let lines = try book.verify(book.updated([7: tree]), expecting: false, as: "root").lines
    #expect(
      lines == [
        "error: the root of the page tree, object 7, has a Parent, which only nodes below it have"
      ])
  }

  /// The text to replace in a file written by hand, its replacement, and all lines that must be found.
  static let foreign: [(old: String, new: String, lines: [String])] = [
    ("", "", []),
    ("\nendobj\n2", "\nendobk\n2", ["warning: object 1 does not end with 'endobj'"]),
    (
      "stream\n0 0", "stream\r0 0",
      [
        "warning: 'stream' of object 4 is not followed by an end of line of LF, or of CR and LF"
      ]
    ),
    (
      "/Size 6", "/Size 7", ["warning: the trailer counts 7 objects; the cross-reference table has 6"]
    ),
    (
      "/Size 6", "/Size 5", ["error: the trailer counts 5 objects; the cross-reference table has 6"]
    ),
    ("/Type/Page/", "/Tipo/Page/", ["warning: a page, object 3, has no Type; it must be 'Page'"]),
    (
      "/Type/Page/", "/Type/Paga/", ["error: a page, object 3, has the Type 'Paga' instead of 'Page'"]
    ),
    (
      "/Type/Font/", "/Tipo/Font/", ["1: warning: the font Helvetica has no Type; it must be 'Font'"]
    ),
    (
      "/Length 64", "/Length 62", ["warning: the stream of object 4 is 2 bytes longer than its Length says"]
    ),
    (
      "/Length 64", "/Length 50", ["1: error: the stream of object 4 is 64 bytes long; its Length says 50"]
    ),
    // Null is the same as nothing.
    ("/Spare(123456)", "/CropBox null ", []),
  ]

  @Test(arguments: StructureTests.foreign)
  func areMostlyWarningsElsewhere(old: String, new: String, lines: [String]) throws {
    let content = "0 0 9 9 re f BT /F 9 Tf 9 9 Td (A) Tj ET 1 0 0 rg 0 0 1 1 re f\n\n"
    let text = String(
      decoding: TestBook.file([
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Spare(123456)/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<</Font<</F 5 0 R>>>>"
          + "/Contents 4 0 R>>", HandmadeFaultsTests.stream(content),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
      ]), as: Unicode.ASCII.self)
    let changed = old.isEmpty ? text : text.replacing(old, with: new)
    #expect((changed == text) == old.isEmpty && changed.utf8.count == text.utf8.count)
    let found = try TestBook([TestPicture(1, width: 8, height: 8)]).verify(Array(changed.utf8), expecting: false).lines
    #expect(found.filter { !$0.contains("poppler says") } == lines)
  }

  static let book = Result {
    try TestBook { writer, _ in
      for number in 1...3 {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        var page = PDFPage(size: PageSize(width: 72, height: 48))
        page.placements = [Placement(picture, in: PageRectangle(left: 0, bottom: 0, width: 72, height: 48))]
        page.captions = [Caption("Paris \(number)", centre: 36, baseline: 8)]
        page.outlines = [number < 3 ? ["One", "\(number)"] : ["Three"]]
        try writer.addPage(page)
      }
    }
  }
}
