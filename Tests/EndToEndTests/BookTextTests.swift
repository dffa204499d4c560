import Foundation
import TestSupport
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
    outcome.expect(status: 0)
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
    let text = String.UnicodeScalarView(outcome.output.unicodeScalars.filter { !marks.contains($0.value) })
    return String(text).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// Characters that turn the direction or are not seen, and pages on which all text runs from the right.
  @Test func unusualTextsVerify() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for i, text in ipairs{
        "a\\u{202E}abc\\u{202C} tail", "\\u{202D}abc\\u{5D0}", "x\\u{2066}y z\\u{2069}w\\u{61C}",
        "soft\\u{AD}hyphen \\u{34F}\\u{180E}\\u{FE0F}\\u{E0041}", "\\u{5E9}\\u{5DC}\\u{5D5}\\u{5DD}",
        "\\u{645}\\u{631}\\u{62D}\\u{628}\\u{627} abc 123",
        "pile" .. ("\\u{301}\\u{316}"):rep(30) .. " abc",
      } do
        local r = img.book(i .. ".pdf", img.canvas(90, 60),
          { paper = "a6", caption = text, header = text, verify = true }):await()
        if not r.verified then print(i, r.verification, r.errors[1]) end
      end
      -- Of columns that run from the right poppler loses some in the text of the whole page.
      local pages = {}
      for i = 1, 23 do pages[i] = img.canvas(40 + 30 * (i % 5), 30 + 7 * i) end
      local r = img.book("columns.pdf", pages, { layout = "masonry", columns = 3, paper = "a4",
        caption = "\\u{645}\\u{631}\\u{62D} {index}", header = "Header", verify = true }):await()
      if not r.verified then print(r.verification) end
      """)
    #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
  }

  /// Beside texts that run from the right poppler loses others: they are read from the page's content.
  @Test(arguments: ["grid", "masonry"]) func textsBesideThoseFromTheRight(layout: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local pages, texts = {}, {}
      for i = 1, 12 do
        pages[i] = img.canvas(60, 40 + i)
        texts[i] = i % 4 == 0 and "kitab (a) " .. i or "\u{645}\u{631}\u{62D}\u{628}\u{627} \u{633}\u{644}"
      end
      img.book("b.pdf", pages, { layout = "\(layout)", columns = 3, paper = "a4", captions = texts }):await()
      local report = img.verify("b.pdf")
      print(report.ok, #report.faults, #report.remarks)
      """)
    #expect(outcome.outputLines == ["true\t0\t0"], "\(outcome)")
  }

  @Test func everyPageHasItsTexts() throws {
    try needFonts(for: "東京")
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
    outcome.expect(status: 0)
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
      check.expect(status: 0)
    }
  }

  @Test func aTitlePageStandsInFront() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local r = img.book("book.pdf", img.glob("photos/*.png"), {
        paper = "a6", margin = "10mm", verify = true, page_number = "{page}/{pages}",
        title_page = { text = "A journey\\nthrough four cities", size = 20, font = "DejaVu Serif" } }):await()
      assert(r.ok and r.verified and r.pages == 5, r.errors[1])
      """)
    outcome.expect(status: 0)
    if let lines = try lines(1, in: folder) { #expect(lines == ["A journey", "through four cities"]) }
    if let lines = try lines(2, in: folder) { #expect(lines == ["2/5"]) }
    let high = try folder.run(
      """
      img.book("high.pdf", img.glob("photos/*.png"), { title_page = string.rep("word ", 100) })
      """)
    high.expect(status: 3)
    #expect(high.error.contains("points high, and there is room for 45"), "\(high)")
    #expect(!folder.exists("high.pdf"))
  }

  /// Pages that cannot be made are not counted.
  @Test func theNumberOfPagesIsThatOfTheFinishedBook() throws {
    let folder = try folder()
    try folder.write("photos/2b.jpg", Array(folder.bytes("photos/1 Paris.png").prefix(60)))
    let outcome = try folder.run(
      """
      img.book("book.pdf", img.glob("photos/*"), { page_number = "{page}/{pages}" })
      """, "--on-error", "continue")
    outcome.expect(status: 1)
    for page in 1...4 {
      guard let lines = try lines(page, in: folder) else { return }
      #expect(lines == ["\(page)/4"])
    }
  }

  @Test func theSameBytesOnEveryRun() throws {
    let folder = try folder()
    var books: [[UInt8]] = []
    for (jobs, languages) in [("1", "C"), ("2", "zh_CN:ko"), ("2", "ja")] {
      let outcome = try folder.run(
        """
        img.book("book.pdf", img.glob("photos/*.png"), {
          caption = "{stem}", header = "{name}", page_number = "{page} / {pages}" })
        """, "--jobs", jobs,
        environment: [
          "PANGO_LANGUAGE": languages, "LANGUAGE": languages, "LC_ALL": "C.UTF-8",
        ])
      outcome.expect(status: 0)
      books.append(folder.bytes("book.pdf"))
    }
    #expect(books[0] == books[1] && books[1] == books[2])
  }

  @Test func whatCannotBeShownIsTold() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(200, 60, { background = "white" })
      img.book("book.pdf", { p, p }, { caption = { text = "{index} a\\u{10fe0b}b", size = 20 },
        footer = { text = string.rep("many words ", 40), font = "DejaVu Sans" },
        header = "{index} a\\u{10fe0a}", page_number = { text = "a\\u{10fe0c}{page} / {pages}", align = "right" } })
      """)
    outcome.expect(status: 0)
    let notes = outcome.messages.filter { $0.contains("note: ") }.map { $0.components(separatedBy: "note: ")[1] }
    let expected = [
      "page 1: caption: no installed font has '\u{10fe0b}' (U+10FE0B); it is left out",
      "page 2: caption: no installed font has '\u{10fe0b}' (U+10FE0B); it is left out",
      "2 pages, page 1 first: header: no installed font has '\u{10fe0a}' (U+10FE0A); it is left out",
      "2 pages, page 1 first: page_number: no installed font has '\u{10fe0c}' (U+10FE0C); it is left out",
      "'footer' was too long for its line on 2 pages, page 1 first, and an ellipsis replaces its end",
    ]
    #expect(notes == expected, "\(outcome)")
    if let lines = try lines(2, in: folder) { #expect(lines.contains("2 ab"), "\(lines)") }
  }

  /// A machine whose only font is a copy of DejaVu Sans with some bytes of a table changed.
  private func fonts(_ folder: Folder, _ table: String, at offset: Int, _ bytes: [UInt8]) throws -> [String: String?]? {
    let path = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
    guard var font = FileManager.default.contents(atPath: path).map(Array.init) else { return nil }
    let tables = Int(font[4]) << 8 | Int(font[5])
    let entries = (0..<tables).map { 12 + $0 * 16 }
    let entry = try #require(entries.first { font[$0..<$0 + 4].elementsEqual(table.utf8) })
    let position = font[entry + 8..<entry + 12].reduce(0) { (number: Int, byte: UInt8) in number << 8 | Int(byte) }
    let start = position + offset
    font.replaceSubrange(start..<start + bytes.count, with: bytes)
    try folder.write("fonts/DejaVuSans.ttf", font)
    try folder.write(
      "fonts.conf",
      """
      <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
      <fontconfig><dir>\(folder("fonts"))</dir><cachedir>\(folder("cache"))</cachedir></fontconfig>
      """)
    return ["FONTCONFIG_FILE": folder("fonts.conf")]
  }

  /// A font that has no bold is drawn with its outlines, and slanted where it has no italic.
  @Test func madeUpStyles() throws {
    let folder = try Folder()
    // A name of its own, so that nothing changes: the version of the table `head`.
    guard let environment = try fonts(folder, "head", at: 0, [0, 1]) else { return }
    try folder.write(
      "fonts.conf",
      String(decoding: folder.bytes("fonts.conf"), as: UTF8.self).replacingOccurrences(
        of: "</fontconfig>",
        with: """
          <match target="font"><test name="weight" compare="less_eq"><const>medium</const></test>
          <test target="pattern" name="weight" compare="more"><const>medium</const></test>
          <edit name="embolden" mode="assign"><bool>true</bool></edit></match></fontconfig>
          """))
    let outcome = try folder.run(
      """
      local p = img.canvas(900, 60, { background = "white" })
      img.book("plain.pdf", { p }, { caption = { text = "HHHH", size = 40 } })
      img.book("bold.pdf", { p }, { caption = { text = "HHHH", size = 40, font = "DejaVu Sans Bold" } })
      """, environment: environment)
    outcome.expect(status: 0)
    var ink: [Int] = []
    for name in ["plain", "bold"] {
      let arguments = ["-r", "72", "-gray", "-singlefile", name + ".pdf", name]
      guard try tool("pdftoppm", arguments, in: folder) != nil else { return }
      ink.append(folder.bytes(name + ".pgm").count { $0 < 128 })
    }
    #expect(ink[1] > ink[0] * 11 / 10, "\(ink)")
  }

  private static let oneCaption = """
    img.book("book.pdf", { img.canvas(90, 60, { background = "navy" }) }, { caption = "ab" })
    """

  /// Restricted licence embedding: OS/2 fsType is 2.
  @Test func fontsThatMayNotBeEmbedded() throws {
    let folder = try Folder()
    guard let environment = try fonts(folder, "OS/2", at: 8, [0, 2]) else { return }
    let outcome = try folder.run(Self.oneCaption, environment: environment)
    outcome.expect(status: 0)
    for letter in ["'a' (U+0061)", "'b' (U+0062)"] {
      #expect(
        outcome.error.contains(
          "note: page 1: caption: \(letter) is left out, because the font 'DejaVuSans' cannot be embedded: "
            + "its licence forbids it (OS/2 fsType)"), "\(outcome)")
    }
    if let fonts = try tool("pdffonts", ["book.pdf"], in: folder) {
      #expect(fonts.outputLines.count <= 2, "\(fonts)")
    }
  }

  /// Tables that contradict each other end in a book or a message, not in a crash.
  @Test(
    arguments: [
      ("head", 50, [0xff, 0xff]), ("maxp", 4, [0, 1]), ("hhea", 34, [0xff, 0xff]),
      ("name", 2, [0xff, 0xff]), ("loca", 0, [UInt8](repeating: 0xff, count: 400)),
      ("glyf", 0, [UInt8](repeating: 0xff, count: 4_000)),
      ("post", 0, [UInt8](repeating: 0xff, count: 32)),
    ] as [(String, Int, [UInt8])])
  func damagedFonts(table: String, offset: Int, bytes: [UInt8]) throws {
    let folder = try Folder()
    guard let environment = try fonts(folder, table, at: offset, bytes) else { return }
    let outcome = try folder.run(Self.oneCaption, environment: environment)
    #expect(outcome.signal == nil && (0...1).contains(outcome.status), "\(outcome)")
    if outcome.status == 0, let check = try tool("qpdf", ["--check", "book.pdf"], in: folder) {
      check.expect(status: 0)
    }
    #expect(folder.exists("book.pdf") == (outcome.status == 0))
    #expect(folder.temporaries.isEmpty)
  }

  static let mistakes: [(options: String, message: String)] = [
    ("caption = \"a\\7\"", "'caption': the text 'a\u{fffd}' contains the control character U+0007"),
    ("header = \"\\xff\"", "'header' takes text, not a string that is not UTF-8"),
    (
      "caption = string.rep(\"x\", 1024 * 1024)", "'caption': a text of 1048576 bytes is too long; at most 10000"
    ),
    (
      "caption = { text = \"a\", fnt = \"Serif\" }", "unknown option 'caption_fnt' (did you mean 'caption_font'?)"
    ),
    (
      "caption = { text = \"a\", font = \"DejaVu Sanz\" }",
      "the font 'DejaVu Sanz' is not installed (did you mean 'DejaVu Sans'?); 'fc-list : family' lists the installed ones"
    ),
    (
      "quorble = 1",
      "unknown option 'quorble'; see 'imghost ops book'"
    ),
    ("footer_size = 9", "'footer_size' is given, but no 'footer'"),
    (
      "caption = \"{pages}\"",
      "'caption': '{pages}': unknown field '{pages}'"
    ),
    (
      "header = \"{pge}\"", "'header': '{pge}': unknown field '{pge}' (did you mean '{page}'?)"
    ),
    (
      "footer = { text = \"a\", align = \"centre\" }, page_number = \"{page}\"",
      "'footer' and 'page_number' would be written over each other; give them different 'align'"
    ),
    (
      "header = { text = \"a\", align = \"middle\" }", "'header_align' cannot be 'middle'"
    ),
    ("caption = { text = 7 }", "'caption' takes text, not a number"),
    (
      "caption = { text = \"a\", colour = \"#ff000040\" }",
      "'caption_colour' is partly transparent, and text must be opaque; give an opaque "
    ),
    (
      "caption = { text = \"a\", colour = \"transparent\" }",
      "'caption_colour' is transparent, and text must be opaque; give an opaque colour"
    ),
    ("password = \"\"", "'password' is empty, which protects nothing; leave it out"),
  ]

  @Test(arguments: sampled(mistakes))
  func mistakesAreTold(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.book(\"book.pdf\", { img.canvas(90, 60, { background = \"navy\" }) }, { \(options) })")
    outcome.expect(status: 3)
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
    outcome.expect(status: 0)
    #expect(outcome.error.contains("note: captions are in Helvetica, which is not embedded"))
    #expect(outcome.error.contains("install libpangoft2-1.0-0"), "\(outcome)")
    if let lines = try lines(1, in: folder) { #expect(lines == ["1 Paris"]) }
  }

  /// A system without any font: fontconfig finds a configuration that names no folder.
  @Test(arguments: [
    "img.book(\"book.pdf\", img.glob(\"photos/1*\"), { header = \"x\" })",
    "img.glob(\"photos/1*\"):map(function(p) return p:text(\"x\") end):save(\"{stem}.png\")",
  ])
  func withoutFontsTextIsRefused(call: String) throws {
    let folder = try folder()
    try folder.write("fonts.conf", "<?xml version=\"1.0\"?><fontconfig></fontconfig>")
    let outcome = try folder.run(call, environment: ["FONTCONFIG_FILE": folder("fonts.conf")])
    #expect(outcome.status == 3 || outcome.status == 1, "\(outcome)")
    #expect(outcome.error.contains("text needs a font, and none is installed"), "\(outcome)")
  }

  @Test(arguments: ["caption = { text = \"x\", font = \"Serif\" }", "header = \"x\""])
  func otherTextsNameThePackage(options: String) throws {
    let folder = try folder()
    let outcome = try folder.run(
      "img.book(\"book.pdf\", img.glob(\"photos/1*\"), { \(options) })",
      environment: try withoutPango(folder))
    outcome.expect(status: 3)
    #expect(outcome.error.contains("text needs Pango 1.50 and HarfBuzz 6"), "\(outcome)")
    #expect(outcome.error.contains("install libpangoft2-1.0-0"), "\(outcome)")
  }

  /// Nor does a book that shows no text load any of it.
  @Test(arguments: [("paper = \"a6\"", false), ("caption = \"{stem}\"", true)])
  func textsAloneLoadPango(options: String, loads: Bool) throws {
    let folder = try folder()
    let outcome = try folder.run(
      "img.book(\"book.pdf\", img.glob(\"photos/1*\"), { \(options) })",
      environment: ["LD_DEBUG": "files"])
    outcome.expect(status: 0)
    #expect(outcome.error.contains("libspng"), "the linker says nothing")
    #expect(outcome.error.contains("libpango") == loads)
  }

  /// A run without text loads no text library, because none is linked.
  @Test func nothingIsLoadedBeforeItIsNeeded() throws {
    let folder = try Folder()
    guard let outcome = try tool("ldd", [Built.program("imghost")], in: folder) else { return }
    outcome.expect(status: 0)
    for library in ["pango", "harfbuzz", "fontconfig", "glib", "freetype"] {
      #expect(!outcome.output.contains(library), "\(outcome)")
    }
  }
}
