import Foundation
import ImageCodecs
import ImageCore
import PDFBook
import PDFVerify
import Testing

/// The library as a stranger's tests use it: the example of `Docs/HowTo/SwiftTests.md`, which must be this text.
@Suite struct LibraryExampleTests {
  // example begins
  func checkBook(_ path: String) {
    var verifier = Verifier { bytes throws(PictureError) in try JPEGCodec().makeDecoder(bytes) }
    verifier.requirements = Requirements(pages: 4, size: .init(width: 72, height: 48), texts: ["Paris"])
    let report = verifier.verify(path)
    #expect(report.isVerified, "\(report.text)")
  }
  // example ends

  @Test func itRuns() throws {
    var setup = PageSetup()
    try setup.setPaper("72pt x 48pt")
    let book = try TestBook(setup: setup, caption: "Paris")
    checkBook(book.folder.write(book.bytes, as: "book.pdf"))
    withKnownIssue { checkBook(book.folder.file("missing.pdf")) }
  }

  @Test func itIsInTheManual() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let example = try #require(
      source.components(separatedBy: "  // example begins\n").dropFirst().first?
        .components(separatedBy: "  // example ends").first)
    let manual = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Docs/HowTo/SwiftTests.md")
    let text = try String(contentsOf: manual, encoding: .utf8)
    #expect(text.contains(example.replacingOccurrences(of: "\n  ", with: "\n").dropFirst(2)))
  }
}
