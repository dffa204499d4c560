import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// The version that a file states, and what it says when it is linearised.
@Suite struct HeaderTests {
  private static let plain = Result { try TestBook() }
  private static let compact = Result {
    var settings = DocumentSettings()
    settings.isCompact = true
    return try TestBook(settings: settings) { writer, add in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      let page = try PageSetup().page(picture)
      add(page, [])
      try writer.addPage(page)
    }
  }

  @Test(arguments: [
    ("%PDF-x.y", "error: the header states the version 'x.y', which PDF does not have"),
    ("%PDF-9.9", "error: the header states the version '9.9', which PDF does not have"),
    ("%PDF-1.8", "error: the header states the version '1.8', which PDF does not have"),
    ("%PDF-2.1", "error: the header states the version '2.1', which PDF does not have"),
    ("%PDF-1.3", "warning: the file states PDF 1.3 and was written as PDF 1.4; readers ignore"),
    ("%PDF-1.6", "error: the file states PDF 1.6; it was written as PDF 1.4"),
    ("%PDF-2.0", "error: the file states PDF 2.0; it was written as PDF 1.4"),
  ])
  func changedHeaders(header: String, line: String) throws {
    let book = try Self.plain.get()
    let lines = try book.verify(book.replacing("%PDF-1.4", header), expecting: false, as: String(header.dropFirst(5)))
      .lines
    #expect(lines.count == 1 && lines[0].hasPrefix(line), "\(lines)")
  }

  @Test(arguments: ["1.0", "1.4"])
  func compactBooksNeedTheirVersion(version: String) throws {
    let book = try Self.compact.get()
    #expect(try book.verify(expecting: false).lines == [])
    let lines = try book.verify(
      book.replacing("%PDF-1.5", "%PDF-" + version), expecting: false, as: "compact " + version
    ).lines
    #expect(
      lines == [
        "error: the file states PDF \(version) and has a cross-reference stream, which came with PDF 1.5"
      ])
  }

  /// Files that do not say how they were written may have any known version.
  @Test(arguments: [("1.0", true), ("1.7", true), ("2.0", true), ("1.9", false), ("1.x", false)])
  func otherFiles(version: String, isRight: Bool) throws {
    var bytes = TestBook.file([
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<<>>/Contents 4 0 R>>",
      HandmadeFaultsTests.stream("0 0 9 9 re f"),
    ])
    bytes.replaceSubrange(5..<8, with: version.utf8)
    let lines = try Self.plain.get().verify(bytes, expecting: false, as: "other " + version).lines
    #expect(lines.isEmpty == isRight, "\(lines)")
  }

  /// Programs that rewrite a file may raise its version.
  @Test func raisedVersions() throws {
    let book = try Self.plain.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    let options = ["--min-version=1.6", path, folder.file("other.pdf")]
    guard try runTool("qpdf", options) != nil else { return }
    let lines = try book.verify(folder.read("other.pdf"), expecting: false, as: "raised").lines
    #expect(lines == [])
  }

  /// A number of a linearised file's parameters changed, by the digit after its key.
  @Test(arguments: [
    ("/L ", "states "), ("/N ", "states 9 pages (N); there are 4"),
    ("/O ", "states that page 1 is object 9"),
  ])
  func linearizedFiles(key: String, text: String) throws {
    guard var bytes = try Self.linearized() else { return }
    let book = try Self.plain.get()
    #expect(try book.verify(bytes, expecting: false, as: "linearized").lines == [])
    let needle = Array(key.utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    bytes[place + needle.count] = UInt8(ascii: "9")
    let lines = try book.verify(bytes, expecting: false, as: "linear " + key.filter(\.isLetter)).lines
    let start = "error: the linearisation dictionary " + text
    // Poppler tells of some as well.
    #expect(lines.first?.hasPrefix(start) == true, "\(lines)")
  }

  @Test func linearizedFilesThatWereAddedTo() throws {
    guard let bytes = try Self.linearized() else { return }
    let lines = try Self.plain.get().verify(bytes + Array("\n\n".utf8), expecting: false, as: "longer").lines
    #expect(lines == ["warning: the file is no longer linearised: 2 bytes were added to it"])
  }

  private static func linearized() throws -> [UInt8]? {
    let folder = TestFolder()
    let path = folder.write(try plain.get().bytes, as: "plain.pdf")
    let options = ["--linearize", "--deterministic-id", path, folder.file("other.pdf")]
    return try runTool("qpdf", options) == nil ? nil : folder.read("other.pdf")
  }
}
