import PDFTestSupport
import Testing

@testable import PDFBook

@Suite struct DocumentTests {
  @Test(arguments: [
    ("", "<</Nums[]>>"), ("1:D", "<</Nums[0<</S/D>>]>>"),
    ("1:r 5:D/7, 9:/1/Cover", "<</Nums[0<</S/r>>4<</S/D/St 7>>8<</P(Cover)>>]>>"),
  ])
  func pageLabels(text: String, tree: String) throws {
    #expect(PageLabel.tree(try PageLabel.parse(text)) == tree)
  }

  @Test(arguments: ["2:D", "1:D 1:r", "1:x", "1", "0:D", "1:D/0", "1:D/x", "5:D 3:D"])
  func wrongPageLabels(text: String) { #expect(throws: PageSetupError.self) { try PageLabel.parse(text) } }

  @Test(arguments: [
    ("a", ["a"]), ("a > b", ["a", "b"]), ("a>b", ["a>b"]), (" > b > ", ["b"]), ("", []),
  ])
  func outlinePaths(text: String, path: [String]) { #expect(Outline.path(text) == path) }

  /// Each page's titles, and the titles of the outline with their depth and the page they open.
  @Test func outlineIsNested() {
    var outline = Outline()
    for (page, path) in ["A > 1", "A > 1", "A > 2", "", "B", "A > 2"].enumerated() {
      outline.add(Outline.path(path), page: 100 + page, number: page)
    }
    var number = 0
    let objects = outline.objects {
      number += 1
      return number
    }
    #expect(
      objects.map(\.dictionary) == [
        "<</Type/Outlines/First 2 0 R/Last 6 0 R/Count 3>>",
        "<</Title(A)/Parent 1 0 R/Next 5 0 R/First 3 0 R/Last 4 0 R/Count -2/Dest[100 0 R/Fit]>>",
        "<</Title(B)/Parent 1 0 R/Prev 2 0 R/Next 6 0 R/Dest[104 0 R/Fit]>>",
        "<</Title(A)/Parent 1 0 R/Prev 5 0 R/First 7 0 R/Last 7 0 R/Count -1/Dest[105 0 R/Fit]>>",
        "<</Title(1)/Parent 2 0 R/Next 4 0 R/Dest[100 0 R/Fit]>>",
        "<</Title(2)/Parent 2 0 R/Prev 3 0 R/Dest[102 0 R/Fit]>>",
        "<</Title(2)/Parent 6 0 R/Dest[105 0 R/Fit]>>",
      ])
  }

  @Test func linksAreEncoded() {
    let link = PageLink("http://x/ü (1)<", over: PageRectangle(left: 10, bottom: 20, width: 30, height: 40))
    #expect(
      link.dictionary(unit: 2)
        == "<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]/Rect[5 10 20 30]"
        + "/A<</S/URI/URI(http://x/%C3%BC%20\\(1\\)%3C)>>>>")
  }

  @Test(arguments: [
    ("http://x/100%.jpg", "http://x/100%25.jpg"), ("http://x/a%20b", "http://x/a%20b"),
    ("http://x/%4", "http://x/%254"),
  ])
  func percentSigns(address: String, written: String) {
    #expect(String(decoding: PageLink.encoded(address), as: UTF8.self) == written)
  }

  @Test(arguments: [
    "https://example.org/a b.jpg", "HTTP://x", "mailto:a@b.org", "tel:+49-30-1", "file:///a b",
    "geo:52.5,13.4", "https://пример.рф/ü?q=1#x", "urn:isbn:3",
  ])
  func addressesThatCanBeOpened(address: String) { #expect(LinkProblem(address) == nil) }

  @Test(
    arguments: [
      ("example.org", .noScheme("example.org")), ("", .noScheme("")), (":x", .noScheme(":x")),
      ("1a:x", .noScheme("1a:x")), ("a b:c", .noScheme("a b:c")), ("#3", .noScheme("#3")),
      ("https:", .noHost("https:")), ("https:x", .noHost("https:x")),
      ("https:///x", .noHost("https:///x")), ("mailto:", .noHost("mailto:")),
      ("JavaScript:alert(1)", .program("JavaScript:alert(1)")),
      ("data:text/html,x", .program("data:text/html,x")),
      (" https://x", .space(" https://x")), ("https://x ", .space("https://x ")),
      ("https://a b/c", .space("https://a b/c")),
      ("https://x/\u{7}", .control(7, "https://x/\u{fffd}")),
      ("https://x/" + String(repeating: "y", count: 8_000), .tooLong(8_010)),
    ] as [(String, LinkProblem)])
  func addressesThatCannot(address: String, problem: LinkProblem) { #expect(LinkProblem(address) == problem) }

  @Test(arguments: [(0, "1970-01-01T00:00:00Z"), (1_700_000_000, "2023-11-14T22:13:20Z")])
  func dates(seconds: Int, text: String) { #expect(PDFString.isoDate(seconds) == text) }
}
