import Foundation
import TestSupport
import Testing

/// PDF/A: books conform, or are refused if their content cannot.
struct ConformanceTests {
  @Test(.thorough) func anArchiveIsPDFA1b() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local photos = img.glob("\(Built.photos)/*.{jpg,png}")
      img.book("b.pdf", photos, { conformance = "pdf/a-1b", title = "Scans <é>", author = "A & B",
        keywords = "k, l", metadata = { Copyright = "none" }, outline = "{stem}", paper = "a4",
        link = "https://example.org/{name}", caption = "{stem} · Ω ж", page_number = "{page}/{pages}", page_labels = "1:r", background = "#fffff0", verify = true })
      img.book("g.pdf", photos, { conformance = "pdf/a-1b", layout = "grid", border = 1, bleed = "3mm",
        crop_marks = true, paper = "a5" })
      """, environment: ["SOURCE_DATE_EPOCH": "1700000000"])
    outcome.expect(status: 0)
    for book in ["b.pdf", "g.pdf"] {
      try SecondOpinions.expectPDFA1b(folder(book))
      try SecondOpinions.expectNoComplaint(folder(book))
    }
  }

  /// qpdf's last pass keeps what PDF/A wants of the ends of streams.
  @Test(.thorough, .enabled(if: (try? SecondOpinions.run("qpdf", ["--version"])) ?? nil != nil))
  func linearizedBooksStayPDFA1b() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.glob("\(Built.photos)/*.jpg"), { conformance = "pdf/a-1b", title = "x",
        caption = "{stem}", linearize = true, verify = true })
      """)
    outcome.expect(status: 0)
    try SecondOpinions.expectPDFA1b(folder("b.pdf"))
  }

  @Test func laterPartsHoldMore() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 40, { background = "#80808080" })
      for _, part in ipairs{ "pdf/a-2b", "pdf/a-3b" } do
        img.book(part:sub(-2) .. ".pdf", p, { conformance = part, lossless = true, compact = true })
      end
      """)
    outcome.expect(status: 0)
    for (book, part) in [("2b.pdf", 2), ("3b.pdf", 3)] {
      let text = String(decoding: folder.bytes(book), as: Unicode.ASCII.self)
      #expect(text.contains("<pdfaid:part>\(part)</pdfaid:part>"))
      try SecondOpinions.expectNoComplaint(folder(book))
    }
  }

  @Test(arguments: [
    ("img.canvas(9, 9, { background = \"#80808080\" })", "lossless = true", "opacity"),
    ("img.canvas(9, 9)", "compact = true", "PDF/A-1b has no object streams"),
    ("img.canvas(9, 9)", "pdf_version = \"1.7\"", "PDF/A-1b is PDF 1.4"),
    ("img.canvas(99, 99)", "paper = \"600cm x 600cm\"", "needs PDF 1.6"),
  ])
  func whatCannotConformIsRefused(picture: String, options: String, reason: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"b.pdf\", \(picture), { dpi = 72, conformance = \"pdf/a-1b\", \(options) })")
    #expect(outcome.status != 0 && !folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains(reason), "\(outcome)")
    #expect(folder.temporaries == [])
  }

  /// Opacity that only pixels show costs a picture its page, where others go on, and the book where they do not.
  @Test func opacityFoundInPixelsIsThePages() throws {
    let folder = try Folder()
    let made = try folder.run(
      """
      img.canvas(90, 400, { background = "navy" }):ensure_alpha():save("full.png")
      img.canvas(90, 400, { background = "navy" }):ensure_alpha()
        :extend{ bottom = 1, background = "transparent" }:save("last.png")
      img.canvas(90, 40, { background = "#00008080" }):save("clear.png")
      """)
    made.expect(status: 0)
    let script = """
      local all = { img.open("full.png"), img.open("clear.png"),
        img.canvas(40, 40, { background = "#80808080" }), img.open("last.png"):flip() }
      img.book("b.pdf", all, { conformance = "pdf/a-1b", lossless = true })
      """
    let reason = "cannot be in a PDF/A-1b file: it has opacity; use flatten(), or pdf/a-2b"
    let starts = [
      "t.lua:4: book: b.pdf: picture 3: \(reason); ", "t.lua:4: book: clear.png: \(reason); ",
      "t.lua:4: book: last.png: \(reason); ",
    ]
    let messages = zip(starts, [3, 2, 4]).map { "\($0)page \($1) is left out of 'b.pdf'" }
    let outcome = try folder.run(script, "--on-error", "continue")
    outcome.expect(status: 1)
    #expect(
      outcome.messages.sorted()
        == (messages + ["t.lua:4: book: b.pdf: written without 3 of its 4 pages (2, 3, 4)"])
        .sorted(),
      "\(outcome)")
    try SecondOpinions.expectPDFA1b(folder("b.pdf"))
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    let stopped = try folder.run(script.replacingOccurrences(of: "b.pdf", with: "c.pdf"), "--on-error", "stop")
    #expect(stopped.status == 1 && !folder.exists("c.pdf"), "\(stopped)")
    #expect(stopped.error.contains(reason) && folder.temporaries == [], "\(stopped)")
  }
}
