import Foundation
import TestSupport
import Testing

/// Pages that a script declares, openers of chapters, title pages and colophons.
struct DeclaredPageTests {
  /// Twelve pictures of three days, of many shapes.
  static func photos() throws -> Folder {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      for i = 1, 12 do
        local sizes = { { 300, 200 }, { 200, 300 }, { 250, 250 }, { 450, 150 } }
        local size = sizes[i % 4 + 1]
        img.canvas(size[1], size[2], { background = { 20 * i, 90, 120 } })
          :composite{ over = img.canvas(40, 30, { background = "white" }), left = 10 * i, top = 20 }
          :with_metadata{ date = ("2026-07-%02d 10:00:%02d"):format(3 + (i - 1) // 4, i) }
          :save(("p%02d.jpg"):format(i))
      end
      """)
    outcome.expect(status: 0)
    return folder
  }

  private func texts(_ path: String) throws -> [String] {
    let outcome = try #require(try SecondOpinions.run("pdftotext", ["-layout", path, "-"]))
    var pages = outcome.text.split(separator: "\u{c}", omittingEmptySubsequences: false).map {
      $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    if pages.last == "" { pages.removeLast() }
    return pages
  }

  private func outline(_ path: String) throws -> [String] {
    let outcome = try #require(try SecondOpinions.run("mutool", ["show", path, "outline"]))
    return outcome.text.split(separator: "\n").map { line in
      line.replacingOccurrences(of: "\t", with: " ").replacingOccurrences(of: "&view=Fit", with: "")
    }
  }

  @Test(arguments: sampled(["single", "grid", "justified", "masonry", "spread", "auto"]))
  func textPagesStandAnywhere(layout: String) throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local photos = img.glob("p*.jpg")
      img.book("a.pdf", {
        img.page{ title = "Before", text = "One\\nline.\\n\\nAnother.", background = "#203040" },
        photos[1], photos[2], img.page{ title = "Between" }, photos[3], img.page{ text = "After" },
      }, { layout = "\(layout)", paper = "a6", verify = true, outline = "{stem}", lang = "en", alt = "{stem}" })
      """)
    outcome.expect(status: 0)
    let found = try texts(folder("a.pdf")).filter { !$0.isEmpty }
    #expect(found == ["Before One line. Another.", "Between", "After"])
    let titles = try outline(folder("a.pdf")).map { $0.split(separator: "\"")[1] }
    #expect(titles == ["Before", "p01", "p02", "Between", "p03"])
    let structure = try #require(try SecondOpinions.run("pdfinfo", ["-struct-text", folder("a.pdf")])).text
    let heading = try #require(structure.range(of: "Before")), paragraph = try #require(structure.range(of: "Another"))
    #expect(structure.contains("H1") && heading.lowerBound < paragraph.lowerBound)
    try SecondOpinions.expectNoComplaint(folder("a.pdf"))
  }

  @Test func pagesOfTextTakeTheSizeOfTheirNeighbours() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      img.book("a.pdf", img.list{ img.glob("p*.jpg")[1] } .. { img.page{ title = "End" } }, { verify = true })
      """)
    outcome.expect(status: 0)
    let sizes = try #require(try SecondOpinions.run("pdfinfo", ["-l", "2", folder("a.pdf")])).text
      .split(separator: "\n").filter { $0.hasPrefix("Page ") && $0.contains(" size:") }
      .map { $0.split(separator: ":")[1] }
    #expect(sizes.count == 2 && sizes[0] == sizes[1], "\(sizes)")
  }

  @Test func chaptersOpenGroups() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      img.book("a.pdf", img.glob("p*.jpg"):group_by("day"), { layout = "auto", paper = "20x20", verify = true,
        title = "Walks", chapter = "{date:%e %B %Y}", colophon = true, pages = 10, alt = "{stem}", lang = "en" })
      img.book("b.pdf", img.glob("p*.jpg"):group_by("day"), { layout = "grid", chapter = "Day {section}", paper = "a5" })
      """)
    outcome.expect(status: 0)
    let designed = try texts(folder("a.pdf"))
    #expect(designed.count == 10 && designed.first == "Walks")
    #expect(designed.filter { $0.hasSuffix("July 2026") } == ["3 July 2026", "4 July 2026", "5 July 2026"])
    #expect(
      designed.last
        == "Walks 12 pictures, taken from 3 July 2026 to 5 July 2026. Printed on pages of 200 x 200 mm.")
    #expect(
      try outline(folder("a.pdf")).map { $0.split(separator: "\"")[1] } == [
        "3 July 2026", "4 July 2026", "5 July 2026",
      ])
    #expect(
      try texts(folder("b.pdf")).filter { !$0.isEmpty } == [
        "Day 2026-07-03", "Day 2026-07-04", "Day 2026-07-05",
      ])
    try SecondOpinions.expectNoComplaint(folder("a.pdf"))
  }

  @Test func aDeclaredTitleReplacesAChapter() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local p = img.glob("p*.jpg")
      img.book("a.pdf", {
        { name = "one", pictures = { img.page{ title = "Mine", p[1], p[2] }, p[3] } },
        img.page{ title = "Between" },
        { name = "two", pictures = { img.page{ text = "Words" }, p[4] } },
      }, { layout = "auto", paper = "a5", chapter = "Chapter {section}", verify = true })
      """)
    outcome.expect(status: 0)
    #expect(
      try texts(folder("a.pdf")).filter { !$0.isEmpty } == ["Mine", "Between", "Chapter two", "Words"])
  }

  @Test func declaredPlacesAreKept() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local p = img.glob("p*.jpg")
      img.book("a.pdf", {
        img.page{ p[1], p[2], slots = { { 0, 0, 0.5, 0.5 }, { 0.5, 0.5, 0.25, 0.25, crop = { 0, 0, 1, 0.5 },
          caption = "Mine" } }, background = "#dddddd" },
        img.page{ spread = true, p[3], slots = { { 0, 0.25, 1, 0.5 } } },
        img.page{ p[4], p[5], template = "two rows" },
        p[6], p[7],
      }, { layout = "auto", paper = "20x20", bleed = "3mm", lossless = true, verify = true, title_page = "" })
      """)
    outcome.expect(status: 0)
    #expect(try texts(folder("a.pdf")).first == "Mine")
    let plan = try folder.run(
      """
      local p = img.glob("p*.jpg")
      img.book("a.pdf", { img.page{ p[1], p[2], template = "two rows" }, img.page{ spread = true, p[3],
        slots = { { 0, 0.25, 1, 0.5 } } }, img.page{ p[5] } }, { layout = "auto", first_page = "left" })
      """, "--dry-run")
    #expect(plan.output.contains("page 1: two rows: p01.jpg, p02.jpg (the script declares it)"), "\(plan)")
    #expect(plan.output.contains("pages 3 and 4: as declared: p03.jpg"), "\(plan)")
    #expect(plan.messages.contains { $0.contains("page 2 is blank, because the spread after it") }, "\(plan)")
  }

  @Test(
    arguments: sampled([
      ("img.page{}", "the page is empty"), ("img.page{ title = \" \" }", "the page is empty"),
      ("img.page{ a, template = \"two rowz\" }", "did you mean 'two rows'?"),
      ("img.page{ a, template = \"two rows\" }", "the template 'two rows' takes 2 pictures, and the page has 1"),
      ("img.page{ a, b, slots = { { 0, 0, 1, 1 } } }", "the page has 2 pictures for 1 slot"),
      ("img.page{ a, slots = { { 0.5, 0, 0.6, 1 } } }", "reaches outside the page"),
      ("img.page{ a, slots = { { 0, 0, 0 / 0, 1 } } }", "is not finite"),
      ("img.page{ a, slots = { { 0, 0, 0, 1 } } }", "is empty; width and height"),
      ("img.page{ a, slots = { { 0, 0, 1, 1, crop = { 0, 0, 2, 1 } } } }", "reaches outside the picture"),
      ("img.page{ a, slots = { { 0, 0, 0.5, 1, text = { 0.6, 0, 0.6, 1 } } } }", "reaches outside the page"),
      ("img.page{ a, slots = { { 0, 0, 0.5, 1, text = { 0.6, 0, 0 / 0, 1 } } } }", "is not finite"),
      ("img.page{ a, slots = { { 0, 0, 0.5, 1, text = { 0.6, 0, 0, 1 } } } }", "is empty"),
      ("img.page{ a, b, slots = { { 0, 0, 0.6, 1 }, { 0.5, 0, 0.5, 1 } } }", "slots 1 and 2 overlap"),
      ("img.page{ a, slots = { { 0, 0, 1 } } }", "slot 1 needs four numbers"),
      ("img.page{ a, slots = { { 0, 0, 1, 1, corp = 1 } } }", "did you mean 'crop'?"),
      ("img.page{ text = \"x\", background = \"pictures\" }", "'background' is 'pictures', and the page has none"),
      ("img.page{ titel = \"x\" }", "did you mean 'title'?"), ("img.page{ 5 }", "item 1 is a number"),
      ("img.page{ a, text = (\"word \"):rep(1500) }", "its text leaves no room for pictures"),
      ("img.page{ a, layout = \"gird\" }", "did you mean 'grid'?"),
      ("img.page{ layout = \"grid\", title = \"x\" }", "'layout' needs pictures"),
      ("img.page{ a, layout = \"grid\", template = \"framed\" }", "'template' and 'layout' both place the pictures"),
      ("img.page{ a, text_area = { 0, 0, 1, 1 }, slots = { { 0, 0, 1, 1 } } }", "is the place of a 'title' or 'text'"),
      ("img.page{ a, title = \"x\", text_area = { 0, 0, 1, 1 } }", "'text_area' belongs to 'slots'"),
      (
        "img.page{ a, title = \"x\", text_area = { 0, 0, 0.6, 1 }, slots = { { 0.5, 0, 0.5, 1 } } }",
        "'text_area' overlaps slot 1"
      ),
      (
        "img.page{ a, title = \"x\", text_area = { 0, 0, 0 / 0, 1 }, slots = { { 0.5, 0, 0.5, 1 } } }",
        "takes a list of 4 numbers"
      ),
      ("img.page{ a, template = \"text beside picture\" }", "has a place for a text; add a 'title' or a 'text'"),
      ("img.page{ a, text = \"x\", template = \"whole page\" }", "leaves no room for a 'title'"),
      ("img.page{ title = \"x\\1\" }", "contains the control character U+0001"),
      ("img.page{ text = (\"word \"):rep(1900) }", "the text of a page"),
    ]))
  func mistakesAreTold(page: String, message: String) throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local a, b, c = img.open("p01.jpg"), img.open("p02.jpg"), img.open("p03.jpg")
      img.book("a.pdf", { c, \(page) }, { layout = "auto", paper = "a6" })
      """)
    outcome.expect(status: 3, error: message)
    #expect(!folder.exists("a.pdf"))
  }

  @Test(
    arguments: sampled([
      ("{ img.page{ a } }, { layout = \"grid\" }", "a page of pictures needs a book with layout = \"auto\""),
      ("{ a, img.page{ title = \"x\" } }, { layout = \"cover\" }", "a cover has no pages"),
      ("{ a }, { chapter = \"x\" }", "'chapter' needs groups of pictures"),
      ("{ { name = \"x\", pictures = { a } } }, { chapter = \"{dat}\" }", "did you mean '{date}'?"),
      ("({ img.page{ title = \"x\" } } .. img.list{ a }):take(1), {}", "the list has pages, which only books take"),
    ]))
  func mistakesInBooksAreTold(call: String, message: String) throws {
    let folder = try Self.photos()
    let outcome = try folder.run("local a = img.open('p01.jpg') img.book('a.pdf', \(call))")
    outcome.expect(status: 3, error: message)
  }

  @Test func pagesStandAroundAllGroups() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local days = img.glob("p*.jpg"):group_by("day")
      img.book("a.pdf", { img.page{ title = "First" }, days, img.page{ title = "Last" } },
        { layout = "auto", paper = "a6", chapter = "{section}", verify = true })
      """)
    outcome.expect(status: 0)
    #expect(
      try texts(folder("a.pdf")).filter { !$0.isEmpty } == ["First", "2026-07-03", "2026-07-04", "2026-07-05", "Last"])
  }

  /// Pages of words have running lines that name no picture; titles alone and colophons have none.
  @Test func pagesOfWordsHaveRunningLines() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local p = img.glob("p*.jpg")
      img.book("a.pdf", { img.page{ title = "Alone" }, img.page{ text = "Words", background = "#102030" }, p[1] },
        { layout = "auto", paper = "a6", header = "Walks {page} of {pages}", footer = "{stem}", page_number = "{page}",
          page_number_align = "right", colophon = "The end", verify = true })
      """)
    outcome.expect(status: 0)
    let pages = try texts(folder("a.pdf"))
    #expect(pages == ["Alone", "Walks 2 of 4 Words 2", "Walks 3 of 4 p01 3", "The end"], "\(pages)")
    let header = try folder.run(
      """
      local page = img.pages("a.pdf", { dpi = 200 })[2]:flatten("white")
      print(page:crop(0, 0, page.width, 110):stats().maximum[1] > 200)
      """)
    #expect(header.output == "true\n", "light letters on the dark page: \(header)")
  }

  @Test(arguments: sampled(["grid", "justified", "masonry"])) func aPageHasALayoutOfItsOwn(layout: String) throws {
    let folder = try Self.photos()
    try folder.write(
      "book.lua",
      """
      local img = require "imghost"
      local p = img.glob("p*.jpg")
      img.book("a.pdf", { p[1], img.page{ layout = "\(layout)", title = "All", background = "#dddddd",
        p[2], p[3], p[4], p[5], p[6], p[7], p[8] }, p[9] }, { layout = "auto", paper = "20x20", verify = true })
      """)
    let outcome = try folder.imghost("run", "--design", "plan.lua", "book.lua")
    outcome.expect(status: 0)
    let plan = try folder.imghost("check", "book.lua")
    #expect(plan.output.contains("page 2: \(layout): 'All', p02.jpg, p03.jpg and 5 more"), "\(plan)")
    let book = folder.bytes("a.pdf")
    #expect(try folder.imghost("run", "plan.lua").status == 0)
    #expect(folder.bytes("a.pdf") == book && !book.isEmpty)
  }

  @Test func textsStandBesidePictures() throws {
    let folder = try Self.photos()
    try folder.write(
      "book.lua",
      """
      local img = require "imghost"
      local p = img.glob("p*.jpg")
      local words = ("word "):rep(60)
      img.book("a.pdf", {
        img.page{ title = "Beside", text = words, template = "text beside picture", p[1] },
        img.page{ title = "Above", text = words, p[2], p[3] },
        img.page{ title = "Own", text = words, text_area = { 0.1, 0.1, 0.35, 0.8 }, slots = { { 0.5, 0.1, 0.4, 0.8 } },
          p[4] },
      }, { layout = "auto", paper = "20x20", verify = true })
      """)
    let outcome = try folder.imghost("run", "--design", "plan.lua", "book.lua")
    outcome.expect(status: 0)
    #expect(try texts(folder("a.pdf")).map { $0.prefix { $0 != " " } } == ["Beside", "Above", "Own"])
    let book = folder.bytes("a.pdf")
    #expect(try folder.imghost("run", "plan.lua").status == 0)
    #expect(
      folder.bytes("a.pdf") == book && !book.isEmpty, "\(String(decoding: folder.bytes("plan.lua"), as: UTF8.self))")
  }

  /// The colours near the upper left corners of all pages, in hexadecimal.
  private func corners(_ name: String, _ folder: Folder) throws -> [String] {
    let pages = folder("\(name)-%d.ppm")
    _ = try #require(try SecondOpinions.run("mutool", ["draw", "-F", "ppm", "-r", "4", "-o", pages, folder(name)]))
    return (1...).lazy.map { folder.bytes("\(name)-\($0).ppm") }.prefix { !$0.isEmpty }.map { page in
      let parts = page.split(separator: UInt8(ascii: "\n"), maxSplits: 3)
      let width = Int(String(decoding: parts[1].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
      // The outermost pixels may lie on the edge.
      return parts[3].dropFirst((width + 1) * 3).prefix(3).map { String(format: "%02x", $0) }.joined()
    }
  }

  /// The whole book has the colours of its pictures, also where a page has none.
  @Test func tintsReachAllPages() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local p = img.glob("p*.jpg")
      img.book("all.pdf", { img.page{ title = "Words" }, p }, { layout = "auto", paper = "20x20", title = "Walks",
        colophon = true, background = "pictures", page_multiple = 4 })
      img.book("dark.pdf", p, { layout = "auto", paper = "20x20", title = "Walks", caption = "{stem}",
        caption_colour = "white", background = "pictures" })
      img.book("one.pdf", { img.page{ p[1], p[2], background = "pictures" }, p[3] },
        { layout = "auto", paper = "20x20" })
      """)
    outcome.expect(status: 0)
    let all = try corners("all.pdf", folder)
    #expect(all.count >= 4 && !all.contains("ffffff"), "\(all)")
    #expect(try corners("dark.pdf", folder).allSatisfy { $0 < "50" })
    let one = try corners("one.pdf", folder)
    #expect(one.count == 2 && one[0] != "ffffff" && one[1] == "ffffff", "\(one)")
    try SecondOpinions.expectNoComplaint(folder("all.pdf"))
  }

  /// All lines of text stand on the grid, which begins at the upper edge of each page.
  @Test(arguments: sampled(["below", "above"]))
  func linesStandOnTheGrid(position: String) throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local days = img.glob("p*.jpg"):group_by("day")
      table.insert(days, 2, img.page{ title = "Between", text = "Some words.\\n\\nOthers, after an empty line." })
      img.book("a.pdf", days, { layout = "auto", style = "album", paper = "210x210mm", title = "Walks", colophon = true,
        chapter = "{date:%e %B %Y}", caption = "{stem}", caption_position = "\(position)", header = "{section}",
        page_number = "{page}" })
      """)
    outcome.expect(status: 0)
    let trace = try #require(try SecondOpinions.run("mutool", ["draw", "-F", "trace", folder("a.pdf")])).text
    var height = 0.0
    var lines = 0
    for line in trace.split(separator: "\n") {
      func numbers(_ name: String) -> [Double]? {
        guard let start = line.range(of: " \(name)=\"")?.upperBound else { return nil }
        return line[start...].prefix { $0 != "\"" }.split(separator: " ").compactMap { Double($0) }
      }
      if line.contains("<fill_text"), let transform = numbers("transform") { height = transform[5] }
      guard line.contains("<g "), let y = numbers("y")?.first else { continue }
      // On A4's width, the grid of the style 'album' has the 12 points that its file says.
      let place = (height - y) / 12
      #expect(abs(place - place.rounded()) < 0.01, "\(line)")
      lines += 1
    }
    #expect(lines > 100)
  }

  @Test(arguments: sampled([("below", "0, 0.5, 1, 0.5"), ("above", "0, 0, 1, 0.5")]))
  func captionsOffThePageAreTold(position: String, slot: String) throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local a = img.open("p01.jpg")
      img.book("a.pdf", { img.page{ a, slots = { { \(slot) } } } }, { layout = "auto", paper = "a6",
        caption = "{stem}", caption_position = "\(position)" })
      """)
    outcome.expect(status: 3, error: "the caption \(position) slot 1 has no room on the page")
  }

  @Test func skippingAllPicturesIsAMistake() throws {
    let folder = try Self.photos()
    let outcome = try folder.run(
      """
      local p = img.glob("p0*.jpg")
      img.hint(p, { skip = true })
      img.book("a.pdf", p, { layout = "auto", paper = "a6" })
      """)
    outcome.expect(status: 3, error: "hints skip every picture of 'a.pdf'")
  }

  @Test func picturesWithoutADateOpenWithTheNameOfTheirGroup() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.canvas(90, 60):save("p.png"):await()
      img.book("a.pdf", { { name = "Some time", pictures = img.list{ img.open("p.png") } } },
        { layout = "auto", paper = "a6", chapter = "{date:%Y}" })
      """)
    outcome.expect(status: 0, error: "the picture has no date")
    #expect(try texts(folder("a.pdf")) == ["Some time"])
  }
}
