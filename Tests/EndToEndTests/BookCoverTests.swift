import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Covers that are based on the pages of their book.
struct BookCoverTests {
  private static let book = """
    local p = img.canvas(90, 60)
    local pages = {}
    for i = 1, 30 do pages[i] = p end

    """

  private func width(_ folder: Folder, _ name: String) throws -> Double? {
    guard let info = try SecondOpinions.run("pdfinfo", ["-box", folder(name)])?.text,
      let line = info.split(separator: "\n").first(where: { $0.hasPrefix("TrimBox") })
    else { return nil }
    let box = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    return box[2] - box[0]
  }

  /// Pages, paper and thickness are the book's, wherever they are said; the cover may be asked for after the book is
  /// written.
  @Test(
    arguments: sampled([
      ("paper_thickness = \"0.2mm\"", "", ""), ("", "paper_thickness = \"0.2mm\",", ""),
      ("paper_thickness = \"0.2mm\"", "", "book:await()"),
      ("paper_thickness = \"0.02cm\"", "cover_pages = 32, paper_thickness = \"0.2mm\",", ""),
      ("paper_thickness = \"0.2mm\"", "paper = \"10cm x 12cm\",", ""),
    ]))
  func aCoverKnowsItsBook(inside: String, cover: String, between: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.book + """
        local book = img.book("b.pdf", pages, { paper = "100mm x 120mm", page_multiple = 4, title_page = "A",
          verify = true, \(inside) })
        \(between)
        local r = img.book("c.pdf", p, { layout = "cover", fit = "cover", bleed = "3mm", cover_of = book,
          cover_thickness = "1mm", \(cover) verify = true }):await()
        assert(r.verified, r.errors[1])
        """)
    outcome.expect(status: 0)
    guard let width = try width(folder, "c.pdf") else { return }
    // Two pages of 100 mm, 16 sheets, and the cover twice.
    #expect(abs(width - (200 + 3.2 + 2) * 72 / 25.4) < 0.05, "\(width)")
  }

  /// A cover of a book shows the book's best pictures and its title.
  @Test func aCoverDesignsItself() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local pictures = img.glob("\(Built.photos)/*.png")
      local book = img.book("b.pdf", pictures, { paper = "20x20", paper_thickness = "0.3mm", title = "Walks",
        page_multiple = 40 })
      local cover = img.book("c.pdf", book, { layout = "cover", binding = "hardcover", fit = "cover", verify = true })
      assert(cover:await().verified)
      """)
    outcome.expect(status: 0)
    if let width = try width(folder, "c.pdf") {
      // Boards, spine of 20 sheets, two boards of 1/16 inch, hinges and turn-ins.
      let spine = 20 * 0.3 / 25.4 + 2 * 0.0625
      #expect(abs(width - (2 * 200 / 25.4 + spine + 2 * 0.4375 + 2 * 0.625) * 72) < 0.05, "\(width)")
    }
    if let text = try SecondOpinions.run("pdftotext", [folder("c.pdf"), "-"])?.text {
      #expect(text.contains("Walks"), "\(text)")
    }
  }

  /// The front shows a hero, even if its score is low and another picture comes first.
  @Test func heroesComeFirst() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local red = img.canvas(90, 60, { background = "red" })
      local blue = img.canvas(90, 60, { background = "blue" })
      img.hint(red, { score = 1 })
      img.hint(blue, { hero = true, score = 0 })
      local book = img.book("b.pdf", { red, blue }, { paper = "a6" })
      img.book("c.pdf", book, { layout = "cover", paper_thickness = "0.1mm", fit = "cover" })
      """)
    outcome.expect(status: 0)
    guard try SecondOpinions.run("pdftoppm", ["-png", "-r", "20", folder("c.pdf"), folder("c")]) != nil else { return }
    let picture = try Pixels(file: folder("c-1.png"))
    let front = picture[picture.width * 3 / 4, picture.height / 2]
    #expect(front[0] < 40 && front[2] > 215, "\(front)")
  }

  /// A file for print has a title; that of the book is the cover's, unless it has one of its own.
  @Test(arguments: [("pdf/x-4", "", "Walks"), ("pdf/x-1a", "", "Walks"), ("pdf/x-4", "title = \"Cover\",", "Cover")])
  func aCoverHasTheTitleOfItsBook(standard: String, options: String, title: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(90, 90, { background = "navy" })
      local book = img.book("b.pdf", { p, p }, { paper = "a6", paper_thickness = "0.3mm", title = "Walks" })
      img.book("c.pdf", { p, p }, { layout = "cover", cover_of = book, bleed = "3mm", conformance = "\(standard)",
        \(options) verify = true })
      img.book("d.pdf", book, { layout = "cover", bleed = "3mm", conformance = "\(standard)", \(options) verify = true })
      """)
    outcome.expect(status: 0)
    for name in ["c.pdf", "d.pdf"] {
      guard let info = try SecondOpinions.run("pdfinfo", [folder(name)])?.text else { return }
      #expect(info.contains("Title:") && info.contains(title), "\(info)")
    }
  }

  @Test func onlyACoverTakesABook() throws {
    let outcome = try Folder().run(
      "local b = img.book('b.pdf', img.canvas(9, 9)) img.book('c.pdf', b) img.book('d.pdf', b:await())")
    outcome.expect(status: 3, error: "only a cover takes a book")
    let other = try Folder().run("img.book('c.pdf', img.canvas(9, 9):save('a.png'), { layout = 'cover' })")
    other.expect(status: 3, error: "a cover takes a book, as img.book returns it")
  }

  @Test(arguments: [
    (
      "cover_pages = 80, paper_thickness = \"0.1mm\", paper = \"a6\"",
      "'cover_pages' is 80, but 'b.pdf' of this script has 30 pages; write cover_of = book"
    ),
    (
      "cover_pages = 80, paper_thickness = \"0.1mm\", cover_of = book",
      "'cover_pages' is 80, but 'b.pdf' of this script has 30 pages; leave it out"
    ),
    ("cover_of = book", "'cover_of' needs paper_thickness = \"0.11mm\""),
    ("cover_of = cover", "'cover_of' is a cover itself; it takes the book inside"),
    ("cover_of = pages[1]:save(\"a.png\")", "expected one book, as img.book returns it"),
    ("cover_of = { book, book }", "expected one book, as img.book returns it"),
    ("cover_of = 80", "'cover_of'"),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      "local img = require \"imghost\"\n" + Self.book + """
        local book = img.book("b.pdf", pages, { paper = "a6 portrait" })
        local cover = img.book("d.pdf", p, { layout = "cover", paper = "a5" })
        img.book("c.pdf", p, { layout = "cover", \(options) })
        """)
    let outcome = try folder.imghost("check", "t.lua")
    outcome.expect(status: 3, error: message)
  }

  /// A book whose pages turn, one beside a preview, and what a cover that names its book says otherwise.
  @Test(arguments: [
    (
      "img.book(\"b.pdf\", turning, { paper = \"a6\" })", "cover_pages = 80",
      "'cover_pages' is 80, but 'b.pdf' of this script has 30 pages; write cover_of"
    ),
    (
      "img.book(\"b.pdf\", turning, { paper = \"a6\" }) img.book(\"a.pdf\", high, { paper = \"a6\" })",
      "cover_pages = 28", "'cover_pages' is 28, but 'b.pdf' of this script has 30 pages; write"
    ),
    (
      "img.book(\"a.pdf\", high, { paper = \"a6\" })", "cover_pages = 28",
      "'cover_pages' is 28, but 'a.pdf' of this script has 1 page; write"
    ),
    (
      "book = img.book(\"b.pdf\", turning, { paper = \"a6\" })", "cover_of = book",
      "'cover_of' is a book whose pages have several sizes, such as 148 x 105 mm and 105 x 148 mm; give the cover"
    ),
    (
      "book = img.book(\"b.pdf\", turning, {})", "cover_of = book",
      "'cover_of' is a book whose pages have several sizes, such as"
    ),
    (
      "book = img.book(\"b.pdf\", high, { paper = \"a5\" })", "cover_of = book, paper = \"a6\"",
      "'paper' makes a front of 105 x 148 mm, but the pages of 'b.pdf' have 148 x 210 mm; leave it out"
    ),
    (
      "book = img.book(\"b.pdf\", high, { paper = \"a6\" })", "cover_of = book, paper = \"a5\"",
      "'paper' makes a front of 148 x 210 mm, but the pages of 'b.pdf' have 105 x 148 mm; leave it out"
    ),
    (
      "book = img.book(\"b.pdf\", high, { paper = \"a6\", paper_thickness = \"0.3mm\" })",
      "cover_of = book",
      "'paper_thickness' is 0.1 mm, but 'b.pdf' has 0.3 mm; leave it out"
    ),
    (
      "book = img.book(\"b.pdf\", high, { paper = \"a6\", reading_direction = \"right-to-left\" })",
      "cover_of = book, reading_direction = \"left-to-right\"",
      "'reading_direction' is 'left-to-right', but 'b.pdf' has 'right-to-left'; leave it out"
    ),
  ])
  func contradictions(books: String, cover: String, message: String) throws {
    let outcome = try Self.check(books, cover)
    outcome.expect(status: 3, error: message)
  }

  /// The inside is in the script, another book beside it or not; or it is not.
  @Test(arguments: [
    (
      "img.book(\"a.pdf\", high, { paper = \"a6\" }) img.book(\"b.pdf\", turning, { paper = \"a6\" })",
      "cover_pages = 30"
    ),
    (
      "img.book(\"a.pdf\", high, { paper = \"a6\" }) img.book(\"b.pdf\", turning, { paper = \"102mm x 145mm\" })",
      "cover_pages = 30"
    ),
    ("img.contact_sheet(\"a.pdf\", turning, { paper = \"a6\" })", "cover_pages = 28"),
    ("img.book(\"a.pdf\", turning, { paper = \"a6 landscape\" })", "cover_pages = 28"),
    (
      "book = img.book(\"b.pdf\", high, { paper = \"102mm x 145mm\" })", "cover_of = book, paper = \"a6\""
    ),
    ("book = img.book(\"b.pdf\", turning, { paper = \"a6\" })", "cover_of = book, paper = \"a6\""),
  ])
  func noFalseAlarm(books: String, cover: String) throws {
    let outcome = try Self.check(books, cover)
    outcome.expect(status: 0)
  }

  private static func check(_ books: String, _ cover: String) throws -> Outcome {
    let folder = try Folder()
    let paper = cover.contains("cover_of") ? "" : "paper = \"a6\","
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local wide, high, turning, book = img.canvas(90, 60), img.canvas(60, 90), {}, nil
      for i = 1, 30 do turning[i] = i % 2 == 1 and wide or high end
      \(books)
      img.book("c.pdf", wide, { layout = "cover", \(paper) paper_thickness = "0.1mm", \(cover) })
      """)
    return try folder.imghost("check", "t.lua")
  }

  /// A cover of other paper may be for a book that another script makes.
  @Test func coversOfOtherBooks() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.book + """
        img.contact_sheet("b.pdf", pages)
        img.book("c.pdf", p, { layout = "cover", paper = "20x20", cover_pages = 80, paper_thickness = "0.1mm" })
        img.book("d.pdf", p, { layout = "cover", paper = "a6", cover_pages = 30, paper_thickness = "0.1mm" })
        img.book("e.pdf", pages, { paper = "a6 portrait" })
        """)
    outcome.expect(status: 0)
  }

  @Test func coverOfBelongsToCovers() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.book + """
        local book = img.book("b.pdf", pages)
        img.book("c.pdf", p, { cover_of = book })
        """)
    outcome.expect(status: 3)
    #expect(outcome.error.contains("'cover_of' is only for layout 'cover'"), "\(outcome)")
    #expect(!outcome.error.contains("cover_pages"), "\(outcome)")
  }
}
