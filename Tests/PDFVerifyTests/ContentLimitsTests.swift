import Foundation
import PDFBook
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

/// Page content that would cost readers gigabytes or hours: it is counted and reported, and not rendered.
@Suite struct ContentLimitsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: String
    let lines: [String]

    init(_ name: String, _ content: String, _ lines: [String]) {
      (testDescription, self.content, self.lines) = (name, content, lines)
    }
  }

  private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

  static let rows = [
    Row(
      "open q", times(100_000, "q "),
      [
        "1: error: the page's content has 100000 'q' without 'Q'",
        "1: error: the page was not rendered: its content nests 'q' 100000 deep",
      ]),
    Row(
      "balanced q", times(1_000, "q ") + "0 0 9 9 re f " + times(1_000, "Q "),
      ["1: error: the page was not rendered: its content nests 'q' 1000 deep"]),
    Row(
      "supported q", times(28, "q ") + "0 0 9 9 re f " + times(28, "Q "), []),
    Row(
      "many Q", times(100_000, "Q ") + "0 0 9 9 re f",
      ["1: error: the page's content has 100000 'Q' without 'q'"]),
    Row(
      "open marks", times(100_000, "/P BMC ") + "0 0 9 9 re f",
      [
        "1: error: the page's content has 100000 'BMC' without 'EMC'",
        "1: error: the page was not rendered: its content nests 'BMC' 100000 deep",
      ]),
    Row(
      "many EMC", times(100_000, "EMC ") + "0 0 9 9 re f",
      ["1: error: the page's content has 100000 'EMC' without 'BMC'"]),
    Row(
      "operands", times(100_000, "1 ") + "m",
      [
        "1: error: the page was not rendered: its content has too many or too deep operands at its byte 8192"
      ]),
    Row(
      "a long array", "BT [" + times(200_000, "1 ") + "] TJ ET",
      [
        "1: error: the page was not rendered: its content has too many or too deep operands at its byte 3"
      ]),
    Row(
      "deep arrays", times(1_000, "[") + times(1_000, "]") + " 0 d",
      [
        "1: error: the page was not rendered: its content has too many or too deep operands at its byte 0"
      ]),
    Row(
      "deep dictionaries", "/A " + times(1_000, "<</B ") + "1" + times(1_000, ">>") + " BDC EMC",
      [
        "1: error: the page was not rendered: its content has too many or too deep operands at its byte 3"
      ]),
    Row(
      "pictures", times(30_000, "/X Do "),
      ["1: error: the page was not rendered: its content draws more than 20000 pictures"]),
    Row("a long path", "0 0 m " + times(100_000, "1 1 l ") + "S", []),
    Row(
      "blanks", times(65 << 20, " "),
      ["1: error: the page was not rendered: its content has more than 68 MB"]),
  ]

  @Test(.thorough, arguments: ContentLimitsTests.rows) func contentIsBounded(row: Row) throws {
    let book = try TestBook([TestPicture(1)])
    let report = try book.verify(Self.page(row.content), expecting: false, as: "limits")
    // Poppler may complain about rendered content, too.
    #expect(report.lines.filter { !$0.contains("poppler says") } == row.lines)
  }

  /// Each stream is short enough, and all of them together are not.
  @Test func streamsCountTogether() throws {
    let objects = [
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<<>>/Contents["
        + Self.times(100, "4 0 R ") + "]>>",
      HandmadeFaultsTests.stream(Self.times(1 << 20, " ")),
    ]
    let report = try TestBook([TestPicture(1)]).verify(TestBook.file(objects), expecting: false)
    #expect(
      report.lines == [
        "1: error: the page was not rendered: its content has more than 68 MB"
      ])
  }

  #if os(Linux)
    /// The content of forms is poppler's alone: whatever takes too much memory there ends the check.
    @Test(.thorough) func whatPopplerTakesIsBounded() throws {
      let form = Self.times(2_000_000, "q ")
      let bytes = Self.page(
        "/F Do", "<</XObject<</F 5 0 R>>>>",
        [HandmadeFaultsTests.stream(form, "/Type/XObject/Subtype/Form/BBox[0 0 99 99]")])
      let folder = TestFolder()
      let path = folder.write(bytes, as: "form.pdf")
      let result = try runVerifier(["--memory", "64000000", "--timeout", "3600", path])
      #expect(result.status == 4)
      #expect(
        result.text == """
          \(path): 0 pages, not verified: 1 error
          \(path): page 1: error: checking takes more than 266 MB of memory; the document was given up: \
          allow more with --memory

          """)
    }
  #endif

  /// A picture whose pixels alone are more than may be used is told before poppler decodes it.
  @Test(.thorough) func largePicturesAreTold() throws {
    let row = Self.times(10_000, "0")
    let picture = "/Type/XObject/Subtype/Image/Width 10000/Height 10000/BitsPerComponent 8/ColorSpace/DeviceGray"
    let bytes = Self.page(
      "99 0 0 99 0 0 cm /P Do", "<</XObject<</P 5 0 R>>>>",
      [HandmadeFaultsTests.stream(row, picture)])
    let folder = TestFolder()
    let path = folder.write(bytes, as: "large.pdf")
    let result = try runVerifier(["--memory", "100000000", path])
    #expect(result.status == 4)
    #expect(
      result.text.hasSuffix(
        "page 1: error: the page was not compared: rendering it takes about 513 MB, and 100 MB may be used; "
          + "allow more with --memory\n"), "\(result.text)")
    // That its data is too short is found where there is room for it.
    let roomy = try runVerifier(["--memory", "600000000", path])
    #expect(roomy.text.contains("picture 1 cannot be decoded"), "\(roomy.text)")
  }

  /// Poppler never holds all pixels of a picture that it scales down.
  @Test(.thorough) func largePicturesAreComparedSmaller() throws {
    let picture = TestPicture(1, width: 1_000, height: 100, components: 1).stacked(240)
    let book = try TestBook { writer, _ in
      let reference = try writer.add(PDFPicture(jpeg: picture.jpeg()))
      try writer.addPage(PageSetup().page(reference))
    }
    let path = book.folder.write(book.bytes, as: "tall.pdf")
    let small = try runVerifier(["--memory", "80000000", path])
    #expect(small.status == 0, "\(small.text)")
    #expect(small.text.contains("pixels scaled, at "), "\(small.text)")
    #expect(
      small.text.contains("the page was compared at a smaller scale: ")
        && small.text.contains("80 MB may be used\n"),
      "\(small.text)")
    let large = try runVerifier(["--memory", "200000000", path])
    #expect(large.text.contains("pixels equal"), "\(large.text)")
  }

  private static func page(_ content: String, _ resources: String = "<<>>", _ objects: [String] = []) -> [UInt8] {
    TestBook.file(
      [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources\(resources)/Contents 4 0 R>>",
        HandmadeFaultsTests.stream(content),
      ] + objects)
  }
}
