import Foundation
import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

/// A file of more than 10^10 bytes, which takes that much disk and a minute: `IMGHOST_LARGE_FILES=1`.
@Suite(
  .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["IMGHOST_LARGE_FILES"] != nil))
struct LargeFileTests {
  @Test(arguments: [false, true]) func moreThanTenGigabytes(compact: Bool) throws {
    let folder = TestFolder()
    // A sparse file of three gigabytes takes no space on the disk; each part counts as another picture.
    let path = folder.write([], as: "holes")
    let part = 3_000_000_000
    #expect(truncate(path, off_t(part + 4)) == 0)
    let file = try InputFile(path: path)
    var settings = DocumentSettings()
    settings.isCompact = compact
    let descriptor = open(folder.file("book.pdf"), O_CREAT | O_TRUNC | O_RDWR, 0o644)
    defer { close(descriptor) }
    let writer = try PDFWriter(descriptor: descriptor, path: "book.pdf", settings: settings)
    let small = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg()))
    try writer.addPage(PageSetup().page(small))
    for index in 0..<4 {
      let picture = try PDFPicture(
        JPEGHeader(width: 100, height: 100 + index, components: 3),
        data: .file(file, offset: index, count: part))
      let digest = SHA256.digest(of: [UInt8(index)])
      try writer.addPage(PageSetup().page(writer.add(picture, digest: digest)))
    }
    // A page behind the tenth gigabyte that readers can draw.
    let last = try writer.add(PDFPicture(jpeg: TestPicture(2).jpeg()))
    try writer.addPage(PageSetup().page(last))
    let summary = try writer.finish()
    #expect(summary.byteCount > 12_000_000_000)
    for (tool, arguments, expected) in [
      ("qpdf", ["--show-npages", folder.file("book.pdf")], "6"),
      ("pdfinfo", [folder.file("book.pdf")], "Pages:           6"),
      ("mutool", ["info", folder.file("book.pdf"), "6"], "DCT"),
      (
        "gs",
        [
          "-q", "-dNOPAUSE", "-dBATCH", "-dPDFSTOPONERROR", "-dFirstPage=6", "-sDEVICE=nullpage",
          folder.file("book.pdf"),
        ], ""
      ),
      (
        "pdftoppm",
        ["-f", "6", "-l", "6", "-png", folder.file("book.pdf"), folder.file("page")], ""
      ),
    ] {
      guard let result = try runTool(tool, arguments) else { continue }
      #expect(
        result.status == 0 && (expected.isEmpty || result.text.contains(expected)),
        "\(tool): \(result.text)")
    }
  }
}
