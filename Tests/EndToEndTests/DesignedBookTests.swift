import Foundation
import TestSupport
import Testing

/// Books with the layout `auto`, as a script asks for them.
struct DesignedBookTests {
  private static let pictures = """
    local pictures = {}
    for i = 1, 13 do
      local sizes = { { 600, 400 }, { 400, 600 }, { 500, 500 }, { 900, 300 } }
      local size = sizes[i % 4 + 1]
      pictures[i] = img.canvas(size[1], size[2], { background = { 15 * i, 90, 120 } })
        :composite{ over = img.canvas(40, 30, { background = "white" }), left = 10 * i, top = 20 }
    end

    """

  @Test(
    arguments: sampled(
      [
        ("style = \"album\"", nil), ("style = \"magazine\", bleed = \"3mm\", crop_marks = true", nil),
        ("style = \"minimal\", caption = \"{index}\"", nil),
        ("style = \"contact\", caption = \"{index}\", caption_position = \"over\"", 1),
        ("pages = 8, title_page = \"A book\", page_number = \"{page}\"", 8), ("page_multiple = 4, border = 2", 4),
        ("pages = 13, reading_direction = \"right-to-left\", bleed = \"3mm\", style = \"magazine\"", 13),
        (
          "caption = \"{index}\", caption_position = \"over\", corners = \"3mm\", shadow = \"2mm\", border = \"1mm\", "
            + "border_colour = \"white\", background = \"pictures\"", nil
        ),
        (
          "style = \"magazine\", bleed = \"3mm\", corners = \"500mm\", shadow = \"5mm 90mm\", caption = \"{index}\", "
            + "caption_colour = \"white\", background = \"pictures\"", nil
        ),
        (
          "conformance = \"pdf/a-1b\", caption = \"{index}\", caption_position = \"over\", corners = 5, shadow = 9", nil
        ),
        ("caption = \"{index} with more words than one line has room for\", caption_lines = 3", nil),
      ] as [(String, Int?)]))
  func pagesAreProven(options: String, pages: Int?) throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.pictures + """
        local r = img.book("b.pdf", pictures,
          { layout = "auto", paper = "a6", lossless = true, verify = true, \(options) }):await()
        print(r.ok, r.pages)
        """)
    outcome.expect(status: 0)
    if let pages { #expect(outcome.outputLines == ["true\t\(pages)"], "\(outcome)") }
    try SecondOpinions.expectNoComplaint(folder("b.pdf"))
  }

  @Test func aDryRunTellsEachPage() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.pictures + "img.book(\"b.pdf\", pictures, { layout = \"auto\", pages = 5 })", "--dry-run")
    let lines = outcome.outputLines.filter { $0.hasPrefix("b.pdf page") }
    #expect(outcome.status == 0 && lines.count >= 3, "\(outcome)")
    #expect(lines.first?.hasPrefix("b.pdf page 1: ") ?? false, "\(outcome)")
  }

  @Test(.wholeRuns) func templatesOfTheUserAreRead() throws {
    let folder = try Folder()
    func book(_ templates: String) throws -> Outcome {
      try folder.write("mine.lua", templates)
      return try folder.run(
        Self.pictures + "img.book(\"b.pdf\", pictures, { layout = \"auto\", templates = \"mine.lua\" })", "--dry-run")
    }
    let right = try book(
      "return { templates = { { name = \"my row\", cost = -9, slots = { { 0, 0, 0.5, 1 }, { 0.5, 0, 0.5, 1 } } } } }")
    #expect(right.status == 0 && right.output.contains("my row"), "\(right)")
    for (text, message) in [
      (
        "return { templates = { { name = \"a\", slots = { { 0, 0, 2, 1 } } } } }",
        "template 'a': slot 1 reaches outside"
      ),
      ("return { templats = {} }", "did you mean 'templates'?"), ("return {\n  name = = 1\n}", "mine.lua:2: "),
      ("while true do end", "it takes more than 2 seconds"),
    ] {
      let wrong = try book(text)
      #expect(wrong.status != 0 && wrong.error.contains(message), "\(wrong)")
    }
  }

  /// A file of templates is a part of the script, wherever that lies.
  @Test func noOutputReplacesTemplates() throws {
    let folder = try Folder()
    let templates = "return { templates = { { name = \"my row\", slots = { { 0, 0, 1, 1 } } } } }"
    try folder.makeFolder("books")
    try folder.write("books/mine.lua", templates)
    try folder.write(
      "books/b.lua",
      "local img = require \"imghost\" local p = img.canvas(30, 20)\n"
        + "img.book(\"b.pdf\", p, { layout = \"auto\", templates = \"mine.lua\" })\n"
        + "p:save(\"books/mine.lua\", { format = \"png\" })")
    let outcome = try folder.imghost("run", "books/b.lua")
    #expect(outcome.status != 0 && outcome.error.contains("mine.lua"), "\(outcome)")
    #expect(try String(contentsOfFile: folder("books/mine.lua"), encoding: .utf8) == templates)
  }

  @Test(arguments: [
    ("layout = \"single\", pages = 3", "'pages' has no effect in layout 'single'"),
    ("style = \"album\"", "'style' is only for layout 'auto'; set 'layout' to 'auto'"),
    ("layout = \"auto\", rows = 2", "'rows' is only for layout 'grid', but the layout is 'auto'"),
    ("layout = \"auto\", style = \"albun\"", "did you mean 'album'?"),
    ("layout = \"auto\", shadow_colour = \"red\"", "'shadow_colour' has no effect alone; add shadow = \"3mm\""),
    ("layout = \"auto\", shadow = 3, shadow_colour = \"reddish\"", "'shadow_colour' is not a colour: 'reddish'"),
    ("layout = \"auto\", corners = \"wide\"", "'corners'"),
    ("layout = \"auto\", shadow = \"1mm 1mm 1mm\"", "'shadow' takes one or two lengths, not 3"),
    ("layout = \"grid\", background = \"pictures\"", "'background' is 'pictures', which is only for layout 'auto'"),
    ("layout = \"auto\", background = \"picture\"", "'background' is not a colour: 'picture'"),
    ("layout = \"auto\", border = \"300mm\"", "leave no room"),
    ("layout = \"auto\", templates = \"none.lua\"", "'templates': 'none.lua'"),
  ])
  func mistakesAreTold(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run(Self.pictures + "img.book(\"b.pdf\", pictures, { \(options) })")
    #expect(outcome.status != 0 && outcome.error.contains(message), "\(outcome)")
  }

  @Test func everyNumberOfWorkersGivesTheSameBytes() throws {
    let folder = try Folder()
    let script = Self.pictures + "img.book(\"b.pdf\", pictures, { layout = \"auto\", bleed = \"3mm\" })"
    #expect(try folder.run(script).status == 0)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder("b.pdf")))
    #expect(try folder.run(script, "--jobs", "1").status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder("b.pdf"))) == whole)
  }
}
