import Foundation
import Testing

/// Covers that know the book inside.
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
  @Test(arguments: [
    ("paper_thickness = \"0.2mm\"", "", ""), ("", "paper_thickness = \"0.2mm\",", ""),
    ("paper_thickness = \"0.2mm\"", "", "book:await()"),
    ("paper_thickness = \"9mm\"", "cover_pages = 32, paper_thickness = \"0.2mm\",", ""),
  ])
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
    #expect(outcome.status == 0, "\(outcome)")
    guard let width = try width(folder, "c.pdf") else { return }
    // Two pages of 100 mm, 16 sheets, and the cover twice.
    #expect(abs(width - (200 + 3.2 + 2) * 72 / 25.4) < 0.05, "\(width)")
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
    ("cover_of = pages[1]:save(\"a.png\")", "it takes one book, which img.book has returned"),
    ("cover_of = { book, book }", "it takes one book, which img.book has returned"),
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
    #expect(outcome.status == 3 && outcome.error.contains(message), "\(outcome)")
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
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func coverOfBelongsToCovers() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.book + """
        local book = img.book("b.pdf", pages)
        img.book("c.pdf", p, { cover_of = book })
        """)
    #expect(outcome.status == 3, "\(outcome)")
    #expect(outcome.error.contains("'cover_of' belongs to layout 'cover'"), "\(outcome)")
    #expect(!outcome.error.contains("cover_pages"), "\(outcome)")
  }
}
