import ImageCore
import ImagePipeline
import PDFBook
import Testing

@testable import BookComposing

/// The wording of the messages about books, in a table with a row for each.
@Suite struct BookTextTableTests {
  private static func arguments(_ options: [(String, ParameterValue)]) throws -> Arguments {
    try Arguments(RawArguments(named: options), parameters: BookOptions.all, positionalCount: 0)
  }

  // MARK: - Pages that cannot be made

  @Test(arguments: [
    (true, false, false, "gone; 'b.pdf' is not written; --on-error continue leaves page 3 out"),
    (true, true, false, "gone; page 3 is left out of 'b.pdf'"),
    (false, true, true, "gone; picture 3 is left out of 'b.pdf', and the others keep their places"),
    (false, true, false, "gone; picture 3 is left out of 'b.pdf'"),
  ])
  func pageLoss(isSingle: Bool, goesOn: Bool, isPlanned: Bool, text: String) {
    let loss = PageLoss(of: 2, isOnePicturePerPage: isSingle, book: "b.pdf", goesOn: goesOn, isPlanned: isPlanned)
    #expect(loss.message("gone") == text)
  }

  // MARK: - Notes about whole books

  @Test func alternativeTexts() {
    var tagged = AlternativeTexts(isTagged: true)
    #expect(tagged.add(own: "", caption: "a dog") == "a dog")
    #expect(tagged.notes == [])
    #expect(tagged.add(own: "", caption: "") == "")
    #expect(tagged.notes == ["1 of 2 pictures has no alternative text; add one with 'alt'"])
    let long = String(repeating: "a", count: AlternativeText.maximumLength + 1)
    _ = tagged.add(own: long, caption: "")
    #expect(
      tagged.notes.last
        == "the text of a picture is longer than \(AlternativeText.maximumLength) characters and is cut there"
    )
    _ = tagged.add(own: long, caption: "")
    #expect(tagged.notes.last?.hasPrefix("the texts of 2 pictures are longer") == true)
    var plain = AlternativeTexts(isTagged: false)
    #expect(plain.add(own: "a", caption: "b") == "")
    #expect(plain.notes == [])
  }

  @Test func flattenedPictures() throws {
    var pictures = FlattenedPictures(try Self.arguments([]), nil)
    #expect(pictures.note == nil)
    pictures.add("'a.png'")
    #expect(
      pictures.note
        == "'a.png' has transparency, and JPEG has none: it was put on white; 'lossless = true' keeps it, "
        + "and flatten() in the script hides this note")
    pictures.add("'b.png'")
    #expect(
      pictures.note?.hasPrefix("2 pictures have transparency, 'a.png' first, and JPEG has none: ")
        == true)
    var archive = FlattenedPictures(try Self.arguments([("background", .colour(.white))]), .pdfA1b)
    archive.add("'a.png'")
    #expect(
      archive.note?.contains("put on the page's background; PDF/A-1b has none either") == true)
  }

  // MARK: - Covers

  @Test func coversThatContradictTheirBook() {
    func binding(
      _ pages: Int?, _ width: Double, thickness: Double? = nil, direction: String? = nil, isCover: Bool = false
    ) -> BookBinding {
      BookBinding(
        pages: pages, sizes: [PageSize(width: width, height: 500)], sheetThickness: thickness,
        readingDirection: direction, isCover: isCover)
    }
    let book = binding(20, 400, thickness: 0.3, direction: "ltr")
    #expect(book.contradictions(of: binding(20, 400, isCover: true), path: "b.pdf") == [])
    #expect(book.contradictions(of: binding(20, 420, isCover: true), path: "b.pdf") == [])
    let cover = binding(24, 300, thickness: 0.6, direction: "rtl", isCover: true)
    #expect(
      book.contradictions(of: cover, path: "b.pdf") == [
        "'cover_pages' is 24, but 'b.pdf' of this script has 20 pages",
        "'paper' makes a front of 105.83 x 176.39 mm, but the pages of 'b.pdf' have 141.11 x 176.39 mm",
        "'paper_thickness' is 0.21 mm, but 'b.pdf' has 0.11 mm",
        "'reading_direction' is 'rtl', but 'b.pdf' has 'ltr'",
      ])
    #expect(BookBinding.count(1) == "1 page")
  }

  // MARK: - The last pass

  @Test func wordsForQPDF() throws {
    func words(_ options: [(String, ParameterValue)]) throws -> [String] {
      QPDFPass(try Self.arguments(options)).words
    }
    #expect(
      try words([("linearize", .boolean(true))])
        == ["--linearize", "--newline-before-endstream", "--deterministic-id"])
    #expect(
      try words([("owner_password", .text("o")), ("password", .text("p"))]).prefix(4)
        == ["--encrypt", "p", "o", "256"])
    #expect(
      try words([("password", .text("p"))]).starts(with: [
        "--encrypt", "p", "p", "256", "--print=full",
      ]))
    #expect(try words([("password", .text("p"))]).last == "--")
  }

  @Test(arguments: [
    ([("password", "")], "'password' is empty, which protects nothing; leave it out"),
    (
      [("password", "a\nb")],
      "'password' is longer than 127 bytes or contains a control character"
    ),
    (
      [("password", "a"), ("conformance", "pdf/a-2b")],
      "PDF/A forbids encryption; leave out 'password' or 'conformance'"
    ),
  ])
  func mistakesOfTheLastPass(options: [(String, String)], text: String) throws {
    let arguments = try Self.arguments(options.map { ($0.0, .text($0.1)) }.sorted { $0.0 < $1.0 })
    #expect(QPDFPass(arguments).problems(with: arguments).map(\.text).contains(text))
  }

  // MARK: - The verifier

  @Test(arguments: [
    (
      VerifierFailure.password(FileError(.write, path: "t", code: 28)), "cannot hand over the password: "
    ),
    (.start(FileError(.open, path: "p", code: 2)), "cannot start imghost-verify: "),
  ])
  func verifierFailures(failure: VerifierFailure, start: String) {
    // A new case needs a row.
    switch failure {
    case .password, .start: break
    }
    #expect("\(failure)".hasPrefix(start))
  }

  @Test func reports() {
    let report = DocumentVerifier.report(
      on: "a.pdf",
      """
      {"ok":false,"sealed":true,"pages":[{"width":10,"height":20.5,"pictures":[{},{}]}],\
      "findings":[{"page":1,"severity":"error","text":"g\\u00f6ne"}],"fonts":[]}
      """, .exited(4))
    #expect(!report.isSound && report.isSealed)
    #expect(report.pages.first?.height == 20.5 && report.pages.first?.pictures == 2)
    #expect(report.findings.first?.text == "göne")
    let wrong = DocumentVerifier.report(
      on: "a.pdf",
      #"{"ok":false,"option":"against","findings":[{"severity":"error","text":"photos: there is no such folder"}]}"#,
      .exited(2))
    #expect(wrong.findings.first?.text == "'against': photos: there is no such folder")
    let message = "imghost-verify: cannot write the report: no space left on device"
    #expect(DocumentVerifier.report(on: "a.pdf", message + "\n", .exited(2)).findings.first?.text == message)
  }
}
