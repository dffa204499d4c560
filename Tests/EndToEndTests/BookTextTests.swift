import Foundation
import Testing

/// Captions, headers, footers and page numbers of books that scripts make.
struct BookTextTests {
  /// Four pictures named in four scripts.
  private func folder() throws -> Folder {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local jobs = {}
      for i, name in ipairs{ "Paris", "Москва", "東京", "קהיר" } do
        jobs[i] = img.canvas(90 + i, 60, { background = "orange" }):save("photos/" .. i .. " " .. name .. ".png")
      end
      """)
    #expect(outcome.status == 0, "\(outcome)")
    return folder
  }

  /// A program that is installed, run in the folder; nil where it is not.
  private func tool(_ name: String, _ arguments: [String], in folder: Folder) throws -> Outcome? {
    let paths = ["/usr/bin/", "/usr/local/bin/"].map { $0 + name }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    return try Command(program: path, arguments: arguments, folder: folder.path).run()
  }

  private func lines(_ page: Int, in folder: Folder) throws -> [String]? {
    let arguments = ["-f", "\(page)", "-l", "\(page)", "book.pdf", "-"]
    guard let outcome = try tool("pdftotext", arguments, in: folder) else { return nil }
    let marks: Set<UInt32> = [0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x0c]
    let text = String.UnicodeScalarView(
      outcome.output.unicodeScalars.filter { !marks.contains($0.value) })
    return String(text).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  @Test func everyPageHasItsTexts() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local r = img.book("book.pdf", img.glob("photos/*.png"), {
        paper = "a6", margin = "10mm", verify = true,
        caption = { text = "{stem} · {exif.DateTimeOriginal:%d.%m.%Y|no date}", size = 9, colour = "#446",
          font = "DejaVu Sans", align = "start", lines = 2, overflow = "error" },
        header = { text = "{width}x{height}", align = "outside", size = 7 },
        footer = "A journey",
        page_number = { text = "{page:2} of {pages}", align = "right" },
      }):await()
      assert(r.ok and r.verified and r.pages == 4, r.errors[1])
      """)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.messages.count == 1, "\(outcome)")
    #expect(outcome.messages[0].hasPrefix("book.pdf: 4 pages, verified"), "\(outcome)")
    for (index, name) in ["Paris", "Москва", "東京", "קהיר"].enumerated() {
      guard let lines = try lines(index + 1, in: folder) else { return }
      let number = index + 1
      #expect(lines.contains("\(90 + number)x60"), "\(lines)")
      #expect(lines.contains { $0.contains("A journey") }, "\(lines)")
      #expect(lines.contains { $0.contains("0\(number) of 4") }, "\(lines)")
      let words = lines.joined(separator: " ")
      #expect(words.contains(name) && words.contains("no date"), "\(lines)")
    }
    if let check = try tool("qpdf", ["--check", "book.pdf"], in: folder) {
      #expect(check.status == 0, "\(check)")
    }
  }

  /// Pages that cannot be made are not counted.
  @Test func theNumberOfPagesIsThatOfTheFinishedBook() throws {
    let folder = try folder()
    try folder.write("photos/2b.jpg", Array(folder.bytes("photos/1 Paris.png").prefix(60)))
    let outcome = try folder.run(
      """
      img.book("book.pdf", img.glob("photos/*"), { page_number = "{page}/{pages}" })
      """, "--on-error", "continue")
    #expect(outcome.status == 1, "\(outcome)")
    for page in 1...4 {
      guard let lines = try lines(page, in: folder) else { return }
      #expect(lines == ["\(page)/4"])
    }
  }

  @Test func theSameBytesOnEveryRun() throws {
    let folder = try folder()
    var books: [[UInt8]] = []
    for jobs in ["1", "2", "2"] {
      let outcome = try folder.run(
        """
        img.book("book.pdf", img.glob("photos/*.png"), {
          caption = "{stem}", header = "{name}", page_number = "{page} / {pages}" })
        """, "--jobs", jobs)
      #expect(outcome.status == 0, "\(outcome)")
      books.append(folder.bytes("book.pdf"))
    }
    #expect(books[0] == books[1] && books[1] == books[2])
  }

  @Test func whatCannotBeShownIsTold() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(200, 60, { background = "white" })
      img.book("book.pdf", { p, p }, { caption = { text = "{index} a\\u{e123}b", size = 20 },
        footer = string.rep("many words ", 40) })
      """)
    #expect(outcome.status == 0, "\(outcome)")
    let notes = outcome.messages.filter { $0.contains("note: ") }
    #expect(
      notes.map { $0.components(separatedBy: "note: ")[1] }
        == (1...2).flatMap { page in
          [
            "page \(page): caption: no installed font has '\u{e123}' (U+E123); it is left out",
            "page \(page): footer: shortened to 'many words many words many w…'",
          ]
        }, "\(outcome)")
    if let lines = try lines(2, in: folder) { #expect(lines.contains("2 ab"), "\(lines)") }
  }

  /// A field with a control character costs that page its text, and is told.
  @Test func fieldsWithControlCharacters() throws {
    let folder = try Folder()
    let made = try folder.run(
      "img.canvas(90, 60, { background = \"navy\" }):save(\"a\\7b.png\")")
    #expect(made.status == 0, "\(made)")
    let outcome = try folder.run(
      "img.book(\"book.pdf\", img.glob(\"*.png\"), { caption = \"{stem}\" })")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(
      outcome.error.contains("contains the control character U+0007; the page is left without"))
  }

  static let mistakes: [(options: String, message: String)] = [
    ("caption = \"a\\7\"", "'caption': the text 'a\u{fffd}' contains the control character U+0007"),
    ("header = \"\\xff\"", "'header': the text '\u{fffd}' is not valid UTF-8 (or contains U+FFFD)"),
    (
      "caption = string.rep(\"x\", 1024 * 1024)",
      "'caption': a text of 1048576 bytes is too long; at most 10000"
    ),
    (
      "caption = { text = \"a\", fnt = \"Serif\" }",
      "unknown option 'caption_fnt' (did you mean 'caption_font'?)"
    ),
    (
      "caption = { text = \"a\", font = \"DejaVu Sanz\" }",
      "no font 'DejaVu Sanz' is installed (did you mean 'DejaVu Sans'?); 'fc-list : family' names those that are"
    ),
    ("footer_size = 9", "'footer_size' is given, but no 'footer'"),
    (
      "caption = \"{pages}\"",
      "'{pages}': unknown field '{pages}'"
    ),
    (
      "footer = { text = \"a\", align = \"centre\" }, page_number = \"{page}\"",
      "'footer' and 'page_number' would be written over each other; give them different 'align'"
    ),
    (
      "header = { text = \"a\", align = \"middle\" }", "'header_align' cannot be 'middle'"
    ),
    ("caption = { text = 7 }", "'caption' takes text, not a number"),
  ]

  @Test(arguments: mistakes)
  func mistakesAreTold(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"book.pdf\", { img.canvas(90, 60, { background = \"navy\" }) }, { \(options) })")
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.error.contains("t.lua:2: book: \(message)"), "\(outcome)")
    #expect(folder.files == ["t.lua"])
  }

  // MARK: Without Pango

  /// A search path on which the library cannot be opened.
  private func withoutPango(_ folder: Folder) throws -> [String: String?] {
    try folder.write("broken/libpangoft2-1.0.so.0", "")
    return ["LD_LIBRARY_PATH": folder("broken")]
  }

  @Test func westernCaptionsNeedNoPango() throws {
    let folder = try folder()
    let outcome = try folder.run(
      "img.book(\"book.pdf\", img.glob(\"photos/1*\"), { caption = \"{stem}\" })",
      environment: try withoutPango(folder))
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.error.contains("note: captions are in Helvetica, which is not embedded"))
    #expect(outcome.error.contains("install libpangoft2-1.0-0"), "\(outcome)")
    if let lines = try lines(1, in: folder) { #expect(lines == ["1 Paris"]) }
  }

  @Test(arguments: ["caption = { text = \"x\", font = \"Serif\" }", "header = \"x\""])
  func otherTextsNameThePackage(options: String) throws {
    let folder = try folder()
    let outcome = try folder.run(
      "img.book(\"book.pdf\", img.glob(\"photos/1*\"), { \(options) })",
      environment: try withoutPango(folder))
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.error.contains("text needs Pango 1.50 and HarfBuzz 6"), "\(outcome)")
    #expect(outcome.error.contains("install libpangoft2-1.0-0"), "\(outcome)")
  }

  /// What shows no text loads none of it: it is not linked.
  @Test func nothingIsLoadedBeforeItIsNeeded() throws {
    let folder = try Folder()
    guard let outcome = try tool("ldd", [Built.program("imghost")], in: folder) else { return }
    #expect(outcome.status == 0)
    for library in ["pango", "harfbuzz", "fontconfig", "glib", "freetype"] {
      #expect(!outcome.output.contains(library), "\(outcome)")
    }
  }
}
