import Foundation
import TestSupport
import Testing

/// Tagged books and alternative texts, by scripts.
struct BookTagsTests {
  /// Every layout, with all that a page can have beside its pictures; then what other programs say.
  @Test(
    .thorough,
    arguments: [
      "paper = \"a5\", margin = \"9mm\", title_page = \"A long\\nbook\\n\\nby me\", header = \"Top\", "
        + "page_number = \"{page}/{pages}\", conformance = \"pdf/a-1b\", title = \"Tags\"",
      "layout = \"grid\", paper = \"a5\", border = 1, bleed = \"3mm\", crop_marks = true, "
        + "background = \"#ffe\", conformance = \"pdf/a-1b\"",
      "layout = \"justified\", paper = \"a5\", compact = true",
      "layout = \"masonry\", paper = \"a6\"",
      "layout = \"spread\", paper = \"a6\", fit = \"cover\", bleed = \"3mm\"",
      "layout = \"cover\", paper = \"a6\", cover_thickness = \"4mm\"",
    ])
  func everyLayoutIsTagged(options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local photos = img.glob("\(Built.photos)/*.{jpg,png}")
      local few = { photos[1], photos[2], photos[1] }
      local r = img.book("b.pdf", few, { \(options), verify = true, lang = "en-GB",
        alt = "A photograph, {stem} é", caption = { text = "{stem}", language = "fr" },
        link = "https://example.org/{name}" }):await()
      assert(r.ok and r.verified, r.errors[1])
      """)
    outcome.expect(status: 0)
    #expect(!outcome.error.contains("no text that is read"), "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    if options.contains("1b") { try SecondOpinions.expectPDFA1b(folder("b.pdf")) }
    if let info = try SecondOpinions.run("pdfinfo", [folder("b.pdf")]) {
      #expect(info.text.contains("Tagged:          yes"), "\(info.text)")
    }
    if let text = try SecondOpinions.run("pdfinfo", ["-struct-text", folder("b.pdf")]) {
      let words = text.text.components(separatedBy: .newlines).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      #expect(words.contains("\"astronaut\"") && words.contains("Link (inline)"), "\(text.text)")
      #expect(words.filter { $0.hasPrefix("Figure") }.count == 3, "\(text.text)")
      // The structure leaves out headers and page numbers.
      #expect(!words.contains { $0.contains("Top") || $0.contains("1/") }, "\(text.text)")
      let hasTitle = options.contains("title_page")
      #expect(words.contains("H1 (block)") == hasTitle, "\(text.text)")
      // A title page's first paragraph is the heading.
      for part in ["\"A long\"", "\"book\"", "\"by me\""] {
        #expect(words.contains(part) == hasTitle, "\(text.text)")
      }
    }
    if let json = try SecondOpinions.run("qpdf", ["--json", folder("b.pdf")]) {
      #expect(json.text.contains("\"/Lang\": \"u:fr\""))
      let alt = "\"/Alt\": \"u:A photograph, astronaut é\""
      #expect(json.text.components(separatedBy: alt).count == 3)
      #expect(json.text.contains("\"/Lang\": \"u:en-GB\""))
    }
  }

  /// The structure survives what qpdf does at the end.
  @Test(.enabled(if: (try? SecondOpinions.run("qpdf", ["--version"])) ?? nil != nil))
  func theLastPassKeepsTags() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = { img.canvas(99, 66), img.canvas(66, 99) }
      img.book("l.pdf", p, { alt = "Picture {index}", linearize = true, verify = true })
      img.book("e.pdf", p, { alt = "Picture {index}", owner_password = "x", compact = true })
      """)
    #expect(outcome.status == 0 && !outcome.error.contains("warning"), "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("l.pdf"))
    for book in ["l.pdf", "e.pdf"] {
      if let info = try SecondOpinions.run("pdfinfo", [folder(book)]) {
        #expect(info.text.contains("Tagged:          yes"), "\(info.text)")
      }
    }
  }

  @Test(arguments: [
    ("", [], ["/Marked", "/StructTreeRoot", "/Lang", "BDC", "/Tabs"]),
    ("lang = \"de\", tagged = false", ["/Lang(de)"], ["/Marked", "/StructTreeRoot", "/Alt"]),
    ("lang = \"de\"", ["/Lang(de)", "/Marked true", "/Tabs/S"], ["/Alt"]),
    ("tagged = true", ["/Marked true"], ["/Lang", "/Alt"]),
    ("alt = \"One\", caption = \"Two\"", ["/Marked true", "/Alt(One)"], ["/Lang", "/Alt(Two)"]),
    ("tagged = true, caption = \"Two\"", ["/Alt(Two)"], ["/Lang"]),
  ])
  func whatMakesABookTagged(options: String, has: [String], lacks: [String]) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(30, 20), { \(options) })")
    outcome.expect(status: 0)
    let text = String(decoding: folder.bytes("b.pdf"), as: Unicode.ASCII.self)
    for part in has { #expect(text.contains(part), "\(part)") }
    for part in lacks { #expect(!text.contains(part), "\(part)") }
  }

  @Test func picturesWithoutATextAreCounted() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(30, 20)
      img.book("b.pdf", { p, p:rotate(90), p }, { alt = "{exif.ImageDescription|}" })
      img.book("c.pdf", { p }, { tagged = true })
      """)
    outcome.expect(status: 0)
    for line in [
      "t.lua:3: book: b.pdf: note: 3 of 3 pictures have no alternative text; add one with 'alt'",
      "t.lua:4: book: c.pdf: note: the picture has no alternative text; add one with 'alt'",
    ] { #expect(outcome.error.contains(line), "\(outcome)") }
    let verified = try folder.imghost("verify", "b.pdf")
    verified.expect(status: 0)
    #expect(
      "\(verified)".contains("3 figures have no alternative text, the first on page 1"),
      "\(verified)")
  }

  @Test func longTextsAreCut() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "for i = 2000, 2001 do "
        + "img.book(i .. \".pdf\", img.canvas(9, 9), { alt = (\"x\"):rep(i) }) end")
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains(
        "book: 2001.pdf: note: the text of a picture is longer than 2000 characters"), "\(outcome)")
    #expect(outcome.error.components(separatedBy: "note:").count == 2, "\(outcome)")
  }

  /// By name, by stem, by the template, and by the caption: whichever comes first.
  @Test func eachPictureMayHaveItsOwnText() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for _, name in ipairs{ "a", "b", "c" } do img.canvas(30, 20):save(name .. ".png"):await() end
      img.book("n.pdf", img.glob("*.png"), { caption = "C {stem}", alt_texts = {
        ["a.png"] = "A dog\\non a beach", b = "A cat", bb = "x", [".d.png"] = "y" } })
      img.book("t.pdf", img.glob("*.png"), { alt = "Picture {stem}", alt_texts = { ["c.png"] = "A cow" } })
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains(
        "t.lua:3: book: note: 'alt_texts' has '.d.png' (did you mean 'a.png'?), which is not a picture of this "
          + "book, and 1 more"), "\(outcome)")
    for (book, texts) in [
      ("n.pdf", ["A dog on a beach", "A cat", "C c"]),
      ("t.pdf", ["Picture a", "Picture b", "A cow"]),
    ] {
      let text = String(decoding: folder.bytes(book), as: Unicode.ASCII.self)
      #expect(text.components(separatedBy: "/Alt(").count == 4)
      for alternative in texts { #expect(text.contains("/Alt(\(alternative))"), "\(alternative)") }
    }
  }

  @Test(arguments: [
    ("lang = \"english please\"", "'lang' cannot be 'english please'; write a language as BCP 47"),
    ("alt = \"x\", tagged = false", "'alt' needs a tagged book; leave out 'tagged = false'"),
    ("alt = \"{stam}\"", "'{stam}': unknown field '{stam}' (did you mean '{stem}'?)"),
    ("alt = \"{page}\"", "{page} and {pages} are for 'header', 'footer' and 'page_number'"),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(9, 9), { \(options) })")
    #expect(outcome.status == 3 && !folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains(message), "\(outcome)")
  }

  @Test func theSameBytesOnEveryRun() throws {
    let folder = try Folder()
    var books: [[UInt8]] = []
    for jobs in ["1", "2"] {
      let outcome = try folder.run(
        """
        local p = {}
        for i = 1, 70 do p[i] = img.canvas(20 + i, 20) end
        img.book("b.pdf", p, { alt = "Picture {index}", compact = true, link = "https://example.org" })
        """, "--jobs", jobs)
      outcome.expect(status: 0)
      books.append(folder.bytes("b.pdf"))
    }
    #expect(books[0] == books[1])
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
  }
}
