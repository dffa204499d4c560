import BookExpectations
import ImageCore
import Testing

@testable import PDFVerify

/// The alignment of pages, written in letters: a letter is the picture of a page, and a digit after it another content.
@Suite struct PageAlignmentTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let meant: String
    let found: String
    /// The expected page number for each found page; 0 for none.
    let counterparts: [Int]
    let lines: [String]

    init(_ meant: String, _ found: String, _ counterparts: [Int], _ lines: [String]) {
      (self.meant, self.found, self.counterparts, self.lines) = (meant, found, counterparts, lines)
    }
    var testDescription: String { "\(meant) as \(found)" }
  }

  static let rows: [Row] = [
    Row("a b c d", "a b c d", [1, 2, 3, 4], []),
    Row("a b c d", "a c d", [1, 3, 4], ["page 2 is missing"]),
    Row("a b c d", "d", [4], ["pages 1 to 3 are missing"]),
    Row(
      "a b c d e f", "b d f", [2, 4, 6], ["page 1", "page 3", "page 5"].map { $0 + " is missing" }),
    Row(
      "a b c d", "a b x c d", [1, 2, 0, 3, 4], ["3: the page was added after the book was written"]),
    Row("a b c", "a b b c", [1, 2, 2, 3], ["3: the page is a second copy of page 2"]),
    Row(
      "a b c d", "a b b d", [1, 2, 2, 4],
      ["page 3 is missing", "3: the page is a second copy of page 2"]),
    Row("a b c", "a b c a", [1, 2, 3, 1], ["4: the page is a second copy of page 1"]),
    Row(
      "a b c d", "a d c b", [1, 4, 3, 2],
      ["2: the page changed places with page 4", "4: the page changed places with page 2"]),
    Row(
      "a b c d e", "b a d e", [2, 1, 4, 5],
      [
        "page 3 is missing", "1: the page changed places with page 2",
        "2: the page changed places with page 1",
      ]),
    Row("a b c d", "b c d a", [2, 3, 4, 1], ["4: the page was moved; it was written as page 1"]),
    Row(
      "a b c d e", "a d b c e", [1, 4, 2, 3, 5], ["2: the page was moved; it was written as page 4"]
    ),
    // Changed pages keep their place.
    Row("a b c d", "a x c d", [1, 2, 3, 4], []),
    Row("a b c d", "x c d", [1, 3, 4], ["page 2 is missing"]),
    Row(
      "a b c d", "a b c y x", [1, 2, 3, 4, 0], ["5: the page was added after the book was written"]),
    Row("a b1 c d1", "a b2 c d1", [1, 2, 3, 4], []),
    Row(
      "a1 b1 c1", "c2 b1 a2", [3, 2, 1],
      [
        "1: the page changed places with page 3", "3: the page changed places with page 1",
      ]),
    // By its content alone.
    Row(
      "a1 b2 c3", "x3 b2 a1", [3, 2, 1],
      [
        "1: the page changed places with page 3", "3: the page changed places with page 1",
      ]),
    // Contents exchanged: a page is what its picture is.
    Row("a1 b2 c3", "a2 b1 c3", [1, 2, 3], []),
    // Likes keep their neighbours, and blank pages are no copies.
    Row("a _ b _ c _", "a _ c _", [1, 2, 5, 6], ["pages 3 to 4 are missing"]),
    Row("a _ b", "a _ b _", [1, 2, 3, 0], ["4: the page was added after the book was written"]),
    Row("a a a b", "a a b", [1, 2, 4], ["page 3 is missing"]),
    // Nothing is known again.
    Row("a b c", "x y", [1, 2], ["the document has 2 pages instead of 3"]),
    Row("a b", "x y", [1, 2], []),
    Row("a", "", [], ["the document has 0 pages instead of 1"]),
  ]

  @Test(arguments: PageAlignmentTests.rows) func isFound(row: Row) {
    let alignment = PageAlignment(meant: Self.signatures(row.meant), found: Self.signatures(row.found))
    #expect(alignment.counterparts.map { $0.map { $0 + 1 } ?? 0 } == row.counterparts)
    let lines =
      alignment.faults.map(\.description)
      + alignment.pageFaults.sorted { $0.key < $1.key }.map { "\($0.key + 1): \($0.value)" }
    #expect(lines == row.lines)
  }

  /// Long books take time that grows with their length and no faster, however they are shuffled.
  @Test func longBooks() {
    let meant = (0..<20_000).map { Self.signature("p\($0)") }
    let half = meant.indices.filter { $0 % 2 == 1 }.map { meant[$0] }
    let alignment = PageAlignment(meant: meant, found: half.reversed())
    #expect(alignment.counterparts == (0..<10_000).map { 19_999 - 2 * $0 })
    #expect(alignment.faults.count == 9)
    #expect(alignment.faults.last == .order(.moreLost(9_992)))
    let blank = Array(repeating: PageSignature(content: nil, pictures: []), count: 20_000)
    #expect(PageAlignment(meant: blank, found: blank).pageFaults.isEmpty)
  }

  private static func signatures(_ text: String) -> [PageSignature] {
    text.split(separator: " ").map { signature(String($0)) }
  }

  private static func signature(_ page: String) -> PageSignature {
    let name = page.prefix(1) == "p" ? page : String(page.prefix(1))
    let isBlank = page == "_"
    return PageSignature(
      content: digest(isBlank ? "" : "content " + page.dropFirst()),
      pictures: isBlank ? [] : [digest(name)], shape: isBlank ? [] : [1, 1])
  }

  private static func digest(_ text: String) -> ShortDigest { ShortDigest(SHA256.digest(of: Array(text.utf8))) }
}
