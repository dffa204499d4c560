import Foundation
import PictureTestSupport
import Testing

/// All the reasons why a picture can lose its page. A line names the position in the script, the picture, the reason,
/// the effect on the page, and an alternative.
struct LostPageTests {
  /// A reason to lose a page, and the beginning of the line that reports it.
  struct Way: Sendable, CustomTestStringConvertible {
    let name: String
    let picture: String
    var options = ""
    let message: String
    var isDamage = false
    var testDescription: String { name }
  }

  static let ways = [
    Way(
      name: "missing", picture: "img.open(\"none.jpg\")",
      message: "t.lua:2: open: none.jpg: the file does not exist"),
    Way(
      name: "no picture", picture: "img.open(\"text.jpg\")",
      message: "t.lua:2: open: text.jpg: unrecognized file format; see 'imghost plugins' for those it reads"),
    Way(
      name: "operation", picture: "img.open(\"a.jpg\"):crop(0, 0, 9000, 10)",
      message: "t.lua:2: crop: a.jpg: the area 9000x10 at (0, 0) is not inside the 640x427 picture"),
    Way(
      name: "link", picture: "img.open(\"a.jpg\")", options: "link = \"https://a.b/{exif.Model}\"",
      message:
        "t.lua:3: book: a.jpg: the picture has no EXIF field 'Model'; {exif.Model|text} gives a text "
        + "instead"),
    Way(
      name: "one pixel", picture: "img.canvas(1, 9000)",
      message:
        "t.lua:3: book: picture 2: its 1 x 9000 pixels make a page of 0.26 x 2381.3 mm, and sides must "
        + "be at least 1.06 mm; give a paper such as 'a6'"),
    Way(
      name: "caption", picture: "img.open(\"a.jpg\")",
      options:
        "paper = \"a6\", caption = { text = \"{stem|x}\", overflow = \"error\", lines = 1 }, "
        + "captions = { [\"a.jpg\"] = (\"word \"):rep(60) }",
      message:
        "t.lua:3: book: a.jpg: the text 'word word word word word word word word …' takes 4 lines, and "
        + "1 is allowed; raise 'caption_lines', or leave out 'caption_overflow' to shorten it"),
    Way(
      name: "PDF/A", picture: "img.open(\"four.jpg\")", options: "conformance = \"pdf/a-1b\"",
      message:
        "t.lua:3: book: four.jpg: cannot be in a PDF/A-1b file: its colour profile has version 4, "
        + "and PDF 1.4 allows only 2; use pdf/a-2b"),
    Way(
      name: "damaged as it is", picture: "img.open(\"rst.jpg\")",
      message:
        "t.lua:3: book: rst.jpg: damaged file (unexpected restart marker RST3)", isDamage: true),
    Way(
      name: "cut", picture: "img.open(\"cut.jpg\")",
      message: "t.lua:2: open: cut.jpg: truncated file", isDamage: true),
    Way(
      name: "cut and changed", picture: "img.open(\"cut.jpg\"):grayscale()",
      message: "t.lua:2: open: cut.jpg: truncated file", isDamage: true),
  ]

  private func folder() throws -> Folder {
    let folder = try Folder()
    try folder.copy(Built.photos + "/rocket.jpg", to: "a.jpg")
    try folder.copy(Built.photos + "/retina.jpg", to: "good.jpg")
    try folder.copy(Built.root + "/Tests/ImageCodecsTests/Fixtures/exif-icc-444.jpg", to: "four.jpg")
    try folder.write("text.jpg", "not a picture, only text that is called one\n")
    let whole = folder.bytes("a.jpg")
    try folder.write("cut.jpg", Array(whole.prefix(whole.count / 2)))
    let scan = whole.indices.first { whole[$0] == 0xff && whole[$0 + 1] == 0xda }!
    let place = (scan + 2_000..<whole.count).first { whole[$0] != 0xff && whole[$0 - 1] != 0xff }!
    try folder.write("rst.jpg", Array(whole[..<place]) + [0xff, 0xd3] + whole[place...])
    return folder
  }

  private func script(_ way: Way, _ options: String = "") -> String {
    """
    local bad = \(way.picture)
    img.book("b.pdf", { img.canvas(99, 99), bad, img.canvas(99, 66) }, { \(way.options) \(options) })
    """
  }

  private static let accept = "; open(…, { damaged = \"accept\" }) shows what can be read"

