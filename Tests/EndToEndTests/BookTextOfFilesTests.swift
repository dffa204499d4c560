import Foundation
import PictureTestSupport
import Testing

/// Texts that come from file names and metadata instead of the script, and may contain anything.
struct BookTextOfFilesTests {
  /// A JPEG with a description.
  private func jpeg(_ description: String) throws -> [UInt8] {
    let text = Array(description.utf8) + [0]
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    // A directory of one entry (TIFF 6.0, section 2), its value behind it.
    let block =
      Array("Exif\0\0II*\0".utf8) + number(8, 4) + number(1, 2) + number(0x010e, 2) + number(2, 2)
      + number(max(5, text.count), 4) + number(26, 4) + number(0, 4)
      + text + [UInt8](repeating: 0, count: max(0, 5 - text.count))
    let segment: [UInt8] = [0xff, 0xe1] + number(block.count + 2, 2).reversed() + block
    let jpeg = try Pixels.waves(90, 60).jpeg()
    return jpeg.prefix(2) + segment + jpeg.dropFirst(2)
  }

  private func notes(_ outcome: Outcome) -> [String] { outcome.messages.filter { $0.contains("note: ") } }

  private func text(_ folder: Folder) throws -> String? {
    try SecondOpinions.run("pdftotext", ["-layout", folder("b.pdf"), "-"])?.text
  }

  /// Control characters are spaces, in captions and running lines; a note names the picture.
  @Test func controlCharacters() throws {
    let folder = try Folder()
    for (name, bytes) in [("art\u{7}bee\u{1}cat", try jpeg("xylo\tyarn")), ("two\nlines", try jpeg("\u{1f}zebra"))] {
      try folder.write(name + ".jpg", bytes)
    }
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.glob("*.jpg"), { paper = "a6", caption = "C {stem}", header = "H {stem} h",
        footer = "F {exif.ImageDescription}", outline = "O {stem}", verify = true })
      """)
    outcome.expect(status: 0, error: "2 pages, verified")
    #expect(
      notes(outcome) == [
        "t.lua:2: book: art\u{fffd}bee\u{fffd}cat.jpg: note: its caption, header: the control character U+0007 and 1 "
          + "more are shown as a space",
        "t.lua:2: book: two\u{fffd}lines.jpg: note: its footer: the control character U+001F is shown as a "
          + "space",
      ], "\(outcome)")
    guard let text = try text(folder)?.split(separator: " ").joined(separator: " ") else { return }
    for words in ["C art bee cat", "H art bee cat h", "F xylo yarn", "C two\n", "H two lines h", "F zebra"] {
      #expect(text.contains(words), "\(words): \(text)")
    }
  }

  /// Overlong texts from a camera or a program are cut, with a note.
  @Test func longDescriptions() throws {
    let folder = try Folder()
    try folder.write("a.jpg", try jpeg(String(repeating: "word ", count: 12_000)))
    try folder.write("b.jpg", try jpeg("short"))
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.glob("*.jpg"), { paper = "a6", caption = "{exif.ImageDescription}",
        footer = "{exif.ImageDescription} {page}", verify = true })
      """)
    outcome.expect(status: 0, error: "2 pages, verified")
    let notes = notes(outcome)
    #expect(notes.count == 4, "\(outcome)")
    let cut = "bytes are more than the 10000 that a text may have, and the rest is left out"
    #expect(
      notes.count { $0.contains("a.jpg: note: its ") && $0.hasSuffix(cut) } == 2, "\(outcome)")
    #expect(
      notes.contains {
        $0.hasSuffix(
          "note: the caption of 'a.jpg' was too long, and an ellipsis replaces its end; 'caption_lines' "
            + "gives more room, 'caption_overflow' smaller letters")
      }, "\(outcome)")
  }

  /// Many of one kind are one note.
  @Test func shortenedCaptionsAreCounted() throws {
    let folder = try Folder()
    for name in ["a", "b", "c"] { try folder.write(name + ".jpg", try jpeg("d")) }
    let outcome = try folder.run(
      """
      local words = ("many words "):rep(90)
      img.book("b.pdf", img.glob("*.jpg"), { paper = "a6", captions = { "one", words, words } })
      img.book("c.pdf", img.glob("*.jpg"), { layout = "grid", captions = { words, words, words } })
      """)
    outcome.expect(status: 0)
    let found = notes(outcome)
    #expect(found.count == 2, "\(outcome)")
    for (book, words, part) in [("b", "2 pictures, 'b.jpg'", "end"), ("c", "3 pictures, 'a.jpg'", "middle")] {
      #expect(
        found.contains {
          $0.contains(
            "\(book).pdf: note: the captions of \(words) first, were too long, and an ellipsis replaces "
              + "their \(part);")
        }, "\(outcome)")
    }
  }

  /// The script's own texts are mistakes, by their option and its line.
  @Test(arguments: [
    (
      "captions = { \"fine\", \"a\\7\" }",
      "'captions', text 2: the text 'a\u{fffd}' contains the control character U+0007"
    ),
    (
      "captions = { a = \"x\\ty\" }",
      "'captions', text of 'a': the text 'x\u{fffd}y' contains the control character U+0009"
    ),
    (
      "captions = { (\"x\"):rep(1 << 20) }", "'captions', text 1: a text of 1048576 bytes is too long; at most 10000"
    ),
    ("captions = { \"\\xff\" }", "'captions[1]' takes text, not a string that is not UTF-8"),
    ("outline = \"a\\7\"", "'outline': the text 'a\u{fffd}' contains the control character U+0007"),
    ("subject = \"\\xff\"", "'subject' takes text, not a string that is not UTF-8"),
    (
      "title_page = \"a\\0\"", "'title_page': the text 'a\u{fffd}' contains the control character U+0000"
    ),
    (
      "caption = { text = \"a\", font = \"\" }",
      "'caption_font' is empty; leave it out, or name a family such as 'Serif'"
    ),
    (
      "header = { text = \"a\", font = \"Sans\\nBold\" }",
      "'header_font' is 'Sans\u{fffd}Bold', with the control character U+000A"
    ),
    (
      "footer = { text = \"a\", language = \"e\\n\" }",
      "'footer_language' cannot be 'e\u{fffd}'; write a language as BCP 47"
    ),
  ])
  func textsOfTheScript(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.canvas(9, 9):save(\"a.png\") img.book(\"b.pdf\", { img.canvas(90, 60) }, { \(options) })")
    outcome.expect(status: 3, error: "t.lua:2: book: \(message)")
    #expect(folder.files == ["t.lua"])
  }
}
