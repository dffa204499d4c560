import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Pages whose cells crop their pictures.
struct BookCutTests {
  /// A gray picture, three times as high as wide, with a face's colours near its top.
  private static func makePicture(_ folder: Folder, ending: String = "jpg") throws {
    let outcome = try folder.run(
      """
      local gray = img.canvas(200, 600, { background = "#606060" })
      local face = img.canvas(80, 80, { background = "#e0a080" })
        :composite{ over = img.canvas(30, 30, { background = "#602010" }), left = 20, top = 20 }
      gray:composite{ over = face, left = 60, top = 40 }:save("p.\(ending)")
      """)
    outcome.expect(status: 0)
  }

  /// The fraction of the removed height that is above the visible part of the page's first picture.
  private func shareAbove(_ path: String, side: Double) throws -> Double? {
    guard let text = try SecondOpinions.run("qpdf", ["--qdf", "--static-id", path, "-"])?.text
    else { return nil }
    let line = text.split(separator: "\n").first { $0.contains(" cm/P Do") } ?? ""
    let words = line.split(separator: " ").map(String.init)
    guard let end = words.firstIndex(where: { $0.hasPrefix("cm/P") }), end >= 6,
      let height = Double(words[end - 3]), let bottom = Double(words[end - 1])
    else { return nil }
    return (bottom + height - side) / (height - side)
  }

  /// The file's own bytes stay where they can: what is shown of them is moved behind its clip.
  @Test(
    .thorough, arguments: ["single", "grid", "spread"],
    ["", "attention", "top", "bottom", "entropy"])
  func aWholeFileIsMoved(layout: String, position: String) throws {
    let folder = try Folder()
    try Self.makePicture(folder)
    let outcome = try folder.run(
      """
      local r = img.book("b.pdf", img.open("p.jpg"), { layout = "\(layout)", paper = "300pt x 300pt", fit = "cover",
        \(layout == "grid" ? "columns = 1, rows = 1," : "") verify = true,
        position = \(position.isEmpty ? "nil" : "\"\(position)\"") }):await()
      assert(r.verified, r.errors[1])
      """)
    outcome.expect(status: 0)
    #expect(Data(folder.bytes("b.pdf")).range(of: Data(folder.bytes("p.jpg"))) != nil)
    guard let share = try shareAbove(folder("b.pdf"), side: 300) else { return }
    switch position {
    case "bottom": #expect(abs(share - 1) < 0.001)
    case "top": #expect(abs(share) < 0.001)
    default: #expect(share < 0.2, "\(share)")
    }
  }

  /// Hints say what stays, and what stays out, in layouts without a design, too.
  @Test(arguments: ["single", "grid", "spread"]) func hintsCount(layout: String) throws {
    let folder = try Folder()
    try Self.makePicture(folder)
    let outcome = try folder.run(
      """
      local p, other = img.open("p.jpg"), img.canvas(60, 60)
      img.hint(p, { keep = { 0, 0.9, 1, 0.1 } })
      img.hint(other, { skip = true })
      img.book("b.pdf", { other, p, other }, { layout = "\(layout)", paper = "300pt x 300pt", fit = "cover",
        \(layout == "grid" ? "columns = 1, rows = 1," : "") verify = true })
      """)
    outcome.expect(status: 0, error: "1 page, verified")
    guard let share = try shareAbove(folder("b.pdf"), side: 300) else { return }
    #expect(abs(share - 1) < 0.001, "\(share)")
  }

