import ImageCore
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFBook

/// The bytes of a page without its picture, and files with object streams.
@Suite struct CompactTests {
  private func settings(compact: Bool) -> DocumentSettings {
    var settings = DocumentSettings()
    settings.isCompact = compact
    settings.sharesContents = true
    return settings
  }

  /// Pictures with the same size and resolution, or with as many sizes as pictures. They are as large as those of
  /// cameras, so that numbers have as many digits.
  enum Sizes { case alike, different, ofDifferentResolutions, turnedWithProfiles }

  @Test(arguments: [
    (false, Sizes.alike, 335), (false, .different, 450), (false, .ofDifferentResolutions, 450),
    (false, .turnedWithProfiles, 450), (true, .alike, 190), (true, .different, 300),
    (true, .ofDifferentResolutions, 300), (true, .turnedWithProfiles, 300),
  ])
  func bytesAPage(compact: Bool, sizes: Sizes, most: Int) throws {
    let folder = TestFolder()
    let pages = 200
    var pictureBytes = 0
    let (bytes, summary) = try folder.book(settings: settings(compact: compact)) { writer in
      for number in 0..<pages {
        let data = [UInt8](repeating: UInt8(number), count: 100_000 + number)
        pictureBytes += data.count
        let differs = sizes == .different || sizes == .turnedWithProfiles
        let facts = JPEGHeader(
          width: 4_000 + (differs ? number * 7 : 0), height: 3_000 + (differs ? number * 3 : 0),
          components: 3)
        let picture = try writer.add(
          PDFPicture(
            facts, data: .bytes(data),
            iccProfile: sizes == .turnedWithProfiles ? SRGBProfile.bytes : []))
        let setup = PageSetup(
          dpi: sizes == .ofDifferentResolutions ? 300 + Double(number) : 300)
        try writer.addPage(setup.page(picture, orientation: sizes == .turnedWithProfiles ? .rotated90 : .upright))
      }
    }
    #expect(summary.pages == pages)
    let profile = sizes == .turnedWithProfiles ? Deflater.compress(SRGBProfile.bytes, level: 9).count : 0
    let cost = (bytes.count - pictureBytes - profile) / pages
    #expect(cost <= most, "\(cost) bytes a page")
  }

  @Test(.thorough, arguments: [1, 33, 250, 1_100]) func compactFilesAreWhole(pages: Int) throws {
    let folder = TestFolder()
    var settings = settings(compact: true)
    settings.info.title = "Compact"
    let (bytes, _) = try folder.book(settings: settings) { writer in
      for number in 0..<pages {
        let jpeg = TestPicture(number % 7, width: 24, height: 16).jpeg()
        var page = try PageSetup().page(writer.add(PDFPicture(jpeg: jpeg)), caption: "\(number)")
        page.outlines = [["Part \(number / 10)", "\(number)"]]
        try writer.addPage(page)
      }
    }
    #expect(bytes.starts(with: "%PDF-1.5\n".utf8))
    for (tool, arguments) in [
      ("qpdf", ["--check", folder.file("book.pdf")]),
      ("pdfinfo", [folder.file("book.pdf")]), ("mutool", ["info", folder.file("book.pdf")]),
      (
        "gs",
        [
          "-q", "-dNOPAUSE", "-dBATCH", "-dPDFSTOPONERROR", "-dLastPage=3", "-sDEVICE=nullpage",
          folder.file("book.pdf"),
        ]
      ),
    ] {
      guard let check = try runTool(tool, arguments) else { continue }
      #expect(check.status == 0 && !check.text.contains("rror:"), "\(tool): \(check.text)")
    }
    if let count = try runTool("qpdf", ["--show-npages", folder.file("book.pdf")]) {
      #expect(count.text == "\(pages)\n")
    }
  }

  @Test func anOlderVersionThanNeededIsRefused() throws {
    var settings = DocumentSettings()
    settings.version = .v14
    let deep = FlateEncoder(PictureLayout(width: 2, height: 1, format: PixelFormat(.u16, .gray)))
    let row: [UInt16] = [1, 2]
    try row.withUnsafeBytes { try deep.write(1, from: $0.baseAddress!, stride: 4) }
    try deep.finish()
    #expect(throws: PDFError.version(wanted: "1.4", needed: "1.5")) {
      try TestFolder().book(settings: settings) { writer in
        try writer.addPage(PageSetup(dpi: 10).page(writer.add(deep.picture)))
      }
    }
  }
}
