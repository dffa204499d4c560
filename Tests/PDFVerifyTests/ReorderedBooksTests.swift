import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import Testing

/// Pages that were lost, added, doubled or exchanged: one line on the right page, and the others judged by what
/// they are.
@Suite struct ReorderedBooksTests {
  private static let copied = "the page is a second copy of page"
  private static let added = "the page was added after the book was written"
  private static let swapped = "the page changed places with page"

  /// Pages from 1 in a new order, and all that is to be said.
  static let orders: [([Int], [String])] = [
    ([2, 3, 4, 5], ["error: page 1 is missing"]),
    ([1, 2, 4, 5], ["error: page 3 is missing"]),
    ([1, 2], ["error: pages 3 to 5 are missing"]),
    ([1, 2, 3, 3, 4, 5], ["4: error: \(copied) 3"]),
    ([1, 2, 2, 4, 5], ["error: page 3 is missing", "3: error: \(copied) 2"]),
    ([1, 4, 3, 2, 5], ["2: error: \(swapped) 4", "4: error: \(swapped) 2"]),
    ([2, 3, 4, 5, 1], ["5: error: the page was moved; it was written as page 1"]),
  ]

  @Test(arguments: ReorderedBooksTests.orders) func isOneLine(order: [Int], lines: [String]) throws {
    let book = try Self.book.get()
    let report = try book.verify(book.ordered(order), expecting: false, as: order.map(String.init).joined())
    // Readers show a page that stands twice in the tree, but it may not.
    #expect(report.lines.filter { !$0.contains("each page must be an object of its own") } == lines)
    #expect(report.comparisons() == Array(repeating: .equal, count: order.count))
    #expect(report.pages.allSatisfy { $0.pictures[0].isExpectedStream == true })
  }

  /// A page's faults are reported for that page, wherever it stands.
  @Test func othersAreJudgedByThemselves() throws {
    let book = try Self.book.get()
    var bytes = book.ordered([2, 3, 5, 4])
    let caption = book.offset(of: "(Paris 4)")
    bytes.replaceSubrange(caption + 1..<caption + 6, with: Array("Milan".utf8))
    let lines = try book.verify(bytes, expecting: false, as: "judged").lines
    #expect(
      lines == [
        "error: page 1 is missing", "3: error: \(Self.swapped) 4",
        "4: error: \(Self.swapped) 3",
        "4: error: the page's content was changed after it was written",
        "4: error: the text 'Paris 4' reads 'Milan 4'",
      ])
  }

  @Test func addedPages() throws {
    var book = try Self.book.get()
    book.expected.pages.remove(at: 2)
    let report = try book.verify()
    #expect(report.lines == ["3: error: \(Self.added)"])
    #expect(report.comparisons() == Array(repeating: .equal, count: 5))
    #expect(report.pages[3].pictures[0].isExpectedStream == true)
    #expect(report.pages[2].pictures[0].isExpectedStream == nil)
  }

  /// As people do it: pages taken by another program.
  @Test func pagesTakenByQPDF() throws {
    let book = try Self.book.get()
    let (path, other) = (book.folder.write(book.bytes, as: "whole.pdf"), book.folder.file("taken.pdf"))
    for (range, lines) in [
      ("1,2,4,5", ["error: page 3 is missing"]),
      ("1-3,3,4,5", ["4: error: \(Self.copied) 3"]),
      ("1,3,2,4,5", ["2: error: \(Self.swapped) 3", "3: error: \(Self.swapped) 2"]),
    ] {
      guard try runTool("qpdf", [path, "--pages", ".", range, "--", other]) != nil else { return }
      let report = try book.verify(book.folder.read("taken.pdf"), expecting: false, as: range)
      #expect(report.lines == lines)
    }
  }

  /// A copy has no tags of its own, and that is not told as well.
  @Test func copiesOfTaggedPages() throws {
    var settings = DocumentSettings()
    settings.isTagged = true
    let book = try TestBook(settings: settings) { writer, _ in
      for number in 1...3 {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        var page = try PageSetup().page(picture)
        page.placements[0].alternative = "View \(number)"
        try writer.addPage(page)
      }
    }
    let path = book.folder.write(book.bytes, as: "tagged.pdf")
    let other = book.folder.file("copied.pdf")
    guard try runTool("qpdf", [path, "--pages", ".", "1,2,2,3", "--", other]) != nil else { return }
    let lines = try book.verify(book.folder.read("copied.pdf"), expecting: false).lines
    #expect(lines == ["3: error: \(Self.copied) 2"])
  }

  private static let book = Result {
    try TestBook { writer, add in
      for number in 1...5 {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        let cell = PageRectangle(left: 0, bottom: 20, width: 72, height: 48)
        let page = PDFPage(
          size: PageSize(width: 72, height: 80), placements: [Placement(picture, in: cell)],
          captions: [Caption("Paris \(number)", centre: 36, baseline: 8)])
        add(page, [nil])
        try writer.addPage(page)
      }
    }
  }
}
