import ImageCore
import PDFTestSupport
import PDFVerify
import Testing

@testable import PDFBook

/// Changes to a book's metadata, opening view, outline and links: each must be found, and reported in words.
@Suite struct ChangedDocumentsTests {
  /// The text to replace, its replacement, and the line that must be found; empty if the book is still right.
  static let changes: [(old: String, new: String, line: String)] = [
    (
      "/Title(Summer)", "/Title(Winter)",
      "error: the title is 'Winter'; it was written as 'Summer'"
    ),
    ("/Title(Summer)", "", "error: the title is missing; it was written as 'Summer'"),
    (
      "/Copyright(none)", "/Copyright(all)",
      "error: the entry 'Copyright' of the Info dictionary is 'all'; it was written as 'none'"
    ),
    (
      "/Copyright(none)", "/Subject(Sea)", "error: the subject is 'Sea'; it was written without one"
    ),
    ("/Producer(imghost)", "/Producer(x)", ""),
    (
      "/Copyright(none)", "/Trapped true",
      "error: the entry 'Trapped' of the Info dictionary is 'true'; it was written without one"
    ),
    (
      "/Producer(imghost)", "/Trapped/True",
      "error: the entry 'Trapped' of the Info dictionary is 'True'; it was written without one"
    ),
    (
      "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">Summer",
      "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">Winter",
      "error: the XMP metadata was changed after the book was written: Title is 'Winter' there, and was " + "'Summer'"
    ),
    ("?xpacket end=\"r\"?", "?xpacket end=\"w\"?", ""),
    ("<pdf:Producer>imghost<", "<pdf:Producer>pikepdf<", ""),
    ("<rdf:Description rdf:about=\"\" xmlns:dc=", "<rdf:Description xmlns:dc=", ""),
    (
      "/CreationDate(D:2023", "/CreationDate(D:2024",
      "error: the date of creation is 'D:20241114221320Z'; it was written as 'D:20231114221320Z'"
    ),
    ("<dc:title>", "<dc:titel>", "error: the XMP metadata was changed after the book was written"),
    ("/Metadata ", "/Metadato ", "error: the XMP metadata is missing"),
    (
      "/URI(http://a.b/2)", "/URI(http://c.d/2)",
      "2: error: link 1 leads to 'http://c.d/2'; it was written to lead to 'http://a.b/2'"
    ),
    (
      "/S/URI/URI(http://a.b/2)", "/S/Launch/F(evil.exe)",
      "2: error: link 1 leads to 'an action of the kind Launch'; it was written to lead to"
    ),
    (
      "/Rect[2 5 42 35]", "/Rect[9 5 42 35]",
      "1: error: link 1 to 'http://a.b/1' lies at (9, 5, 33, 30) instead of (2, 5, 40, 30)"
    ),
    ("/Annots", "/Annuts", "1: error: the link to 'http://a.b/1' is missing"),
    (
      "/Subtype/Link", "/Subtype/Text", "1: error: the page was written without an annotation of the kind Text"
    ),
    (
      "/TrimBox[6 6 ", "/TrimBox[7 6 ",
      "1: error: the TrimBox and the BleedBox are (7, 6, 59, 36) and (3, 3, 66, 42) instead of (6, 6, "
    ),
    (
      "/BleedBox[3 3 ", "/BleedBux[3 3 ",
      "1: error: the TrimBox and the BleedBox are (6, 6, 60, 36) and (0, 0, 72, 48) instead of (6, 6, "
    ),
    (
      "/FitH null]", "/Fit]", "error: the view on opening is 'page 2, Fit'; it was written as 'page 2, FitH'"
    ),
    (
      "/PageLayout/TwoPageRight", "/PageLayout/SinglePage",
      "error: the layout on opening is 'SinglePage'; it was written as 'TwoPageRight'"
    ),
    (
      "/PageMode/UseOutlines", "/AA<</WC<<>>>>",
      "error: the document's list of actions is 'WC'; it was written without one"
    ),
    (
      "/DisplayDocTitle true", "", "error: the list of viewer preferences is 'Direction R2L'; it was"
    ),
    (
      "/S/D/P(A-)", "/S/D/P(B-)", "error: the list of page labels is '1:r 3:D/1/B-'; it was written as '1:r 3:D/1/A-'"
    ),
    (
      "/Title(Two)", "/Title(Too)",
      "error: entry 3 of the outline is 'Too' for page 2 on level 2; it was written as 'Two' for "
    ),
    ("/Outlines ", "/Outlanes ", "error: the outline is missing"),
    (
      "/Border[0 0 0]", "/AA<<>>",
      "1: error: the page is not as it was written: link 1 has the entry 'AA', which imghost never"
    ),
    (
      "/F 4/Border", "/F 6/Border", "1: error: the page is not as it was written: link 1 has other flags"
    ),
    (
      "/Lang(en)", "/Lang(de)",
      "error: the document's language is 'de'; it was written as 'en'"
    ),
    ("/Lang(en)", "", "error: the document's language is missing; it was written as 'en'"),
  ]

