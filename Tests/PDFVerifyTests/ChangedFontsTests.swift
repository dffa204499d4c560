import BookExpectations
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook
@testable import PDFVerify
@testable import TextShaping

/// Embedded fonts that were changed after the book was written.
@Suite struct ChangedFontsTests {
  private static let book = Result {
    try TestBook { writer, _ in
      let block = try TextLayouter().layout("Ample Windows", style: TextStyle(size: 9, alignment: .start), width: 70)
      let reference = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      var page = PDFPage(
        size: PageSize(width: 72, height: 80),
        placements: [Placement(reference, in: PageRectangle(left: 0, bottom: 32, width: 72, height: 48))])
      page.texts = [PlacedText(block, left: 1, top: 28)]
      try writer.addPage(page)
    }
  }

  @Test(arguments: [
    ("/W[", "/X["), ("/DW ", "/DV "), ("/CIDToGIDMap ", "/CIDToGIDMop "),
    ("/ToUnicode ", "/ToUnicade "), ("/FontFile2 ", "/FontFale2 "),
    ("/Encoding/Identity-H", "/Encoding/Identity-V"),
  ])
  func aChangeIsTold(old: String, new: String) throws {
    let book = try Self.book.get()
    guard !book.places(of: old).isEmpty else { return }
    let report = try book.verify(book.patched(old, new), expecting: false, as: String(new.filter(\.isLetter)))
    #expect(
      report.lines.contains {
        $0.hasPrefix("error: the font ") && $0.hasSuffix(" is not as it was written")
      }, "\(report.lines)")
    #expect(!report.isVerified)
  }

  /// All parts of a font count, but not the numbers of its objects or their compression.
  @Test(arguments: [
    [], ["--object-streams=generate"], ["--recompress-flate", "--stream-data=uncompress"],
  ])
  func rewrittenFontsAreTheSame(options: [String]) throws {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    var bytes = book.bytes
    if !options.isEmpty {
      guard try runTool("qpdf", options + [path, folder.file("other.pdf")]) != nil else { return }
      bytes = folder.read("other.pdf")
    }
    let lines = try book.verify(bytes, expecting: false, as: "fonts \(options.count)").lines
    #expect(lines.filter { !$0.contains("the stored bytes of picture") } == [])
  }

  @Test func everyPartCounts() {
    func font(_ program: [UInt8] = [1], _ map: [UInt8] = [], _ widths: [String] = ["9"], _ unicode: [UInt8] = [2])
      -> ShortDigest
    {
      FontExpectation("A", program: program, glyphMap: map, widths: widths, toUnicode: unicode).digest
    }
    let all = [
      font(), font([2]), font([1], [1]), font([1], [], ["8"]), font([1], [], ["9"], [3]),
    ]
    #expect(Set(all).count == all.count)
  }

  /// A standard font that got widths or letters of its own.
  @Test func standardFontsStayPlain() throws {
    let book = try TestBook(caption: "Paris")
    #expect(try book.verify(expecting: false).lines == [])
    let lines = try book.verify(
      book.patched("/Encoding/WinAnsiEncoding", "/Encoding/StandardEncodin"), expecting: false, as: "standard"
    ).lines
    #expect(lines.contains("error: the font Helvetica is not as it was written"), "\(lines)")
  }
}
