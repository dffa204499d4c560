import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import Testing

/// PNG files whose own compressed data is stored.
@Suite struct StoredPNGTests {
  private static func book(_ png: TestPNG) throws -> TestBook {
    let folder = TestFolder()
    let file = try InputFile(path: folder.write(png.bytes, as: "a.png"))
    return try TestBook { writer, _ in
      try writer.addPage(PageSetup().page(writer.add(PDFPicture(pngFile: file))))
    }
  }

  /// Rows beyond the picture, and a part of a row: nobody shows them.
  @Test(arguments: [7, 8, 12]) func rowsBeyondThePictureAreNoFault(rows: Int) throws {
    let book = try Self.book(TestPNG(width: 9, height: 7, rows: rows))
    let report = try book.verify(expecting: false)
    #expect(report.comparisons() == [.equal])
    let note = "1: note: the compressed data of picture 1 goes on after its last row; no reader shows that"
    #expect(report.allLines == (rows > 7 ? [note] : []))
  }

  /// They are shown as soon as the picture says that it is higher.
  @Test func rowsBeyondThePictureThatAreShownAreTold() throws {
    let book = try Self.book(TestPNG(width: 9, height: 7, rows: 12))
    let lines = try book.verify(book.replacing("/Height 7", "/Height 9"), expecting: false).lines
    #expect(lines.contains("1: error: picture 1 has 9x9 pixels instead of 9x7"), "\(lines)")
  }

  @Test func missingRowsAreTold() throws {
    let book = try Self.book(TestPNG(width: 9, height: 7, rows: 6))
    let lines = try book.verify(expecting: false).lines
    let start = "1: error: picture 1 cannot be decoded: its compressed data is damaged, too short"
    #expect(lines.contains { $0.hasPrefix(start) }, "\(lines)")
  }
}