  @Test(arguments: ChangedDocumentsTests.changes)
  func isTold(old: String, new: String, line: String) throws {
    let book = try Self.book.get()
    let name = String(new.filter(\.isLetter))
    let report = try book.verify(book.patched(old, new), expecting: false, as: "\(old.count) \(name)")
    if line.isEmpty { return #expect(report.lines == []) }
    #expect(report.lines.contains { $0.hasPrefix(line) }, "\(report.lines)")
    #expect(!report.isVerified)
  }

  /// The host's expectations leave out the document, but the book records it.
  @Test func theBookKnowsMoreThanTheHost() throws {
    let book = try Self.book.get()
    #expect(book.expected.document == nil)
    let lines = try book.verify(book.patched("/Title(Summer)", "/Title(Winter)"), as: "told by the host").lines
    #expect(lines.contains { $0.hasPrefix("error: the title is 'Winter'") }, "\(lines)")
  }

  /// A book without a word of itself has a word put in.
  @Test func addedWordsAreTold() throws {
    let book = try TestBook()
    let lines = try book.verify(book.patched("/Producer(imghost)", "/Title(x)"), expecting: false).lines
    #expect(lines == ["error: the title is 'x'; it was written without one"])
  }

  /// The rules of PDF/A apply, whoever wrote the file.
  @Test func archivesKeepTheirRules() throws {
    var settings = DocumentSettings(info: DocumentInfo(title: "Summer"))
    settings.conformance = .pdfA2b
    let book = try TestBook(settings: settings) { writer, add in
      let picture = try writer.add(PDFPicture(jpeg: TestPicture(1).jpeg(quality: 95)))
      let page = try PageSetup().page(picture)
      add(page, [])
      try writer.addPage(page)
    }
    #expect(try book.verify(expecting: false).lines == [])
    let intent = "the document claims PDF/A-2 but has no output intent, which says what its colours"
    let changed = book.patched("/OutputIntents", "/OutputIntants")
    let lines = try book.verify(changed, expecting: false, as: "no intent").lines
    #expect(lines.contains { $0.hasPrefix("error: " + intent) }, "\(lines)")
  }

  /// Rewriting does not change what a book says.
  @Test(arguments: [["--linearize"], ["--object-streams=generate"]])
  func rewrittenBooksSayTheSame(options: [String]) throws {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    guard try runTool("qpdf", options + [path, folder.file("other.pdf")]) != nil else { return }
    let lines = try book.verify(folder.read("other.pdf"), expecting: false, as: "rewritten" + options[0]).lines
    #expect(lines == [])
  }

  /// A form for editors: its comments may end elsewhere for another reader.
  @Test func booksForEditorsAreNotSealed() throws {
    let book = try Self.book.get()
    let folder = TestFolder()
    let path = folder.write(book.bytes, as: "plain.pdf")
    guard try runTool("qpdf", ["--qdf", path, folder.file("other.pdf")]) != nil else { return }
    let lines = try book.verify(folder.read("other.pdf"), expecting: false, as: "editor").lines
    #expect(lines.contains("error: readers may show another document: a comment begins at byte 15"), "\(lines)")
  }

  private static let book = Result {
    var info = DocumentInfo(title: "Summer", author: "Ann")
    info.entries = ["Copyright": "none"]
    info.creationTime = 1_700_000_000
    var settings = DocumentSettings(info: info)
    settings.view.layout = .twoPageRight
    settings.view.panes = .outlines
    settings.view.firstPage = 2
    settings.view.zoom = .fitWidth
    settings.view.direction = .rightToLeft
    settings.view.showsTitle = true
    settings.language = "en"
    settings.labels = try PageLabel.parse("1:r 3:D/1/A-")
    return try TestBook(settings: settings) { writer, add in
      for (number, title) in [(1, "One"), (2, "Two"), (3, "Three"), (4, "Été")] {
        let picture = try writer.add(PDFPicture(jpeg: TestPicture(number).jpeg(quality: 95)))
        var page = try PageSetup().page(picture)
        page.outlines = [["All", title]]
        page.boxes = PrintBoxes(
          trim: PageRectangle(left: 6, bottom: 6, width: 60, height: 36),
          bleed: PageRectangle(left: 3, bottom: 3, width: 66, height: 42))
        page.links = [PageLink("http://a.b/\(number)", over: PageRectangle(left: 2, bottom: 5, width: 40, height: 30))]
        add(page, [])
        try writer.addPage(page)
      }
    }
  }
}
