import Foundation
import TestSupport
import Testing

/// Texts of single pictures of a book, and pictures that lack what a text names.
struct BookOwnTextTests {
  private static let three = """
    for _, name in ipairs{ "a", "b", "c" } do img.canvas(200, 120):save(name .. ".png"):await() end

    """

  /// Text of a page by poppler; nil where that is not there.
  private func texts(_ folder: Folder, _ book: String) throws -> [String]? {
    guard let text = try SecondOpinions.run("pdftotext", ["-layout", folder(book), "-"]) else { return nil }
    return text.text.components(separatedBy: "\u{c}").dropLast().map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  @Test func captionsByNameAndInOrder() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.three + """
        local p = img.glob("*.png")
        img.book("n.pdf", p, { captions = { ["a.png"] = "Sea", b = "Rocket", bb = "x" },
          caption = { text = "C{stem}", size = 9 }, paper = "a6" })
        img.book("l.pdf", p, { captions = { "One", "", "Three" }, caption_size = 8, paper = "a6" })
        img.book("m.pdf", p, { captions = { "1", "2", "3", "4" }, layout = "grid", paper = "a6" })
        """)
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains("'captions' has 'bb' (did you mean 'b'?), which is not a picture"),
      "\(outcome)")
    #expect(outcome.error.contains("'captions' has 4 texts for 3 pictures"), "\(outcome)")
    guard let named = try texts(folder, "n.pdf") else { return }
    #expect(named == ["Sea", "Rocket", "Cc"])
    let inOrder = try texts(folder, "l.pdf")
    #expect(inOrder == ["One", "", "Three"])
  }

  @Test func captionsMustBeTexts() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(99, 99), { captions = { \"a\", 3 } })")
    #expect(outcome.status == 3 && !folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains("captions[2]"), "\(outcome)")
  }

  @Test func aMissingFieldLeavesAGap() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.three + """
        img.book("b.pdf", img.glob("*.png"), { paper = "a6",
          caption = "{stem} · {exif.DateTimeOriginal}", footer = "{exif.Model}",
          outline = "{exif.Model} - {stem}" })
        """)
    outcome.expect(status: 0)
    let note =
      "book: note: 3 of 3 pictures have no EXIF field 'DateTimeOriginal' or 'Model', so texts leave "
      + "it empty; write {exif.DateTimeOriginal|undated} and {exif.Model|unknown} for a text instead: 'a.png', 'b.png', "
      + "'c.png'"
    #expect(outcome.error.components(separatedBy: "note:").count == 2, "\(outcome)")
    #expect(outcome.error.contains(note), "\(outcome)")
    if let found = try texts(folder, "b.pdf") { #expect(found == ["a", "b", "c"]) }
  }

  /// A text of which only what stands between the fields is left.
  @Test func bareTextsAreNoted() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.three + """
        img.book("b.pdf", img.glob("*.png"), { paper = "a6", caption = "f/{exif.FNumber} {exif.ExposureTime}s",
          header = "{stem} {exif.ISO}" })
        """)
    outcome.expect(status: 0)
    let notes = outcome.errorLines.filter { $0.contains("note:") }
    #expect(notes.count == 2, "\(outcome)")
    #expect(
      notes.last?.hasSuffix("3 of 3 pictures have a text in which every field is missing: 'f/ s'")
        == true,
      "\(outcome)")
  }

  /// The same words whatever it is that has no room, and what they advise helps.
  @Test(
    arguments: sampled([
      "", "margin = 1", "margin = \"1mm\", lossless = true", "border = 0.1", "bleed = 0.2",
      "caption = \"a\"",
      "header = \"x\"", "dpi = 10000", "dpi = 72", "max_dpi = 100",
    ]))
  func picturesOfAPixel(options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(1, 2), { \(options) })")
    #expect(outcome.status == 1 && !folder.exists("b.pdf"), "\(outcome)")
    let words = outcome.messages.joined(separator: "\n")
    #expect(
      words.hasPrefix("t.lua:2: book: picture 1: its 1 x 2 pixels make a page of "), "\(outcome)")
    let advice =
      " mm, and sides must be at least 1.06 mm; give a paper such as 'a6', or a 'dpi' of at most 24; "
      + "'b.pdf' is not written; --on-error continue leaves page 1 out"
    #expect(words.hasSuffix(advice), "\(outcome)")
    let rest = options.contains("dpi = ") && !options.contains("max") || options.isEmpty ? "" : options + ", "
    for mended in ["paper = \"a6\"", "dpi = 24"] {
      let other = try folder.run("img.book(\"b.pdf\", img.canvas(1, 2), { \(rest) \(mended) })")
      other.expect(status: 0)
    }
  }

  /// A picture that can have no page is its own fault.
  @Test func aPictureTooSmallForAPage() throws {
    let folder = try Folder()
    let script = """
      img.canvas(1, 1):save("dot.png"):await()
      img.book("b.pdf", { img.open("dot.png"), img.canvas(200, 100) })
      """
    let message =
      "t.lua:3: book: dot.png: its 1 x 1 pixels make a page of 0.26 x 0.26 mm, and sides must be at least 1.06 mm; "
      + "give a paper such as 'a6', or a 'dpi' of at most 24; "
    let stopped = try folder.run(script)
    #expect(stopped.status != 0 && !folder.exists("b.pdf"), "\(stopped)")
    #expect(stopped.error.contains(message), "\(stopped)")
    let continued = try folder.run(script, "--on-error", "continue")
    #expect(continued.status == 1 && folder.exists("b.pdf"), "\(continued)")
    #expect(continued.error.contains(message), "\(continued)")
    if let info = try SecondOpinions.run("pdfinfo", [folder("b.pdf")]) {
      #expect(info.text.contains("Pages:           1"), "\(info.text)")
    }
  }
}
