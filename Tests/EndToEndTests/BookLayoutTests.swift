import Foundation
import TestSupport
import Testing

/// Several pictures on a page, and pages for print, as a script asks for them.
struct BookLayoutTests {
  private static let pictures = """
    local pictures = {}
    for i = 1, 7 do
      local wide = i % 3 > 0
      local p = img.canvas(wide and 300 or 200, wide and 200 or 300, { background = { 30 * i, 90, 120 } })
      pictures[i] = p:composite{ over = img.canvas(40, 30, { background = "white" }), left = 10 * i, top = 20 }
    end

    """

  @Test(
    arguments: sampled([
      ("layout = \"grid\", rows = 2, columns = 2, gutter = \"4mm\", fit = \"cover\", border = 1", 2),
      ("layout = \"grid\", cell = \"30mm\", gutter = 6, cell_background = \"#eee\"", 1),
      ("layout = \"justified\", row_height = \"40mm\", gutter = \"2mm\"", 1),
      ("layout = \"masonry\", columns = 2, gutter = { 4, \"2mm\" }, background = \"#f4f0e8\"", 2),
      (
        "layout = \"spread\", fit = \"cover\", bleed = \"3mm\", crop_marks = true, page_multiple = 4", 12
      ),
      ("fit = \"cover\", bleed = \"3mm\", page_multiple = 2", 8), ("max_dpi = 50", 7),
      (
        "layout = \"justified\", bleed = \"3mm\", gutter = 4, border = 2, border_colour = \"#a33\"", 1
      ),
      ("layout = \"masonry\", bleed = \"3mm\", gutter = 4, caption_position = \"above\"", 1),
      ("border = 3, fit = \"cover\", bleed = \"3mm\", caption_position = \"over\"", 7),
      (
        "layout = \"grid\", rows = 2, columns = 2, gutter = 4, caption_position = \"over\", "
          + "page_number = \"{page} / {pages}\"", 2
      ),
      (
        "layout = \"spread\", caption_position = \"over\", caption_background = \"#222\", "
          + "caption_colour = \"white\", border = 2", 9
      ),
    ]))
  func pagesAreProven(options: String, pages: Int) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.pictures + """
        local r = img.book("b.pdf", pictures,
          { paper = "a6", margin = \(options.contains("bleed") ? "0" : "\"8mm\""), dpi = 100,
            caption = "{index}", lossless = true, verify = true, \(options) }):await()
        print(r.ok, r.pages)
        """)
    #expect(outcome.status == 0 && outcome.outputLines == ["true\t\(pages)"], "\(outcome)")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
  }

  @Test func contactSheetsHaveNames() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.contact_sheet(\"b.pdf\", img.glob(\"\(Built.photos)/*.{jpg,png}\"), { verify = true })")
    outcome.expect(status: 0)
    if let text = try SecondOpinions.run("pdftotext", [folder("b.pdf"), "-"]) {
      for name in Built.samples { #expect(text.text.contains(name), "\(name): \(text.text)") }
    }
    // Pictures are resized to their cells: 200 pixels per inch.
    if let list = try SecondOpinions.run("pdfimages", ["-list", folder("b.pdf")]) {
      let resolutions = list.text.split(separator: "\n").dropFirst(2).compactMap { Int($0.split(separator: " ")[12]) }
      #expect(resolutions.count == Built.samples.count)
      #expect(resolutions.allSatisfy { $0 <= 202 }, "\(list.text)")
    }
  }

  @Test func printersGetTheirBoxes() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.pictures + """
        img.book("b.pdf", { pictures[1], pictures[2] }, { layout = "cover", paper = "100mm x 200mm",
          fit = "cover", bleed = "3mm", crop_marks = true, cover_pages = 100, paper_thickness = "0.1mm",
          cover_thickness = "0.5mm", verify = true })
        """)
    outcome.expect(status: 0)
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    guard let info = try SecondOpinions.run("pdfinfo", ["-box", folder("b.pdf")]) else { return }
    func box(_ name: String) -> [Double] {
      let line = info.text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return line.split(separator: " ").dropFirst().compactMap { Double($0) }
    }
    let (media, trim, bleed) = (box("MediaBox"), box("TrimBox"), box("BleedBox"))
    // Two pages of 100 mm and a spine of 50 sheets of 0.1 mm and the cover twice.
    #expect(abs((trim[2] - trim[0]) - 206 * 72 / 25.4) < 0.02, "\(info.text)")
    #expect(abs((bleed[2] - bleed[0]) - 212 * 72 / 25.4) < 0.02, "\(info.text)")
    #expect(abs((media[2] - bleed[2]) - 20) < 0.02, "\(info.text)")
  }

  /// A broken picture leaves its cell empty, or stops the book.
  @Test(arguments: [("continue", 1, true), ("stop", 1, false)])
  func aBrokenPictureInAGrid(onError: String, status: Int32, isWritten: Bool) throws {
    let folder = try Folder()
    let whole = [UInt8](FileManager.default.contents(atPath: Built.photos + "/rocket.jpg")!)
    try folder.write("p/cut.jpg", Array(whole.prefix(whole.count / 2)))
    try folder.copy(Built.photos + "/coffee.png", to: "p/coffee.png")
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.glob("p/*"), { layout = "grid", paper = "a6", verify = true })
      """, "--on-error", onError)
    #expect(outcome.status == status && folder.exists("b.pdf") == isWritten, "\(outcome)")
    #expect(folder.temporaries == [])
    if isWritten {
      #expect(outcome.error.contains("written without 1 of its 2 pictures"), "\(outcome)")
      try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    }
  }

  @Test(arguments: [
    ("layout = \"grid\", rows = 40, gutter = \"20mm\"", "do not fit between the margins"),
    ("layout = \"cover\"", "a cover takes one picture (around it)"),
    ("layout = \"grid\", gutter = \"1mm 2mm 3mm\"", "'gutter' takes one or two lengths, not 3"),
    ("bleed = \"3apples\"", "'bleed' contains '3apples', which is not a length"),
    ("layout = \"gird\"", "did you mean 'grid'?"), ("margin = \"100mm\"", "no room"),
    ("layout = \"masonry\", margin = \"100mm\"", "leave no room"),
    (
      "layout = \"grid\", caption = { text = \"a\", size = 900 }", "1 row and 3 columns with their"
    ),
    (
      "layout = \"masonry\", columns = 500",
      "500 columns with their gutters, borders and captions do not fit between the margins"
    ),
    ("columns = 3", "'columns' is only for layout 'grid' or 'masonry'; set 'layout' to 'grid'"),
    (
      "layout = \"masonry\", cell = \"30mm\"", "'cell' is only for layout 'grid', but the layout is 'masonry'"
    ),
    (
      "layout = \"cover\", page_multiple = 4, title_page = \"x\"",
      "'title_page' has no effect in layout 'cover'; leave it out"
    ),
    ("layout = \"justified\", fit = \"cover\"", "'fit' has no effect in layout 'justified'"),
    ("border_colour = \"red\"", "'border_colour' has no effect alone; add border = 1"),
    (
      "caption = \"x\", caption_background = \"red\"",
      "'caption_background' has no effect alone; add caption_position = \"over\""
    ),
    ("paper = \"picture\", orientation = \"landscape\"", "set 'paper', for example to 'a4'"),
    (
      "layout = \"grid\", cell = \"300mm\"", "'cell' is 300 x 300 mm, but the margins leave 105 x 148 mm"
    ),
    ("layout = \"grid\", cell = \"0mm\"", "'cell' is '0mm'; it must be at least 1 point"),
    (
      "layout = \"justified\", row_height = 0",
      "'row_height' is '0pt'; it must be at least 1 point"
    ),
    (
      "margin = \"10\"",
      "'margin' contains '10', a number without a unit; write '10mm' or '10pt', or the number without "
        + "quotation marks for points"
    ),
    ("bleed = \"101mm\"", "'bleed' is '101mm'; it must be at most 100 mm"),
    (
      "margin = -10", "'margin' is -10; it takes one to four lengths such as 10 (points) or '5mm 10mm', none below 0"
    ),
    (
      "layout = \"grid\", gutter = \"-4mm\"", "'gutter' contains '-4mm'; a length cannot be negative"
    ),
    (
      "fit = \"outside\"",
      "'fit' cannot be 'outside': a page clips what sticks out, and that is 'cover'; valid: inside, "
        + "cover, contain, fill"
    ),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(Self.pictures + "img.book(\"b.pdf\", pictures, { paper = \"a6\", \(options) })")
    #expect(outcome.status != 0 && outcome.error.contains(message), "\(outcome)")
    #expect(!folder.exists("b.pdf") && folder.temporaries == [])
  }

  /// Header, footer and page number of a cover stand on its front, and not across its spine.
  @Test(arguments: ["left-to-right", "right-to-left"])
  func runningLinesOfCovers(direction: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.canvas(60, 40), { layout = "cover", paper = "300pt x 400pt", cover_thickness = "20pt",
        header = "Above", footer = { text = "Below", align = "centre" }, bleed = "9pt",
        page_number = { text = "{page} of {pages}", align = "right" }, verify = true,
        reading_direction = "\(direction)" })
      """)
    outcome.expect(status: 0, error: "verified")
    // The front's left edge on a sheet of 640 points, bleed included.
    let front = direction == "left-to-right" ? 349 : 9
    for (x, words) in [(front, ["Above", "Below", "1 of 1"]), (358 - front - 9, [])] {
      guard
        let text = try SecondOpinions.run(
          "pdftotext",
          ["-x", "\(x)", "-y", "0", "-W", "300", "-H", "418", folder("b.pdf"), "-"])
      else { return }
      for word in ["Above", "Below", "1 of 1"] {
        #expect(text.text.contains(word) == words.contains(word), "\(x): \(text.text)")
      }
    }
    guard
      let middle = try SecondOpinions.run(
        "pdftotext",
        ["-x", "\(front + 120)", "-y", "0", "-W", "60", "-H", "418", folder("b.pdf"), "-"])
    else { return }
    #expect(middle.text.contains("Above") && middle.text.contains("Below"), "\(middle.text)")
  }

  /// A script's options override a contact sheet's defaults, and no message names an option that nobody wrote.
  @Test func fineContactSheets() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.contact_sheet(\"b.pdf\", img.canvas(60, 40), { min_dpi = 250 })")
    outcome.expect(status: 0, error: "250 pixels per inch")
    let clash = try folder.run("img.contact_sheet(\"c.pdf\", img.canvas(60, 40), { min_dpi = 250, dpi = 100 })")
    #expect(clash.error.contains("'min_dpi' is 250, but 'dpi' limits pictures to 100"), "\(clash)")
  }

  /// Pages of one file are told apart.
  @Test func contactSheetsNamePages() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 40)
      p:save("b.png"):await()
      img.multipage("a.tif", { p, p, p }):await()
      local all = img.pages("a.tif") .. img.open("b.png")
      img.contact_sheet("sheet.pdf", all)
      img.contact_sheet("own.pdf", all, { caption = "{stem} ({label})" })
      p:save("{label}.png")
      """)
    outcome.expect(status: 1, error: "a picture that comes from no file has no {label}")
    let right = try folder.run(
      """
      local p = img.canvas(60, 40)
      p:save("b.png"):await()
      img.multipage("a.tif", { p, p, p }):await()
      local all = img.pages("a.tif") .. img.open("b.png")
      img.contact_sheet("sheet.pdf", all)
      all:save("web/{label}.png")
      """)
    right.expect(status: 0)
    #expect(folder.exists("web/a.tif, page 3.png") && folder.exists("web/b.png.png"), "\(folder.files)")
    guard let text = try SecondOpinions.run("pdftotext", ["-raw", folder("sheet.pdf"), "-"])?.text else { return }
    for label in ["a.tif, page 1", "a.tif, page 2", "a.tif, page 3", "b.png"] {
      #expect(text.contains(label), "\(label): \(text)")
    }
  }

  /// Every option of a contact sheet that the script gives goes before the usual one, in whatever form.
  @Test(
    .thorough,
    arguments: [
      "caption = { text = \"{stem}\", lines = 2, size = 12 }", "caption = { size = 5 }",
      "caption = \"\"", "caption = { text = \"\" }", "caption = \"\", captions = { \"a\" }",
      "caption = {}", "caption = { text = \"a\" }, caption_size = 5",
      "cell = \"30mm\"", "cell = \"30mm\", caption = { text = \"b\", size = 4 }", "rows = 2",
      "columns = 2",
      "dpi = 30", "max_dpi = 50", "min_dpi = 30, max_dpi = 40", "paper = \"10x15\", margin = 0",
      "gutter = { 1, \"2mm\" }", "layout = \"single\"", "layout = \"masonry\", columns = 2",
      "layout = \"justified\", row_height = 50, gutter = 0", "layout = \"spread\"",
      "layout = \"cover\", caption = { text = \"a\", size = 6, position = \"over\" }",
    ])
  func contactSheetsTakeEveryOption(options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.contact_sheet(\"b.pdf\", img.open(\"\(Built.photos)/rocket.jpg\"), { \(options) })")
    #expect(outcome.status == 0 && outcome.messages == [], "\(outcome)")
    guard let text = try SecondOpinions.run("pdftotext", ["-bbox", folder("b.pdf"), "-"]) else { return }
    let words = text.text.split(separator: "\n").filter { $0.contains("<word") }
    #expect(words.isEmpty == (options == "caption = \"\"" || options.contains("text = \"\"")))
  }

  /// A size that is given twice is the script's mistake, on a contact sheet as in a book.
  @Test func aSizeGivenTwice() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "img.contact_sheet(\"b.pdf\", img.canvas(9, 9), { caption = { size = 5 }, caption_size = 6 })")
    outcome.expect(status: 3, error: "'caption_size' is given twice")
  }

  /// No box is drawn behind what cannot be seen.
  @Test(arguments: ["single", "grid"], ["\u{200b}\u{ad}\u{2060}", " \u{a0}", "\u{2800}"])
  func invisibleCaptions(layout: String, caption: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local o = { layout = "\(layout)", paper = "a6" }
      local p = img.canvas(60, 40, { background = "navy" })
      img.book("a.pdf", p, o)
      o.caption = { text = "\(caption)", position = "over" }
      img.book("b.pdf", p, o)
      """)
    outcome.expect(status: 0)
    guard
      let plain = try SecondOpinions.run("qpdf", ["--qdf", "--static-id", folder("a.pdf"), "-"]),
      let other = try SecondOpinions.run("qpdf", ["--qdf", "--static-id", folder("b.pdf"), "-"])
    else { return }
    func boxes(_ text: String) -> Int { text.components(separatedBy: " re").count }
    #expect(boxes(plain.text) == boxes(other.text) && !other.text.contains("/Font"))
  }

  /// A caption without room is cut at its end or in its middle, set in smaller letters, or refused, in every layout.
  @Test(
    .thorough, arguments: ["single", "grid", "justified", "masonry", "spread", "cover"],
    ["", "ellipsis", "middle", "shrink", "error"])
  func captionsWithoutRoom(layout: String, overflow: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local text = "Alpha and several words and " .. ("words "):rep(6) .. "and Omega"
      local r = img.book("b.pdf", { img.canvas(90, 60), img.canvas(60, 60) }, { layout = "\(layout)", paper = "a4 portrait",
        captions = { text, "few" }, caption_lines = 1, caption_size = 20, verify = true,
        caption_overflow = \(overflow.isEmpty ? "nil" : "\"\(overflow)\"") }):await()
      print(r.ok, r.verified)
      """, "--on-error", "continue")
    if overflow == "error" {
      #expect(outcome.outputLines.first?.hasPrefix("false") == true, "\(outcome)")
      #expect(
        outcome.error.contains(
          "t.lua:3: book: picture 1: the text 'Alpha and several words and words words …'")
          && outcome.error.contains("1 is left out of 'b.pdf'"), "\(outcome)")
    } else {
      #expect(outcome.outputLines == ["true\ttrue"], "\(outcome)")
    }
    guard folder.exists("b.pdf"),
      let text = try SecondOpinions.run("pdftotext", ["-layout", folder("b.pdf"), "-"])?.text
    else { return #expect(overflow == "error" && layout == "cover") }
    let isOnePage = layout == "single" || layout == "spread"
    let isMiddle = overflow == "middle" || overflow.isEmpty && !isOnePage && layout != "cover"
    #expect(text.contains("Alpha") == (overflow != "error"), "\(text)")
    if layout == "single" || layout == "grid" {
      #expect(text.contains("Omega") == (isMiddle || overflow == "shrink"), "\(text)")
      #expect(text.contains("…") == (overflow != "shrink" && overflow != "error"), "\(text)")
    }
    #expect(text.contains("few"), "\(text)")
  }

  /// Letters become as small as 4 points, and no smaller: such a caption costs its picture, and not the book.
  @Test(arguments: ["single", "grid"]) func captionsTooLongForSmallLetters(layout: String) throws {
    let folder = try Folder()
    let script = """
      img.book("b.pdf", { img.canvas(90, 60), img.canvas(60, 60), img.canvas(60, 60) }, { layout = "\(layout)",
        paper = "a6", captions = { "few", ("words "):rep(200), "more" }, verify = true,
        caption_overflow = "shrink", caption_lines = 1 })
      """
    let going = try folder.run(script, "--on-error", "continue")
    going.expect(status: 1, error: "verified")
    #expect(going.error.contains("2 is left out of 'b.pdf'"), "\(going)")
    #expect(try folder.imghost("check", "t.lua").error.contains("lines, and 1 is allowed"))
  }

  /// Captions of several lines where the script asks for them, and of one where it does not.
  @Test(arguments: [("", 1), ("caption_lines = 3", 3), ("caption_lines = 2", 2)])
  func linesOfCaptions(options: String, lines: Int) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local text = ("several words and "):rep(20)
      local r = img.contact_sheet("b.pdf", { img.canvas(90, 60), img.canvas(60, 60) },
        { captions = { text, "few" }, verify = true, \(options) }):await()
      assert(r.verified, r.errors[1])
      """)
    outcome.expect(status: 0)
    guard let text = try SecondOpinions.run("pdftotext", ["-layout", folder("b.pdf"), "-"]) else { return }
    #expect(text.text.split(separator: "\n").count { $0.contains("several") } == lines, "\(text)")
  }
}
