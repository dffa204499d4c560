import Foundation
import PDFBook
import PDFTestSupport
import PDFVerify
import Testing

/// Only a book with expectations that were found and that hold is called verified.
@Suite struct SealedBooksTests {
  private static let verdict = "no expectations found; checked structure, fonts and rendering only"
  private static let demanded =
    "no expectations found: nothing in the file says what its pages should show, which 'sealed' requires"

  /// Returns a page without any expectations.
  private static func plain(_ catalogue: String = "", _ objects: [String] = []) -> [UInt8] {
    TestBook.file(
      [
        "<</Type/Catalog/Pages 2 0 R\(catalogue)>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Resources<<>>/Contents 4 0 R>>",
        HandmadeFaultsTests.stream("0 0 9 9 re f"),
      ] + objects)
  }

  @Test func otherFilesAreNotVerified() throws {
    let folder = TestFolder()
    let path = folder.write(Self.plain(), as: "plain.pdf")
    let result = try runVerifier([path])
    #expect(result.status == 0)
    #expect(result.text.hasPrefix("\(path): 1 page, \(Self.verdict)\n"))
    #expect(!result.text.contains("verified"))
    let json = try runVerifier(["--json", "--junit", folder.file("j.xml"), path])
    #expect(json.status == 0)
    #expect(
      json.text.contains(
        "\"verified\":false,\"ok\":true,\"sealed\":false,\"summary\":\"1 page, \(Self.verdict)\""))
    let junit = String(decoding: folder.read("j.xml"), as: UTF8.self)
    #expect(junit.contains("tests=\"2\" failures=\"0\" skipped=\"2\">"))
    for name in ["document", "page 1"] {
      #expect(
        junit.contains(
          " name=\"\(name)\">\n      <skipped message=\"\(Self.verdict)\"/>\n    </testcase>"),
        "\(junit)")
    }
    let skipped = "\"result\":\"skipped\",\"reason\":\"\(Self.verdict)\"}"
    #expect(json.text.contains("\"pictures\":[],\(skipped)]"), "\(json.text)")
    #expect(json.text.hasSuffix(skipped + "\n"), "\(json.text)")
  }

  @Test func expectationsCanBeRequired() throws {
    let folder = TestFolder()
    let path = folder.write(Self.plain(), as: "plain.pdf")
    let result = try runVerifier(["--sealed", "--junit", folder.file("j.xml"), path])
    #expect(result.status == 4)
    #expect(result.text.hasPrefix("\(path): 1 page, not verified: 1 error\n"))
    #expect(result.text.hasSuffix("\(path): error: \(Self.demanded)\n"))
    let junit = String(decoding: folder.read("j.xml"), as: UTF8.self)
    #expect(junit.contains("tests=\"2\" failures=\"1\" skipped=\"1\">"))
    #expect(junit.contains("<failure message=\"\(Self.demanded)\">"))
    let book = try TestBook([TestPicture(1)])
    let sealed = try runVerifier(["--sealed", book.folder.write(book.bytes, as: "sealed.pdf")])
    #expect(sealed.status == 0)
    #expect(sealed.text.contains(": 1 page, verified\n"))
  }

  /// Names of the producer in Info and in XMP, and whether the file says that imghost made it.
  @Test(arguments: [
    ("imghost", nil, true), ("imghost; modified using a tool", nil, true), (nil, "imghost", true),
    ("another", "imghost 1.0", true), ("another", "another", false), (nil, nil, false),
  ])
  func lostExpectationsAreErrors(info: String?, packet: String?, isLost: Bool) throws {
    let xmp =
      "<x:xmpmeta xmlns:x='adobe:ns:meta/'>"
      + "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
      + "xmlns:pdf='http://ns.adobe.com/pdf/1.3/' pdf:Producer='\(packet ?? "")'/></rdf:RDF>"
      + "</x:xmpmeta>"
    let bytes = Self.plain(
      packet == nil ? "" : "/Metadata 5 0 R",
      [
        HandmadeFaultsTests.stream(xmp, "/Type/Metadata/Subtype/XML"),
        "<<" + (info.map { "/Producer(\($0))" } ?? "") + ">>",
      ])
    let text = String(decoding: bytes, as: UTF8.self)
      .replacingOccurrences(of: "/Root 1 0 R>>", with: "/Root 1 0 R/Info 6 0 R>>")
    let folder = TestFolder()
    let path = folder.write(Array(text.utf8), as: "lost.pdf")
    for options in [[], ["--sealed"]] {
      let result = try runVerifier(options + [path])
      #expect(result.status == (isLost || !options.isEmpty ? 4 : 0), "\(result.text)")
      let line = "error: the file names imghost as its producer, but its expectations are missing"
      #expect(result.text.contains(line) == isLost, "\(result.text)")
      let json = try runVerifier(options + ["--json", "--junit", folder.file("j.xml"), path])
      #expect(json.status == result.status)
      let isWrong = result.status == 4
      #expect(json.text.hasSuffix("\"result\":\"wrong\"}\n") == isWrong, "\(json.text)")
      let junit = String(decoding: folder.read("j.xml"), as: UTF8.self)
      #expect(junit.contains("failures=\"\(isWrong ? 1 : 0)\""), "\(junit)")
    }
  }

  /// A picture that could not be compared passes no test, either.
  @Test func picturesThatWereNotComparedAreSkipped() throws {
    let book = try TestBook { writer, _ in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      var page = PDFPage(size: PageSize(width: 72, height: 48))
      let sliver = PageRectangle(left: 0, bottom: -47.9999, width: 72, height: 48)
      page.placements = [Placement(picture, in: sliver)]
      try writer.addPage(page)
    }
    let path = book.folder.write(book.bytes, as: "covered.pdf")
    let result = try runVerifier(["--junit", book.folder.file("j.xml"), path])
    #expect(result.status == 0, "\(result.text)")
    let junit = String(decoding: book.folder.read("j.xml"), as: UTF8.self)
    #expect(junit.contains("tests=\"2\" failures=\"0\" skipped=\"1\">"), "\(junit)")
    #expect(junit.contains("<skipped message=\"picture 1 was not compared exactly: "), "\(junit)")
  }

  /// Programs that make a new document of a book's pages, with `a` for the book and `b` for theirs.
  @Test(arguments: [
    ["gs", "-q", "-dPDFSETTINGS=/screen", "-sDEVICE=pdfwrite", "-o", "b", "a"],
    ["pdftocairo", "-pdf", "a", "b"], ["qpdf", "--empty", "--pages", "a", "--", "b"],
  ])
  func rewritingsThatLoseExpectations(command: [String]) throws {
    let book = try TestBook([TestPicture(1), TestPicture(2)])
    let path = book.folder.write(book.bytes, as: "book.pdf")
    let other = book.folder.file("other.pdf")
    let arguments = command.dropFirst().map { $0 == "a" ? path : $0 == "b" ? other : $0 }
    guard try runTool(command[0], arguments) != nil else { return }
    let result = try runVerifier([other])
    #expect(result.status == 0, "\(result.text)")
    #expect(result.text.hasPrefix("\(other): 2 pages, \(Self.verdict)"), "\(result.text)")
    #expect(try runVerifier(["--sealed", other]).status == 4)
  }
}