  @Test(arguments: ways) func onePicturePerPage(_ way: Way) throws {
    let folder = try folder()
    let script = script(way)
    let stopped = try folder.run(script)
    #expect(stopped.status != 0 && !folder.exists("b.pdf"), "\(stopped)")
    let end = "; 'b.pdf' is not written; --on-error continue leaves page 2 out"
    #expect(
      stopped.messages.contains(way.message + end + (way.isDamage ? Self.accept : "")), "\(stopped)"
    )
    let going = try folder.run(script, "--on-error", "continue")
    let clause = "; page 2 is left out of 'b.pdf'" + (way.isDamage ? Self.accept : "")
    #expect(going.status == 1 && going.messages.contains(way.message + clause), "\(going)")
  }
  /// The picture of a cover's front does not go around it where that of its back is missing.
  @Test(arguments: ["none.jpg", "cut.jpg"]) func covers(_ bad: String) throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local front = img.canvas(100, 100, { background = "navy" })
      img.book("b.pdf", { front, img.open("\(bad)") }, { layout = "cover", paper = "100pt x 100pt", fit = "cover",
        min_dpi = 50, cover_thickness = "10pt", lossless = true, verify = true })
      """, "--on-error", "continue")
    outcome.expect(status: 1, error: "verified")
    #expect(
      outcome.error.contains(
        "; picture 2 is left out of 'b.pdf', and the others keep their places"),
      "\(outcome)")
    #expect(!outcome.error.contains("min_dpi"), "\(outcome)")
    guard
      let drawn = try SecondOpinions.run("pdftoppm", ["-r", "72", "-png", "-singlefile", folder("b.pdf"), folder("b")])
    else { return }
    #expect(drawn.status == 0, "\(drawn)")
    let page = try Pixels(file: folder("b.png"))
    #expect(page[160, 50] == [0, 0, 128] && page[50, 50] == [255, 255, 255])
  }

  /// An option that refers to a lost page is left out with a note, and the verifier does not expect it.
  @Test(arguments: ["cut.jpg", "none.jpg"]) func pagesThatSomethingLedTo(_ bad: String) throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local one = img.canvas(99, 99)
      img.book("b.pdf", { one, one:flop(), img.open("\(bad)") }, { viewer_page = 3, page_labels = "1:r 3:D",
        verify = true })
      img.book("c.pdf", one)
      """, "--on-error", "continue")
    outcome.expect(status: 1)
    for option in ["'viewer_page' is 3", "'page_labels' begins a range on page 3"] {
      #expect(outcome.error.contains("\(option), but the book has 2 pages; it is left out"))
    }
    #expect(!outcome.error.contains("did not verify"), "\(outcome)")
    #expect(!folder.bytes("b.pdf").isEmpty && !folder.bytes("c.pdf").isEmpty)
  }

  /// A picture that fails before anything is made leaves no gap: the others close up. A later failure does.
  @Test(arguments: [
    ("img.open(\"none.jpg\")", "", 1, ""),
    ("img.open(\"four.jpg\")", "conformance = \"pdf/a-1b\"", 1, ""),
    ("img.open(\"cut.jpg\")", "", 2, ", and the others keep their places" + accept),
  ])
  func severalPicturesAPage(picture: String, options: String, pages: Int, rest: String) throws {
    let folder = try folder()
    let script = """
      local bad = \(picture)
      local all = { img.canvas(99, 99), bad, img.canvas(99, 99), img.canvas(99, 66), img.canvas(99, 66) }
      local r = img.book("b.pdf", all,
        { layout = "grid", rows = 2, columns = 2, caption = "{index}", verify = true, \(options) }):await()
      print(r.pages)
      """
    let going = try folder.run(script, "--on-error", "continue")
    #expect(going.status == 1 && going.outputLines == ["\(pages)"], "\(going)")
    let clause = "; picture 2 is left out of 'b.pdf'" + rest
    #expect(going.messages.contains { $0.hasSuffix(clause) }, "\(going)")
    #expect(
      going.messages.contains("t.lua:4: book: b.pdf: written without 1 of its 5 pictures (2)"),
      "\(going)")
    let stopped = try folder.run(script)
    #expect(
      stopped.error.contains("; 'b.pdf' is not written; --on-error continue leaves picture 2 out"),
      "\(stopped)")
  }
}
