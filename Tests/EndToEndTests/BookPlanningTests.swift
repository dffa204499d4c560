import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Pictures that would make a book fail: they are reported before a pixel is decoded, also by `imghost check`.
struct BookPlanningTests {
  /// Returns a folder with files whose headers show that PDF/A-1b or PDF 1.4 cannot contain them.
  private func folder() throws -> Folder {
    let folder = try Folder()
    // A JPEG 2000 codestream of 30 by 20 pixels, 8 bits, gray.
    let size: [UInt8] =
      [0xff, 0x4f, 0xff, 0x51, 0, 41, 0, 0] + [0, 0, 0, 30, 0, 0, 0, 20] + [0, 0, 0, 0, 0, 0, 0, 0]
      + [0, 0, 0, 30, 0, 0, 0, 20] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 1, 7, 1, 1]
    try folder.write("a.j2k", size + [0xff, 0xd9])
    let fixtures = Built.root + "/Tests/ImageCodecsTests/Fixtures/"
    try folder.copy(fixtures + "cmyk-plain.jpg", to: "cmyk.jpg")
    try folder.write("deep.png", try Pixels(9, 9, PixelFormat(.u16, .rgb)) { _, _ in [7, 7, 7, 7, 7, 7] }.png())
    // Its profile is of version 4.
    try folder.copy(fixtures + "exif-icc-444.jpg", to: "four.jpg")
    try folder.copy(Built.photos + "/rocket.jpg", to: "rocket.jpg")
    return folder
  }

  static let refused: [(pictures: String, options: String, message: String)] = [
    (
      "img.open(\"a.j2k\")", "conformance = \"pdf/a-1b\"", "a.j2k: cannot be in a PDF/A-1b file: it is JPEG 2000"
    ),
    (
      "img.open(\"cmyk.jpg\")", "conformance = \"pdf/a-2b\"",
      "cmyk.jpg: cannot be in a PDF/A-2b file: it is CMYK without a profile"
    ),
    (
      "img.open(\"four.jpg\")", "conformance = \"pdf/a-1b\"",
      "four.jpg: cannot be in a PDF/A-1b file: its colour profile has version 4"
    ),
    (
      "img.open(\"deep.png\")", "conformance = \"pdf/a-1b\", lossless = true",
      "deep.png: cannot be in a PDF/A-1b file: it has 16 bits"
    ),
    (
      "img.open(\"a.j2k\")", "pdf_version = \"1.4\"", "a.j2k: needs PDF 1.5, and 'pdf_version' is 1.4; leave it out"
    ),
    (
      "img.open(\"rocket.jpg\")", "pdf_version = \"1.4\", paper = \"600cm x 600cm\"",
      "'pdf_version' is 1.4, but the book needs 1.6"
    ),
    (
      "{ img.canvas(9, 9), img.canvas(9, 9) }",
      "conformance = \"pdf/a-1b\", layout = \"spread\", paper = \"600cm x 600cm\"",
      "page 1 cannot be in a PDF/A-1b file: it is longer than 200 inches"
    ),
    (
      "img.open(\"rocket.jpg\")", "paper = \"a6\", title_page = (\"word \"):rep(200)", "'title_page': 'word word"
    ),
    (
      "img.open(\"rocket.jpg\")", "layout = \"cover\", front_title = (\"word \"):rep(200)", "'front_title': 'word word"
    ),
    (
      "img.open(\"rocket.jpg\")", "layout = \"cover\", paper = \"15mm x 15mm\", front_title = \"word\"", "leave no room"
    ),
    (
      "img.open(\"rocket.jpg\")", "conformance = \"pdf/a-1b\", outline = (\"x\"):rep(70000)",
      "'outline': a title takes 70000 bytes; PDF/A-1b allows 65535 in a string"
    ),
    (
      "img.open(\"rocket.jpg\")",
      "conformance = \"pdf/a-2b\", outline = \"a > \" .. (\"é\"):rep(16400)",
      "'outline': a title takes 32802 bytes; PDF/A-2b allows 32767 in a string"
    ),
    (
      "img.open(\"rocket.jpg\")", "layout = \"cover\", front_title = \"Of {stem}\"",
      "'front_title' is one text for the whole book, so {stem} has no value"
    ),
    (
      "img.open(\"rocket.jpg\")", "title_page = { text = \"{} {exif.Model|a camera}\" }",
      "'title_page' is one text for the whole book, so {exif.Model|a camera} has no value"
    ),
    (
      "img.open(\"rocket.jpg\")",
      "paper = \"a6\", caption = { text = (\"word \"):rep(60), overflow = \"error\", lines = 2 }",
      "rocket.jpg: the text 'word word"
    ),
    (
      "img.open(\"rocket.jpg\")",
      "paper = \"a7\", caption = { text = (\"word \"):rep(200), lines = 90, size = 20 }",
      "rocket.jpg: margins, border, caption, header and footer leave"
    ),
  ]

  @Test(arguments: sampled(refused))
  func isRefusedByCheck(pictures: String, options: String, message: String) throws {
    let folder = try folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      img.book("b.pdf", \(pictures), { \(options) })
      """)
    for command in [["check"], ["run"], ["run", "--dry-run"]] {
      let outcome = try folder.imghost(command + ["t.lua"])
      #expect(outcome.status != 0 && !folder.exists("b.pdf"), "\(command) \(outcome)")
      #expect(outcome.error.contains("t.lua:2: book: "), "\(command) \(outcome)")
      #expect(outcome.error.contains(message), "\(command) \(outcome)")
      #expect(folder.temporaries == [])
    }
  }

  /// The same pictures where they fit, or are made to.
  @Test(
    arguments: sampled([
      ("img.open(\"a.j2k\")", "conformance = \"pdf/a-2b\""),
      ("img.open(\"cmyk.jpg\")", "conformance = \"pdf/a-1b\", reencode = true"),
      ("img.open(\"four.jpg\")", "conformance = \"pdf/a-2b\""),
      ("img.open(\"a.j2k\")", "pdf_version = \"1.5\""),
      (
        "img.open(\"rocket.jpg\")",
        "paper = \"a7\", caption = { text = \"Three words more\", lines = 90, size = 20, overflow = \"error\" }"
      ),
    ]))
  func isLetThrough(pictures: String, options: String) throws {
    let folder = try folder()
    let outcome = try folder.run("img.book(\"b.pdf\", \(pictures), { \(options) })")
    #expect(outcome.status == 0 && folder.exists("b.pdf"), "\(outcome)")
    // The JPEG 2000 picture is only a header.
    if !pictures.contains("j2k") { try SecondOpinions.expectNoComplaint(folder("b.pdf")) }
  }

  /// A picture that cannot be in the book costs its page, where others go on.
  @Test(.wholeRuns) func othersGoOn() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      img.book("b.pdf", { img.open("a.j2k"), img.open("rocket.jpg"), img.open("four.jpg") },
        { conformance = "pdf/a-1b" })
      """, "--on-error", "continue")
    #expect(outcome.status == 1 && folder.exists("b.pdf"), "\(outcome)")
    #expect(outcome.error.contains("a.j2k: cannot be in"), "\(outcome)")
    #expect(outcome.error.contains("four.jpg: cannot be in"), "\(outcome)")
    #expect(outcome.error.contains("without 2 of its 3 pages"), "\(outcome)")
    try SecondOpinions.expectPDFA1b(folder("b.pdf"))
  }

  /// Whether alpha shows something through is in the pixels: `check` says that it may, a run whether it does.
  @Test func alphaMayBeOpaque() throws {
    let folder = try Folder()
    let made = try folder.run(
      """
      img.canvas(9, 9, { background = "navy" }):ensure_alpha():save("full.png")
      img.canvas(9, 9, { background = "#00008080" }):save("clear.png")
      """)
    made.expect(status: 0)
    func check(_ pictures: String, _ options: String = "") throws -> (Outcome, Outcome) {
      let script = "img.book(\"b.pdf\", \(pictures), { conformance = \"pdf/a-1b\" \(options) })"
      let run = try folder.run(script)
      return (try folder.imghost("check", "t.lua"), run)
    }
    let doubt = "has an alpha channel; PDF/A-1b refuses opacity, and only a run tells whether there is any"
    let (checked, run) = try check("img.open(\"full.png\")")
    checked.expect(status: 0, error: "note: 'full.png' \(doubt)")
    #expect(run.status == 0 && !run.error.contains("note:"), "\(run)")
    // Among mistakes, too.
    let (wrong, _) = try check("img.open(\"full.png\")", ", page_labels = \"x\", title = \"\\1\"")
    wrong.expect(status: 3, error: "note: 'full.png' \(doubt)")
    let (both, refused) = try check("img.glob(\"*.png\")")
    #expect(both.error.contains("note: 'clear.png' and 1 more: each \(doubt)"), "\(both)")
    #expect(refused.status != 0 && refused.error.contains("it has opacity"), "\(refused)")
    let (flat, done) = try check("img.glob(\"*.png\"):map(function(p) return p:flatten() end)")
    #expect(!flat.error.contains("note:") && done.status == 0, "\(flat) \(done)")
  }
}
