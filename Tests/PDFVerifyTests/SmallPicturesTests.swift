import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

/// Pictures of few pixels, and those of which few can be seen: right ones are equal, wrong ones are found.
@Suite struct SmallPicturesTests {
  /// Pixels across and down, points of the whole picture, and of what is clipped away at its left and bottom.
  struct Case: Sendable {
    let pixels: (Int, Int)
    let points: (Double, Double)
    var clip: (Double, Double)?
  }

  static let cases: [Case] = [
    Case(pixels: (1, 1), points: (60, 60)), Case(pixels: (2, 3), points: (33.3333, 50)),
    Case(pixels: (3_000, 2), points: (80, 0.0533)), Case(pixels: (3_000, 1), points: (80, 0.0267)),
    Case(pixels: (2, 3_000), points: (0.0533, 80)), Case(pixels: (7, 26), points: (17.5, 65)),
    Case(pixels: (26, 7), points: (65, 17.5)), Case(pixels: (15, 18), points: (15, 18)),
    // Cells that are filled: a part of a pixel, or of the picture.
    Case(pixels: (1, 1), points: (60, 60), clip: (7, 20)),
    Case(pixels: (1, 1), points: (60, 60), clip: (59.9, 59.9)),
    Case(pixels: (2, 60), points: (60, 1_800), clip: (0, 1_757.5)),
    Case(pixels: (60, 2), points: (1_800, 60), clip: (1_769.3, 0)),
    Case(pixels: (5_000, 6), points: (60, 0.072), clip: (11, 0.013)),
  ]

  private static func book(_ test: Case, seed: Int = 1) throws -> TestBook {
    try TestBook { writer, add in
      let picture = TestPicture(seed, width: test.pixels.0, height: test.pixels.1)
      let encoder = FlateEncoder(PictureLayout(width: picture.width, height: picture.height, format: .rgb8))
      try picture.write(to: encoder)
      let box = PageRectangle(left: 7.1234, bottom: 9.8765, width: test.points.0, height: test.points.1)
      let clip = test.clip.map {
        PageRectangle(
          left: box.left + $0.0, bottom: box.bottom + $0.1, width: box.width - $0.0,
          height: box.height - $0.1)
      }
      var page = PDFPage(size: PageSize(width: 2_000, height: 2_000))
      page.captions = [Caption("a text far away from here", centre: 1_500, baseline: 1_900)]
      page.placements = [Placement(try writer.add(encoder.picture), in: box, clip: clip)]
      add(page, [])
      try writer.addPage(page)
    }
  }

  @Test(arguments: SmallPicturesTests.cases.indices) func rightOnesAreEqual(index: Int) throws {
    let report = try Self.book(Self.cases[index]).verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  /// On a page of too many pixels thin ones are rendered once more.
  @Test(.thorough, arguments: SmallPicturesTests.cases.indices) func onFullPages(index: Int)
    throws
  {
    let test = Self.cases[index]
    let book = try TestBook { writer, add in
      let picture = TestPicture(index, width: test.pixels.0, height: test.pixels.1)
      let encoder = FlateEncoder(PictureLayout(width: picture.width, height: picture.height, format: .rgb8))
      try picture.write(to: encoder)
      let box = PageRectangle(left: 5, bottom: 5, width: test.points.0, height: test.points.1)
      let photo = try writer.add(PDFPicture(jpeg: TestPicture(3).jpeg(quality: 95)))
      var page = PDFPage(size: PageSize(width: 2_000, height: 2_000))
      page.placements = [
        Placement(try writer.add(encoder.picture), in: box),
        Placement(photo, in: PageRectangle(left: 1_900, bottom: 1_900, width: 90, height: 60)),
      ]
      add(page, [])
      try writer.addPage(page)
    }
    #expect(try book.verify(nativePixels: 0).lines == [])
  }

  /// Text beside a picture is drawn a pixel off if a pixel is larger than a letter.
  @Test func textBesideLargePixels() throws {
    var setup = PageSetup()
    try setup.setPaper("199.99in x 500.01in")
    try setup.setMargins("3mm")
    let book = try TestBook([TestPicture(1, width: 320, height: 220)], setup: setup, caption: "hi 1")
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == [.equal])
  }

  /// Something is drawn over it that nobody meant.
  @Test(.thorough, arguments: SmallPicturesTests.cases.indices) func coveredOnesAreFound(index: Int)
    throws
  {
    let book = try Self.book(Self.cases[index])
    let text = book.text(from: "0 g BT", to: "ET\n")
    let lines = try book.verify(book.patched(text, "0 g 5 5 1900 1900 re f")).lines
    #expect(
      lines.contains {
        $0.hasPrefix("1: error: picture 1 is not shown as it is stored: ")
          || $0.hasPrefix("1: error: the page is blank where picture 1 should be")
      }, "\(lines)")
  }

  /// Less than a pixel of a picture of one pixel is many points.
  @Test(arguments: SmallPicturesTests.cases.indices) func movedOnesAreFound(index: Int) throws {
    let book = try Self.book(Self.cases[index])
    let lines = try book.verify(book.patched(" 7.1234 9.8765 cm", " 7.1434 9.8765 cm")).lines
    #expect(
      lines.contains { $0.hasPrefix("1: error: picture 1 lies at (7.14, 9.88, ") }, "\(lines)")
  }

  @Test(.thorough, arguments: SmallPicturesTests.cases.indices) func otherPixelsAreFound(index: Int)
    throws
  {
    let book = try Self.book(Self.cases[index])
    let other = try Self.book(Self.cases[index], seed: 2)
    let lines = try book.verify(other.bytes).lines
    #expect(lines.contains { $0.hasPrefix("1: error: the stored bytes of picture 1 are not") })
  }
}
