import Foundation
import Testing

/// What a book says of its pictures: one line for all of them.
struct BookNoteTests {
  /// After `note: `, a line each.
  private func notes(_ outcome: Outcome) -> [String] {
    outcome.messages.compactMap { message in
      message.range(of: "note: ").map { String(message[$0.upperBound...]) }
    }
  }

  /// `clear` and `glass` show something through, `full` has alpha and shows nothing, `plain` has none.
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
        + "'lossless = true' keeps it, and flatten() in the script says that it is meant"
    ),
    (
      "open(\"clear\")", "background = \"black\"",
      "'clear.png' has transparency, and JPEG has none: it was put on the page's background; "
        + "'lossless = true' keeps it, and flatten() in the script says that it is meant"
    ),
    (
      "img.canvas(9, 9, { background = \"#80808080\" })", "conformance = \"pdf/a-1b\"",
      "picture 1 has transparency, and JPEG has none: it was put on white; "
        + "PDF/A-1b has none either, and flatten() in the script says that it is meant"
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
}
