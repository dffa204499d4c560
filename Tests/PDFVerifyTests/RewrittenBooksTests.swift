import BookExpectations
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook
@testable import PDFVerify
@testable import TextShaping

/// Books that other programs rewrote without changing what they show.
@Suite struct RewrittenBooksTests {
  /// Content in two streams, of which the second is written at the end, with strings of glyphs and, as letters of
  /// Devanagari change places, one of characters.
  private static let book = Result {
    let layouter = try TextLayouter()
    let (caption, page) = try (
      layouter.layout("Paris \u{928}\u{93f}", style: TextStyle(size: 9), width: 70),
      layouter.layout("no. 1", style: TextStyle(size: 9), width: 70)
    )
    return try TestBook { writer, _ in
      var later: [DeferredTexts] = []
      let encoder = FlateEncoder(PictureLayout(width: 20, height: 20, format: .rgba8))
      let pixels = (0..<1_600).map { UInt8(truncatingIfNeeded: $0 * 7) }
      try pixels.withUnsafeBytes { try encoder.write(20, from: $0.baseAddress!, stride: 80) }
      try encoder.finish()
      for picture in [encoder.picture, try PDFPicture(jpeg: TestPicture(1).jpeg())] {
        let placement = Placement(
          try writer.add(picture), in: PageRectangle(left: 0, bottom: 40, width: 72, height: 48))
        var page = PDFPage(size: PageSize(width: 72, height: 88), placements: [placement])
        page.texts = [PlacedText(caption, left: 1, top: 38)]
        page.deferredTexts = writer.reserveTexts(onPageOf: page.size)
        try writer.addPage(page)
        later.append(page.deferredTexts!)
      }
      for place in later { try writer.write([PlacedText(page, left: 1, top: 20)], as: place) }
    }
  }

  private func lines(_ options: [String]) throws -> [String]? {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    guard try runTool("qpdf", options + [path, folder.file("other.pdf")]) != nil else { return nil }
    return try book.verify(folder.read("other.pdf"), expecting: false, as: "rewritten" + options[0]).lines
  }

  @Test(arguments: [
    "--coalesce-contents", "--normalize-content=y", "--object-streams=generate", "--linearize",
  ])
  func contentIsTheSame(option: String) throws { if let lines = try lines([option]) { #expect(lines == []) } }

  /// Only the bytes tell which pixels a repacked picture stands for, because compressors differ.
  @Test(arguments: [["--recompress-flate", "--compression-level=9"], ["--stream-data=uncompress"]])
  func picturesThatWerePackedAnewAreTold(options: [String]) throws {
    guard let lines = try lines(options) else { return }
    let start = "1: error: picture 1 was repacked by another program"
    #expect(lines.count == 1 && lines[0].hasPrefix(start), "\(lines)")
  }

  /// Books of older versions have a line feed more between their streams.
  @Test(arguments: [
    (["a\n", "b"], "a\nb", true), (["a\n", "b"], "a\n\nb", true), (["a", "b"], "a\nb", true),
    (["a", "b"], "ab", false), (["", "b"], "b", true), (["a\n"], "a\n\n", false),
  ])
  func streamsAreOne(parts: [String], meant: String, isSame: Bool) {
    let digest = ShortDigest(SHA256.digest(of: Array(meant.utf8)))
    let form = ContentForm(parts: parts.map { Array($0.utf8) })
    #expect((form.digest { $0 == digest } == digest) == isSame)
  }
}
