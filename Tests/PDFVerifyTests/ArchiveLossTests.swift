import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Books that were written as PDF/A, and that other programs have changed so that they no longer conform.
@Suite struct ArchiveLossTests {
  private static let book = Result {
    var settings = DocumentSettings(info: DocumentInfo(title: "Summer", author: "Ann"))
    settings.info.creationTime = 1_700_000_000
    settings.conformance = .pdfA1b
    return try TestBook(settings: settings) { writer, add in
      for number in 1...2 {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        let page = try PageSetup().page(picture)
        add(page, [])
        try writer.addPage(page)
      }
    }
  }

  private func lines(_ options: [String]) throws -> [String]? {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    guard try runTool("qpdf", options + [path, folder.file("other.pdf")]) != nil else { return nil }
    return try book.verify(
      folder.read("other.pdf"), expecting: false, as: "archive" + options[0].filter(\.isLetter)
    ).lines
  }

  @Test func rightBooks() throws {
    #expect(try Self.book.get().verify(expecting: false).lines == [])
    if let lines = try lines(["--linearize"]) { #expect(lines == []) }
  }

  @Test func objectStreams() throws {
    guard let lines = try lines(["--object-streams=generate"]) else { return }
    #expect(
      lines == [
        "error: the document no longer conforms to PDF/A-1b: it has object streams, which part 1 forbids"
      ])
  }

  @Test func encryption() throws {
    guard let lines = try lines(["--encrypt", "", "owner", "256", "--"]) else { return }
    #expect(
      lines.contains(
        "error: the document no longer conforms to PDF/A-1b: it is encrypted, which PDF/A forbids"))
  }

  @Test(arguments: [
    (
      "%\u{e9}\u{ef}\n", "%abcd\n",
      "the header is not followed by a comment of four bytes above 127, which marks the file as binary"
    ),
    (
      "/Producer(imghost)", "/Producer(other)",
      "its Info dictionary has the Producer 'other', its XMP metadata 'imghost'"
    ),
    (
      "/Producer(imghost)", "/ModDate(D:2024)", "its Info dictionary has the ModDate 'D:2024', its XMP metadata none"
    ),
  ])
  func changes(old: String, new: String, reason: String) throws {
    let book = try Self.book.get()
    let lines = try book.verify(book.patched(old, new), expecting: false, as: "archive \(new.filter(\.isLetter))").lines
    #expect(lines == ["error: the document no longer conforms to PDF/A-1b: " + reason])
  }

  /// The same moment in another zone is no difference, another one is.
  @Test(arguments: [("D:20231114231320+01'00'", true), ("D:20231114231320Z", false)])
  func dates(date: String, isSame: Bool) throws {
    let book = try Self.book.get()
    let object = try book.object(beginning: "<</Title(Summer)")
    let changed = object.text.replacing("D:20231114221320Z", with: date)
    let lines = try book.verify(book.updated([object.number: changed]), expecting: false, as: "date \(isSame)").lines
    #expect(lines.contains { $0.contains("the CreationDate") } == !isSame, "\(lines)")
  }
}
