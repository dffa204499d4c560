import ImageCore
import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Texts and pictures that the page's edge cuts, in books that are as they were written.
@Suite struct EdgesTests {
  /// The place of a text of two words on a page of 72 by 48 points, and the lines that must be found.
  static let captions: [(centre: Double, baseline: Double, lines: [String])] = [
    (36, 20, []),
    (36, -3, ["1: error: the page's edge cuts the text 'Paris Rome'"]),
    (70, 20, ["1: error: the page's edge cuts the text 'Paris Rome'"]),
    (0, 20, ["1: error: the page's edge cuts the text 'Paris Rome'"]),
    (36, -20, ["1: error: the text 'Paris Rome' lies outside what the page shows"]),
    (140, 20, ["1: error: the text 'Paris Rome' lies outside what the page shows"]),
  ]

  @Test(arguments: EdgesTests.captions)
  func textsAtEdges(centre: Double, baseline: Double, lines: [String]) throws {
    let report = try Self.book(bottom: 0, Caption("Paris Rome", centre: centre, baseline: baseline))
      .verify(expecting: false)
    #expect(report.lines == lines)
    #expect(report.comparisons() == [.equal])
  }

  /// A picture of which a sliver is seen: hidden by a text, or beside one.
  @Test(arguments: [
    (-20.0, 2.0, []),
    (-47.9999, 2.0, ["too little of it can be seen"]),
    (-47.9999, 36.0, ["too little of it can be seen"]),
    (-46.0, 0.0, ["it is hidden by what lies over it"]),
  ])
  func picturesAtEdges(bottom: Double, baseline: Double, reasons: [String]) throws {
    let text = Caption(String(repeating: "M", count: 9), centre: 36, baseline: baseline)
    let report = try Self.book(bottom: bottom, text).verify(expecting: false)
    #expect(
      report.lines == reasons.map { "1: warning: picture 1 was not compared exactly: \($0)" })
  }

  private static func book(bottom: Double, _ caption: Caption) throws -> TestBook {
    try TestBook { writer, _ in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      var page = PDFPage(size: PageSize(width: 72, height: 48))
      page.placements = [Placement(picture, in: PageRectangle(left: 0, bottom: bottom, width: 72, height: 48))]
      page.captions = [caption]
      try writer.addPage(page)
    }
  }
}
