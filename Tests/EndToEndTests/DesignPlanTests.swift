import Foundation
import TestSupport
import Testing

/// `imghost run --plan`: designed books as scripts.
struct DesignPlanTests {
  private static let script = """
    local img = require "imghost"
    local photos = img.glob("p*.jpg"):map(function(p)
      if p.name ~= "p05.jpg" then return p end
      return p:grayscale():composite{ over = img.canvas(40, 40, { background = "#ff000080" }), left = 3, top = 4 }
    end)
    img.hint(photos[3], { skip = true })
    img.hint(photos[2], { caption = "A \\"caption\\"" })
    local days = photos:group_by("day")
    table.insert(days, 2, img.page{ title = "Between", text = "Some\\n\\nwords", background = "#203040" })
    img.book("w.pdf", days, { layout = "auto", chapter = "{date:%e %B %Y}", colophon = true,
      title = "Walks", caption = "{stem}", outline = "{stem}", alt = "{stem}", lang = "en", OPTIONS })

    """

  @Test(
    arguments: sampled([
      "style = \"album\", paper = \"20x20\", page_number = \"{page} / {pages}\", header = \"{section}\"",
      "style = \"album\", paper = \"20x20\", background = \"pictures\"",
      "style = \"magazine\", paper = \"a5 landscape\", bleed = \"3mm\", crop_marks = true, caption_position = \"over\"",
      "style = \"minimal\", paper = \"a6\", reading_direction = \"right-to-left\", pages = 14",
      "style = \"contact\", page_multiple = 4, border = 2, caption_position = \"above\"",
    ]))
  func aPlanGivesTheSameBook(options: String) throws {
    let folder = try DeclaredPageTests.photos()
    try folder.write("book.lua", Self.script.replacingOccurrences(of: "OPTIONS", with: options))
    let first = try folder.imghost("run", "--design", "plan.lua", "book.lua")
    first.expect(status: 0)
    let book = folder.bytes("w.pdf")
    let second = try folder.imghost("run", "plan.lua")
    second.expect(status: 0)
    #expect(
      folder.bytes("w.pdf") == book && !book.isEmpty, "\(String(decoding: folder.bytes("plan.lua"), as: UTF8.self))")
    // A plan of a plan declares the same pages.
    let third = try folder.imghost("check", "--design", "again.lua", "plan.lua")
    third.expect(status: 0)
    func code(_ name: String) -> [Substring] {
      String(decoding: folder.bytes(name), as: UTF8.self).split(separator: "\n").filter { !$0.contains("-- ") }
    }
    #expect(code("again.lua") == code("plan.lua"))
  }

  @Test func aPlanMakesTheCoversOfItsBooks() throws {
    let folder = try DeclaredPageTests.photos()
    try folder.write(
      "book.lua",
      """
      local img = require "imghost"
      local p = img.glob("p*.jpg")
      local other = img.book("other.pdf", p, { layout = "grid", paper = "20x20", title = "Other" })
      local book = img.book("w.pdf", p, { layout = "auto", paper = "20x20", title = "Walks" })
      img.book("one.pdf", book, { layout = "cover", binding = "hardcover" })
      img.book("two.pdf", p:take(1), { layout = "cover", fit = "cover", cover_of = book, paper_thickness = "0.1mm" })
      img.book("grid.pdf", other, { layout = "cover" , paper_thickness = "0.1mm" })
      """)
    let first = try folder.imghost("run", "--design", "plan.lua", "book.lua")
    first.expect(status: 0)
    let names = ["w.pdf", "one.pdf", "two.pdf"]
    let made = names.map { folder.bytes($0) }
    #expect(made.allSatisfy { !$0.isEmpty })
    let second = try folder.imghost("run", "--out", "again", "plan.lua")
    second.expect(status: 0)
    for (name, bytes) in zip(names, made) { #expect(folder.bytes("again/\(name)") == bytes, "\(name)") }
    #expect(!folder.exists("again/grid.pdf"))
  }

  @Test func whatCannotBeWrittenIsTold() throws {
    let folder = try DeclaredPageTests.photos()
    try folder.write(
      "grid.lua", "local img = require 'imghost' img.book('g.pdf', img.glob('p*.jpg'), { layout = 'grid' })")
    let grid = try folder.imghost("check", "--design", "plan.lua", "grid.lua")
    grid.expect(status: 1, error: "the script has no designed book")
    try folder.write(
      "shared.lua",
      "local img = require 'imghost' img.book('s.pdf', img.glob('p*.jpg'):group_by('day'), "
        + "{ layout = 'auto', style = 'contact', section_page_break = false })")
    let shared = try folder.imghost("check", "--design", "plan.lua", "shared.lua")
    shared.expect(status: 1, error: "a page that two groups share")
    try folder.write("wrong.lua", "local img = require 'imghost' img.book('s.pdf', img.page{}, { layout = 'auto' })")
    let wrong = try folder.imghost("check", "--design", "plan.lua", "wrong.lua")
    wrong.expect(status: 3)
    #expect(!folder.exists("plan.lua"))
  }

  @Test func aPlanReplacesNoOtherFile() throws {
    let folder = try DeclaredPageTests.photos()
    let script = "local img = require 'imghost' img.book('s.pdf', img.glob('p*.jpg'), { layout = 'auto' })"
    try folder.write("book.lua", script)
    try folder.write("other.lua", "return 1")
    for (name, message) in [
      ("book.lua", "expected a file other than the script"), ("other.lua", "the file exists and is not a design"),
      ("p01.jpg", "the file exists and is not a design"),
    ] {
      let outcome = try folder.imghost("run", "--design", name, "book.lua")
      outcome.expect(status: 2, error: message)
    }
    #expect(String(decoding: folder.bytes("book.lua"), as: UTF8.self) == script)
    #expect(!folder.exists("s.pdf"))
    for _ in 0..<2 { #expect(try folder.imghost("check", "--design", "plan.lua", "book.lua").status == 0) }
  }

  /// What was edited by hand stays, unless the command line says otherwise; `--plan` is the option's earlier name.
  @Test func anEditedDesignIsKept() throws {
    let folder = try DeclaredPageTests.photos()
    try folder.write(
      "book.lua", "local img = require 'imghost' img.book('s.pdf', img.glob('p*.jpg'), { layout = 'auto' })")
    #expect(try folder.imghost("check", "--plan", "plan.lua", "book.lua").status == 0)
    let written = String(decoding: folder.bytes("plan.lua"), as: UTF8.self)
    for edited in [written.replacing("s.pdf", with: "t.pdf"), written + "-- mine\n", String(written.dropLast(40))] {
      try folder.write("plan.lua", edited)
      let outcome = try folder.imghost("check", "--design", "plan.lua", "book.lua")
      outcome.expect(status: 2, error: "plan.lua: the file was edited since")
      #expect(String(decoding: folder.bytes("plan.lua"), as: UTF8.self) == edited)
    }
    #expect(try folder.imghost("check", "--design", "plan.lua", "--overwrite", "book.lua").status == 0)
    #expect(String(decoding: folder.bytes("plan.lua"), as: UTF8.self) == written)
  }
}
