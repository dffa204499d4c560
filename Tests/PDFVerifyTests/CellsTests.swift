import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

/// Pages with several pictures, compared one by one at their own scale, or together on a page that is rendered once.
@Suite struct CellsTests {
  /// Nine turned pictures on a page of three by three, one of them clipped, two overlapping.
  private static func book(order: [Int] = Array(0..<9)) throws -> TestBook {
    try TestBook { writer, add in
      let references = try (1...9).map {
        try writer.add(
          PDFPicture(jpeg: TestPicture($0, width: 640, height: 480).jpeg(quality: 95)))
      }
      var page = PDFPage(size: PageSize(width: 300, height: 300))
      for (place, number) in order.enumerated() {
        let orientation = Orientation.allCases[number % 8]
        let (width, height) = orientation.swapsSides ? (60.0, 80.0) : (80.0, 60.0)
        let cell = PageRectangle(
          left: Double(place % 3) * 95 + 5, bottom: Double(place / 3) * 95 + 5, width: width,
          height: height)
        page.placements.append(
          Placement(
            references[number], in: cell, orientation: orientation,
            clip: number == 4
              ? PageRectangle(
                left: cell.left + 11, bottom: cell.bottom + 7, width: width - 30,
                height: height - 12) : nil))
      }
      page.placements.append(Placement(references[0], in: PageRectangle(left: 240, bottom: 240, width: 44, height: 33)))
      page.captions = [Caption("over a picture", centre: 45, baseline: 30)]
      add(page, [])
      try writer.addPage(page)
    }
  }

  @Test(.thorough) func nativeCellsAreEqual() throws {
    let report = try Self.book().verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == Array(repeating: .equal, count: 10))
  }

  @Test func scaledCellsAreClose() throws {
    let report = try Self.book().verify(nativePixels: 0)
    #expect(report.lines == [])
    for comparison in report.comparisons() {
      guard case .scaled(let decibels) = comparison else {
        Issue.record("\(comparison)")
        continue
      }
      #expect(decibels > 30)
    }
  }

  @Test(.thorough, arguments: [0, 128 << 20]) func exchangedCellsAreNamed(nativePixels: Int) throws {
    let book = try Self.book()
    let other = try Self.book(order: [0, 1, 5, 3, 4, 2, 6, 7, 8])
    let lines = try book.verify(other.bytes, nativePixels: nativePixels).lines
    #expect(lines.contains("1: error: picture 3 is the one meant for picture 6 of this page"))
    #expect(lines.contains("1: error: picture 6 is the one meant for picture 3 of this page"))
    #expect(!lines.contains { $0.contains("picture 5") })
  }

  /// The last field below a transparent picture shows through it, whether it belongs to the page or to a cell.
  @Test func transparentPicturesOverFields() throws {
    let layout = PictureLayout(width: 40, height: 30, format: .rgba8)
    let pixels = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let book = try TestBook { writer, add in
      let encoder = FlateEncoder(layout)
      try pixels.withUnsafeBytes {
        try encoder.write(30, from: $0.baseAddress!, stride: layout.rowByteCount)
      }
      try encoder.finish()
      let picture = try writer.add(encoder.picture)
      var page = PDFPage(size: PageSize(width: 300, height: 100))
      let cell = { (left: Double) in
        PageRectangle(left: left, bottom: 10, width: 80, height: 60)
      }
      // A field inside of the page's edges, one on it below a picture, and one beside a picture.
      page.under = [
        .fill(
          PageRectangle(left: 5, bottom: 5, width: 190, height: 90),
          Colour(red: 0, green: 0.2, blue: 1)),
        .fill(cell(100), Colour(red: 1, green: 0.5, blue: 0)),
      ]
      page.placements = [10, 100, 210].map { Placement(picture, in: cell($0)) }
      add(page, [])
      try writer.addPage(page)
    }
    let report = try book.verify()
    #expect(report.lines == [])
    #expect(report.comparisons().count == 3)
  }

  /// Something drawn over a cell that was not meant to be there.
  @Test(.thorough, arguments: [0, 128 << 20]) func coveredCellsAreNoticed(nativePixels: Int) throws {
    let book = try Self.book()
    let text = book.text(from: "0 g BT", to: "ET\n")
    let cover = "0 g 110 15 60 40 re f"
    let bytes = book.replacing(text, cover + String(repeating: " ", count: text.utf8.count - cover.utf8.count))
    let lines = try book.verify(bytes, nativePixels: nativePixels).lines
    #expect(lines.contains { $0.hasPrefix("1: error: picture 2 is not shown as it is stored: ") })
    #expect(lines.contains("1: error: the page's content was changed after it was written"))
    #expect(lines.contains("1: error: the text 'over a picture' is missing"))
    #expect(!lines.contains { $0.contains("picture 4 is not") })
  }
}