  /// Something red low in a portrait wins over the head above; where the script says nothing of what to keep, little
  /// is cut off the top even so. The three ways in which a picture gets into its cell cut alike.
  @Test(arguments: sampled(["", "max_dpi = 48", "lossless = true"]), [true, false])
  func headsStay(options: String, isProcessed: Bool) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local gray = img.canvas(200, 600, { background = "#606060" })
      local coat = img.canvas(120, 120, { background = "#f04020" })
      gray:composite{ over = coat, left = 40, top = 440 }:composite{ over = img.canvas(200, 60,
        { background = "#1020d0" }), left = 0, top = 110 }:save("p.png")
      """)
    outcome.expect(status: 0)
    for position in ["nil", "\"attention\""] {
      let outcome = try folder.run(
        """
        local p = img.open("p.png")\(isProcessed ? ":gamma(1.1)" : "")
        local r = img.book("b.pdf", p, { paper = "300pt x 300pt", fit = "cover", position = \(position), verify = true,
          \(options) }):await()
        assert(r.verified, r.errors[1])
        """)
      outcome.expect(status: 0)
      guard let page = try page(folder) else { return }
      let seen = (0..<page.height).filter { Int(page[150, $0][2]) > Int(page[150, $0][0]) + 60 }
      // At most 100 of the 400 rows that are cut off come off the top: the blue ones from 110 on are seen.
      #expect(seen.isEmpty == (position != "nil"), "\(position): \(seen.count)")
    }
  }

  /// Pictures that are encoded anyway, or have more pixels than their cell needs, are cropped as `fill` crops them.
  @Test(
    .thorough,
    arguments: [
      "img.open(\"p.png\"):gamma(1.1)", "img.open(\"p.png\")", "img.open(\"p.png\"):ensure_alpha()",
    ], ["lossless = true", "max_dpi = 48", "", "caption = \"a long caption of some words\""])
  func aProcessedPictureIsCut(picture: String, options: String) throws {
    let folder = try Folder()
    try Self.makePicture(folder, ending: "png")
    let outcome = try folder.run(
      """
      local r = img.book("b.pdf", \(picture), { paper = "300pt x 300pt", fit = "cover", verify = true, \(options) })
        :await()
      assert(r.verified, r.errors[1])
      """)
    outcome.expect(status: 0)
    guard let page = try page(folder) else { return }
    // The face, and not the middle of the gray below it.
    let red = (0..<page.width).contains { x in
      (0..<page.height).contains { Int(page[x, $0][0]) > Int(page[x, $0][2]) + 60 }
    }
    #expect(red, "\(options)")
  }

  /// Returns the first page, rendered with one pixel per point.
  private func page(_ folder: Folder) throws -> Pixels? {
    let arguments = ["-r", "72", "-png", "-singlefile", folder("b.pdf"), folder("page")]
    guard try SecondOpinions.run("pdftoppm", arguments) != nil else { return nil }
    return try Pixels(file: folder("page.png"))
  }

  @Test func theSameBytesTwice() throws {
    let folder = try Folder()
    try Self.makePicture(folder)
    for name in ["a", "b"] {
      let outcome = try folder.run(
        """
        local p = img.open("p.jpg")
        img.book("\(name).pdf", { p, p:gamma(1.2), p }, { layout = "grid", rows = 2, columns = 2, fit = "cover" })
        """)
      outcome.expect(status: 0)
    }
    #expect(folder.bytes("a.pdf") == folder.bytes("b.pdf"))
  }

  @Test(arguments: [
    ("position = \"top\"", "'position' has no effect alone; set 'fit' to 'cover'"),
    (
      "layout = \"justified\", position = \"top\"", "'position' has no effect alone; set 'bleed', for example to '3mm'"
    ),
    ("fit = \"cover\", position = \"atention\"", "did you mean 'attention'?"),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(60, 40), { \(options) })")
    outcome.expect(status: 3, error: message)
  }

  /// A cell's background shows through transparent pictures, however they are stored.
  @Test(arguments: ["", "lossless = true", "layout = \"grid\", max_dpi = 20"])
  func cellsShowThrough(options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local r = img.book("b.pdf", img.canvas(60, 60, { background = "transparent" }),
        { paper = "100pt x 100pt", background = "#0000ff", cell_background = "#ff0000", verify = true, \(options) })
        :await()
      assert(r.verified, r.errors[1])
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.error.contains("put on their cell's background") == !options.contains("lossless"),
      "\(outcome)")
    guard let page = try page(folder) else { return }
    let place = options.contains("grid") ? 16 : 50
    let pixel = page[place, place]
    #expect(pixel[0] > 250 && pixel[1] < 5 && pixel[2] < 5, "\(pixel)")
  }

  /// A colour that is partly transparent lets the page's own through, and not paper.
  @Test(
    arguments: ["png", "jpg"],
    ["cell_background = \"#ff000080\"", "border = 20, border_colour = \"#ff000080\""])
  func coloursAreMixedWithThePages(ending: String, options: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 60, { background = "transparent" })
      local r = img.book("b.pdf", p, { paper = "100pt x 100pt", background = "#0000ff", verify = true,
        lossless = \(ending == "png"), \(options) }):await()
      assert(r.verified, r.errors[1])
      """)
    outcome.expect(status: 0)
    guard let page = try page(folder) else { return }
    for place in options.contains("cell") ? [10, 50, 90] : [5, 95] {
      let pixel = page[place, place]
      #expect(
        abs(Int(pixel[0]) - 128) < 4 && pixel[1] < 4 && abs(Int(pixel[2]) - 127) < 4, "\(pixel)")
    }
  }

  /// Boxes behind texts may let pictures show through, but not in PDF/A-1b.
  @Test(
    .thorough,
    arguments: [
      "caption = { text = \"Sea\", position = \"over\", background = \"#ffffff80\" }",
      "page_number = { text = \"{page} of {pages}\", background = \"#ffffff80\" }",
      "header = { text = \"Sea\", background = \"#ff000040\" }",
      "layout = \"cover\", front_title = { text = \"Sea\", background = \"#ffffff80\" }",
      "layout = \"cover\", cover_thickness = \"9mm\", spine_text = { text = \"Sea\", background = \"#ffffff80\" }",
    ])
  func translucentBackgrounds(options: String) throws {
    let folder = try Folder()
    func script(_ conformance: String) -> String {
      """
      img.book("b.pdf", img.canvas(90, 90, { background = "navy" }), { paper = "a6", fit = "cover", bleed = "3mm",
        verify = true, conformance = "\(conformance)", \(options) })
      """
    }
    let outcome = try folder.run(script("pdf/a-2b"))
    outcome.expect(status: 0, error: "verified")
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
    #expect(Data(folder.bytes("b.pdf")).range(of: Data("/ExtGState<</G".utf8)) != nil)
    let refused = try folder.run(script("pdf/a-1b"))
    refused.expect(status: 3)
    #expect(
      refused.error.contains("is partly transparent, which PDF/A-1b does not allow"), "\(refused)")
  }

  @Test(arguments: ["Summer", "{stem} 50%"]) func titlesOfContactSheets(title: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(90, 60)
      local t = {}
      for i = 1, 40 do t[i] = p end
      img.contact_sheet("b.pdf", t, { title = "\(title)", verify = true })
      img.book("c.pdf", p, { title = "\(title)" })
      """)
    outcome.expect(status: 0, error: "verified")
    for (name, count) in [("b", 2), ("c", 0)] {
      guard let text = try SecondOpinions.run("pdftotext", [folder(name + ".pdf"), "-"])?.text else { return }
      #expect(text.components(separatedBy: title).count == count + 1, "\(text)")
    }
  }

  /// Nobody who gives a title knows that it stands in the header.
  @Test func titleThatIsTooLong() throws {
    let told = "was too long for its line on page 1, and an ellipsis replaces its end"
    for (options, name) in [
      ("title = long", "title"), ("header = long", "header"),
      ("title = long, header = long .. \"!\"", "header"),
    ] {
      let outcome = try Folder().run(
        "local long = (\"{a} long title \"):rep(40):gsub(\"[{}]\", \"\") "
          + "img.contact_sheet(\"b.pdf\", img.canvas(9, 9), { \(options) })")
      outcome.expect(status: 0)
      #expect(outcome.messages == ["t.lua:2: book: b.pdf: note: '\(name)' \(told)"], "\(outcome)")
    }
    let outcome = try Folder().run("img.contact_sheet(\"b.pdf\", img.canvas(9, 9), { title = (\"x\"):rep(20000) })")
    #expect(
      outcome.messages.allSatisfy { $0.contains("'title'") } && outcome.status == 3, "\(outcome)")
  }

  /// A printer's inks are not lost without a word; stored unchanged they are not lost.
  @Test(arguments: [("max_dpi = 3", true), ("max_dpi = 1200", false)])
  func inksThatAreLost(options: String, isTold: Bool) throws {
    let folder = try Folder()
    try folder.copy(
      Built.root + "/Tests/ImageCodecsTests/Fixtures/cmyk-plain.jpg", to: "cmyk.jpg")
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local p = img.open("cmyk.jpg")
      img.book("b.pdf", { p, img.canvas(9, 9) }, { layout = "grid", columns = 3, fit = "cover", verify = true, \(options) })
      """)
    for command in ["check", "run"] {
      let outcome = try folder.imghost(command, "t.lua")
      outcome.expect(status: 0)
      #expect(
        outcome.error.contains("'cmyk.jpg' is CMYK and becomes RGB") == isTold, "\(outcome)")
    }
  }
}
