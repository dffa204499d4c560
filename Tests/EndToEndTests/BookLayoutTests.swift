import Foundation
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

  @Test(arguments: [
    ("layout = \"grid\", rows = 2, columns = 2, gutter = \"4mm\", fit = \"cover\", border = 1", 2),
    ("layout = \"grid\", cell = \"30mm\", gutter = 6, cell_background = \"#eee\"", 1),
    ("layout = \"justified\", row_height = \"40mm\", gutter = \"2mm\"", 2),
    ("layout = \"masonry\", columns = 2, gutter = { 4, \"2mm\" }, background = \"#f4f0e8\"", 2),
    (
      "layout = \"spread\", fit = \"cover\", bleed = \"3mm\", crop_marks = true, page_multiple = 4",
      16
    ),
    ("fit = \"cover\", bleed = \"3mm\", page_multiple = 2", 8), ("max_dpi = 50", 7),
  ])
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
    #expect(outcome.status == 0, "\(outcome)")
    if let text = try SecondOpinions.run("pdftotext", [folder("b.pdf"), "-"]) {
      for name in Built.samples { #expect(text.text.contains(name), "\(name): \(text.text)") }
    }
    // Pictures are resized to their cells: 200 pixels per inch.
    if let list = try SecondOpinions.run("pdfimages", ["-list", folder("b.pdf")]) {
      let resolutions = list.text.split(separator: "\n").dropFirst(2)
        .compactMap { Int($0.split(separator: " ")[12]) }
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
    #expect(outcome.status == 0, "\(outcome)")
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
    ("layout = \"cover\"", "a cover takes one picture around it"),
    ("layout = \"grid\", gutter = \"1mm 2mm 3mm\"", "'gutter' takes one or two lengths, not 3"),
    ("bleed = \"3apples\"", "'bleed' contains '3apples', which is not a length"),
    ("layout = \"gird\"", "did you mean 'grid'?"), ("margin = \"100mm\"", "no room"),
    ("layout = \"masonry\", margin = \"100mm\"", "leave no room"),
  ])
  func mistakes(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.pictures + "img.book(\"b.pdf\", pictures, { paper = \"a6\", \(options) })")
    #expect(outcome.status != 0 && outcome.error.contains(message), "\(outcome)")
    #expect(!folder.exists("b.pdf") && folder.temporaries == [])
  }
}
