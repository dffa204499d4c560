import Foundation
import Testing

/// Notes about the pictures of a book: one line for all pictures with the same problem.
struct BookNoteTests {
  /// Returns the texts of the notes, without `note: `, one per line.
  private func notes(_ outcome: Outcome) -> [String] {
    outcome.messages.compactMap { message in
      message.range(of: "note: ").map { String(message[$0.upperBound...]) }
    }
  }

  /// Pictures with alpha: the background is visible through `clear` and `glass`; `full` has an opaque alpha band, and
  /// `plain` has none.
  private static let pictures = """
    local navy = img.canvas(40, 30, { background = "navy" })
    img.all{
      img.canvas(40, 30, { background = "#ff000080" }):save("clear.png"),
      navy:ensure_alpha():extend{ right = 1, background = "transparent" }:save("glass.png"),
      navy:ensure_alpha():save("full.png"),
      navy:save("plain.png"),
    }:await()
    local function open(...)
      local list = {}
      for i, name in ipairs{ ... } do list[i] = img.open(name .. ".png"):blur(0.5) end
      return list
    end

    """

  @Test(arguments: [
    (
      "open(\"plain\", \"full\", \"glass\", \"clear\")", "",
      "2 pictures have transparency, 'glass.png' first, and JPEG has none: they were put on white; "
        + "'lossless = true' keeps it, and flatten() in the script hides this note"
    ),
    (
      "open(\"clear\")", "background = \"black\"",
      "'clear.png' has transparency, and JPEG has none: it was put on the page's background; "
        + "'lossless = true' keeps it, and flatten() in the script hides this note"
    ),
    (
      "img.canvas(9, 9, { background = \"#80808080\" })", "conformance = \"pdf/a-1b\"",
      "picture 1 has transparency, and JPEG has none: it was put on white; "
        + "PDF/A-1b has none either, and flatten() in the script hides this note"
    ),
    ("open(\"plain\", \"full\")", "", nil),
    ("open(\"glass\", \"clear\")", "lossless = true", nil),
    ("img.glob(\"*.png\"):map(function(p) return p:flatten() end)", "", nil),
    // Untouched ones keep their opacity.
    ("img.glob(\"*.png\")", "", nil),
  ])
  func lostTransparencyIsTold(pictures: String, options: String, note: String?) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.pictures + "img.book(\"b.pdf\", \(pictures), { \(options) })")
    #expect(outcome.status == 0 && folder.exists("b.pdf"), "\(outcome)")
    #expect(notes(outcome) == (note.map { [$0] } ?? []), "\(outcome)")
  }

  /// Two pictures, shown at 50 and 150 pixels per inch on a page of 4 inches.
  private static let coarse = """
    local small, large = img.canvas(200, 100), img.canvas(600, 300)
    img.all{ small:save("small.png"), large:save("large.png") }:await()
    local both = img.glob("{large,small}.png")

    """

  @Test(arguments: [
    (
      "both", "paper = \"4in x 4in\", min_dpi = 200",
      "2 of 2 pictures are shown at fewer than the 200 pixels per inch of 'min_dpi', 'small.png' "
        + "at the fewest, 50; show them smaller, or take larger files"
    ),
    (
      "both", "paper = \"4in x 4in\", min_dpi = 150",
      "'small.png' is shown at 50, fewer than the 150 pixels per inch of 'min_dpi'; show it "
        + "smaller, or take a larger file"
    ),
    (
      "small", "layout = \"spread\", paper = \"2in x 2in\", min_dpi = 101.5",
      "picture 1 is shown at 100, fewer than the 101.5 pixels per inch of 'min_dpi'; show it "
        + "smaller, or take a larger file"
    ),
    // The limit that is asked for goes before the usual one.
    (
      "large", "layout = \"grid\", cell = \"1in\", paper = \"a6\", min_dpi = 599", nil
    ),
    ("both", "layout = \"grid\", cell = \"2in\", paper = \"a6\", min_dpi = 100", nil),
    // It sizes pages, or says what larger pictures are resized to.
    ("both", "dpi = 300", nil),
    ("both", "layout = \"grid\", dpi = 300", nil),
    ("both", "paper = \"4in x 4in\", dpi = 300", nil),
  ])
  func whatIsTooCoarseIsTold(pictures: String, options: String, note: String?) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.coarse + "img.book(\"b.pdf\", \(pictures), { \(options) })")
    #expect(outcome.status == 0 && folder.exists("b.pdf"), "\(outcome)")
    #expect(notes(outcome) == (note.map { [$0] } ?? []), "\(outcome)")
    let checked = try folder.imghost("check", "t.lua")
    #expect(checked.status == 0 && notes(checked) == notes(outcome), "\(checked)")
  }

  @Test(arguments: [
    ("min_dpi = 300, max_dpi = 200", "'max_dpi' limits pictures to 200; raise 'max_dpi'"),
    ("layout = \"grid\", min_dpi = 300, dpi = 250", "'dpi' limits pictures to 250; raise 'dpi'"),
  ])
  func limitsMustNotContradict(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"b.pdf\", img.canvas(9, 9), { \(options) })")
    #expect(outcome.status == 3 && !folder.exists("b.pdf"), "\(outcome)")
    #expect(
      outcome.error.contains("book: 'min_dpi' is 300, but " + message), "\(outcome)")
  }
}
