import Foundation
import TestSupport
import Testing

/// `imghost convert`, `book` and `sheet`: they write the same bytes as the scripts that they print, and messages about
/// mistakes quote the command line.
struct OneLinerTests {
  /// A folder with sample pictures under short names.
  private static func pictures() throws -> Folder {
    let folder = try Folder()
    for (name, copy) in [("rocket.jpg", "a.jpg"), ("coffee.png", "b.png"), ("chelsea.png", "logo.png")] {
      try folder.copy(Built.photos + "/" + name, to: copy)
    }
    return folder
  }

  /// `--width` and `--height` resize, whatever is written, and draw where all inputs are drawings.
  @Test(arguments: [
    ("convert a.jpg --width 100 -o o.jpg", "resize({ width = 100 })"),
    ("convert a.jpg --width 100 -o o.webp", "resize({ width = 100 })"),
    ("convert a.jpg b.png --height 90 -o o/ --format avif", "resize({ height = 90 })"),
    ("convert a.jpg --width 100 --height 90 -o o.jxl", "resize({ width = 100, height = 90, fit = \"inside\" })"),
    ("convert c.heic --width 100 -o o.png", "resize({ width = 100 })"),
    ("convert *.heic --width 100 -o {stem}.webp", "resize({ width = 100 })"),
    ("convert c.svg a.jpg --width 100 -o {stem}.webp", "resize({ width = 100 })"),
    ("convert c.svg --width 100 -o o.webp", "open(\"c.svg\", { width = 100 })"),
    ("convert C.SVG --width 100 -o o.png", "open(\"C.SVG\", { width = 100 })"),
    ("convert c.svg --width 100 --height 90 -o o.png", "resize({ width = 100, height = 90, fit = \"inside\" })"),
    ("convert c.svg --height 90 --width 100 -o o.png", "open(\"c.svg\", { width = 100 })"),
    ("convert d.pdf --width 100 --height 90 -o o.png", "resize({ width = 100, height = 90, fit = \"inside\" })"),
    ("convert d.pdf --width 90 -o o.jpg", "open(\"d.pdf\", { width = 90 })"),
    ("book a.jpg --width 100 -o o.pdf", "resize({ width = 100 })"),
    ("sheet a.jpg --width 100 -o o.webp", "resize({ width = 100 })"),
  ]) func widths(_ words: String, _ call: String) throws {
    let folder = try Self.pictures()
    for name in ["c.heic", "c.svg", "C.SVG", "d.pdf"] { try folder.write(name, "") }
    let outcome = try folder.imghost(words.split(separator: " ").map(String.init) + ["--print-script"])
    #expect(outcome.status == 0 && outcome.output.contains(call), "\(outcome)")
  }

  struct Line: CustomTestStringConvertible, Sendable {
    let words: [String]
    let outputs: [String]
    init(_ words: [String], _ outputs: [String]) { (self.words, self.outputs) = (words, outputs) }
    var testDescription: String { words.joined(separator: " ") }
  }

  static let lines: [Line] = [
    Line(["convert", "a.jpg", "-o", "out.jpg"], ["out.jpg"]),
    Line(["convert", "a.jpg", "--resize", "100", "--sharpen", "0.4", "-o", "out.png"], ["out.png"]),
    Line(
      ["convert", "a.jpg", "b.png", "--resize", "80,60,fit=inside", "-o", "web/{stem}.jpg", "--quality", "70"],
      ["web/a.jpg", "web/b.jpg"]),
    Line(["convert", "--normalize", "a.jpg", "--flip", "-o", "out.png"], ["out.png"]),
    Line(
      [
        "convert", "a.jpg", "--fit", "90,90", "--composite", "over=logo.png,gravity=south,opacity=0.5", "-o", "out.png",
      ],
      ["out.png"]),
    Line(
      [
        "convert", "a.jpg", "--fit", "90,90", "--levels", "black={0,10,0},white=250", "--rotate", "-15", "-o",
        "out.png",
      ],
      ["out.png"]),
    Line(
      [
        "convert", "a.jpg", "--fit", "200,90", "--text", "{stem}, a text,size=20", "--convolve", "{0,1,0,1,-4,1,0,1,0}",
        "-o", "out.png",
      ], ["out.png"]),
    Line(
      ["convert", "[ab].*", "--thumbnail", "50", "--trim", "-o", "out/{index:2}.png"], ["out/01.png", "out/02.png"]),
    Line(["convert", "a.jpg", "--fit", "90,90", "--plugin", "vignette,strength=0.3", "-o", "out.png"], ["out.png"]),
    Line(
      ["convert", "a.jpg", "b.png", "--thumbnail", "40", "-o", "out/", "--format", "png"], ["out/a.png", "out/b.png"]),
    Line(["convert", "a.jpg", "--orient", "false", "-o", "out.webp", "--lossless", "--effort", "1"], ["out.webp"]),
    Line(
      ["book", "a.jpg", "b.png", "-o", "book.pdf", "--paper", "a4", "--margin", "10mm", "--caption", "{stem}"],
      ["book.pdf"]),
    Line(
      ["book", "a.jpg", "b.png", "--sharpen", "0.4", "--plugin", "vignette", "-o", "b.pdf", "--grayscale"], ["b.pdf"]),
    Line(["book", "a.jpg", "--flip", "-o", "c.pdf"], ["c.pdf"]),
    Line(["sheet", "a.jpg", "b.png", "--modulate", "1.1", "-o", "m.pdf"], ["m.pdf"]),
    Line(["sheet", "a.jpg", "b.png", "--invert", "-o", "i.jpg"], ["i.jpg"]),
    Line(["sheet", "a.jpg", "b.png", "-o", "sheet.pdf", "--columns", "2"], ["sheet.pdf"]),
    Line(
      ["sheet", "a.jpg", "b.png", "logo.png", "-o", "sheet.jpg", "--columns", "2", "--cell", "64", "--quality", "80"],
      ["sheet.jpg"]),
    Line(
      ["sheet", "*.png", "-o", "sheet-{index}.png", "--columns", "1", "--rows", "1", "--cell", "64", "--caption", ""],
      ["sheet-1.png", "sheet-2.png"]),
  ]

  @Test(arguments: sampled(lines))
  func printedScriptWritesTheSame(_ line: Line) throws {
    let (one, other) = (try Self.pictures(), try Self.pictures())
    let outcome = try one.imghost(line.words, seconds: 60)
    #expect(outcome.status == 0 && outcome.output == "", "\(outcome)")
    let printed = try other.imghost(line.words + ["--print-script"])
    #expect(printed.status == 0 && printed.error == "", "\(printed)")
    #expect(!line.outputs.contains(where: other.exists))
    try other.write("printed.lua", printed.output)
    let run = try other.imghost("run", "printed.lua", seconds: 60)
    run.expect(status: 0)
    for output in line.outputs {
      #expect(
        !one.bytes(output).isEmpty && one.bytes(output) == other.bytes(output), "\(output): \(outcome)\(printed.output)"
      )
    }
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    let words: [String]
    let messages: [String]
    init(_ words: String, _ messages: String...) {
      (self.words, self.messages) = (words.split(separator: " ").map(String.init), messages)
    }
    var testDescription: String { words.joined(separator: " ") }
  }

  static let mistakes: [Mistake] = [
    Mistake("convert", "imghost convert: missing argument -o OUT; see 'imghost convert --help'"),
    Mistake(
      "convert a.jpg --flip -o v.pdf",
      "imghost convert: 'imghost book' makes PDFs, with the same operations: imghost book … -o v.pdf"),
    Mistake(
      "convert a.jpg --crop 10 10 50 50 -o b.jpg",
      "imghost convert: there is no file '10'; the value of --crop is one word: --crop 10,10,50,50"),
    Mistake(
      "book --title My Book a.jpg -o b.pdf",
      "imghost book: there is no file 'Book'; the value of --title is one word: --title 'My Book'"),
    Mistake(
      "convert a.jpg --crop -o b.jpg", "imghost convert: missing value for --crop: expected LEFT,TOP,WIDTH,HEIGHT"),
    Mistake(
      "convert a.jpg b.png -o newdir",
      "imghost convert: -o: several inputs cannot go into the one file 'newdir'; for a folder, write 'newdir/'"),
    Mistake(
      "convert a.jpg -w 400 -o b.jpg",
      "imghost convert: unknown option '-w' (did you mean '--with-metadata' or '--width'?)"),
    Mistake(
      "convert a.jpg -q80 -o b.jpg", "imghost convert: unknown option '-q80' (did you mean '--quality' or '--q"),
    Mistake(
      "book a.jpg --strip -o b.pdf", "imghost book: unknown option '--strip' (an option of 'imghost convert')"),
    Mistake("sheet none* -o x.jpg", "imghost sheet: 'none*' matches no file"),
    Mistake("convert -o x.jpg", "imghost convert: missing argument IN; see 'imghost convert --help'"),
    Mistake(
      "convert a.jpg --sharpen 40 -o x.jpg",
      "imghost convert: --sharpen: 'amount' is 40; it takes a number from 0 to 20"),
    Mistake(
      "convert a.jpg --sharpen abc -o x.jpg",
      "imghost convert: --sharpen: 'amount' is 'abc'; it takes a number from 0 to 20"),
    Mistake(
      "convert missing.jpg --sharpen 40 --blur x -o x.jpg --quality 400",
      "imghost convert: missing.jpg: the file does not exist",
      "imghost convert: --sharpen: 'amount' is 40; it takes a number from 0 to 20",
      "imghost convert: --blur: 'sigma' is 'x'; it takes a number from 0.3 to 1000",
      "imghost convert: --quality: 'quality' is 400; it takes a whole number from 1 to 100"),
    Mistake(
      "convert missing.jpg b.png --sharpen 40 -o {stem}-x.jpg",
      "imghost convert: missing.jpg: the file does not exist",
      "imghost convert: --sharpen: 'amount' is 40; it takes a number from 0 to 20"),
    Mistake(
      "convert a.jpg b.png -o x.jpg",
      "imghost convert: -o: several inputs cannot go into the one file 'x.jpg'; put a field into its name, such as "
        + "'{stem}.jpg'"),
    Mistake(
      "convert a.jpg b.png -o -",
      "imghost convert: -o: several inputs cannot go into one pipe; write to files, such as '{stem}.jpg'"),
    Mistake(
      "convert a.jpg --resize 5 -o a.jpg",
      "imghost convert: -o: a.jpg: this would overwrite a picture that the script reads; save elsewhere"),
    Mistake(
      "convert a.jpg --composite over=none.png,gravty=south -o x.jpg",
      "imghost convert: --composite: unknown option 'gravty' (did you mean 'gravity'?); valid: over, left, top, gravity, "
        + "blend, opacity, tile, light"),
    Mistake(
      "convert a.jpg --crop 1,2,{3 -o x.jpg",
      "imghost convert: --crop: '{' has no end; put a text with this sign in quotes"),
    Mistake(
      "convert a.jpg --resze 5 -o x.jpg",
      "imghost convert: unknown option '--resze' (did you mean '--resize'?); see 'imghost convert --help'"),
    Mistake(
      "convert a.jpg --plugin vignete -o x.jpg",
      "imghost convert: --plugin: unknown plugin 'vignete' (did you mean 'vignette'?); found: film_grain, halftone, "
        + "luma_sharpen, mask_blend, test_card, vignette"),
    Mistake("convert a.jpg -o x.jpg -o y.jpg", "imghost convert: -o is given 2 times; a command writes to one OUT"),
    Mistake(
      "convert a.jpg -o x.jpg --quality 5 --quality 6", "imghost convert: --quality is given twice; give it once"),
    Mistake("convert a.jpg --page 3 -o x.jpg", "imghost convert: a.jpg: there is no page 3: the file has one page"),
    Mistake(
      "convert a.jpg --page x -o x.jpg",
      "imghost convert: --page: 'page' is 'x'; it takes a whole number from 1 to 1000000"),
    Mistake("convert none*.jpg -o {stem}-x.jpg", "imghost convert: 'none*.jpg' matches no file"),
    Mistake(
      "book a.jpg --sharpen 40 -o x.pdf", "imghost book: --sharpen: 'amount' is 40; it takes a number from 0 to 20"),
    Mistake("book a.jpg --fit upside -o x.pdf", "imghost book: --fit: 'fit' cannot be 'upside'"),
    Mistake("book a.jpg -o x.pdf --paper a99", "imghost book: --paper: 'paper' cannot be 'a99'"),
    Mistake(
      "book a.jpg -o x.pdf --viewer-page 7", "imghost book: --viewer-page: 'viewer_page' is 7, but the book has 1 page"),
    Mistake(
      "book a.jpg -o x.pdf --spine-text x", "imghost book: --spine-text: 'spine_text' is for a cover"),
    Mistake(
      "book a.jpg -o x.pdf --caption x --caption-language %",
      "imghost book: --caption-language: 'caption_language' "),
    Mistake(
      "convert a.jpg -o x.png --max-bytes 9k",
      "imghost convert: --max-bytes: 'max_bytes' finds a quality, and PNG files"),
    Mistake(
      "sheet a.jpg -o x.jpg --paper a4",
      "imghost sheet: --paper is for sheets that are PDFs; 'x.jpg' is a picture"),
    Mistake(
      "sheet a.jpg -o x.jpg --columns 0",
      "imghost sheet: --columns: 'columns' is 0; it takes a whole number from 1 to 100"),
  ]

  @Test(arguments: sampled(mistakes))
  func mistakesAreToldInItsWords(_ mistake: Mistake) throws {
    let folder = try Self.pictures()
    let outcome = try folder.imghost(mistake.words)
    #expect(outcome.status != 0 && outcome.output == "", "\(outcome)")
    #expect(outcome.errorLines.count == mistake.messages.count, "\(outcome)")
    for (line, message) in zip(outcome.errorLines, mistake.messages) { #expect(line.hasPrefix(message), "\(outcome)") }
    #expect(folder.files == ["a.jpg", "b.png", "logo.png"])
  }

  /// The advice about a folder is a pattern that matches its pictures, also if its name has special characters.
  @Test func foldersWithSpecialCharacters() throws {
    let folder = try Self.pictures()
    try folder.copy(Built.photos + "/rocket.jpg", to: "[2024]/a.jpg")
    let outcome = try folder.imghost("convert", "[2024]", "-o", "o/")
    #expect(outcome.errorLines == ["imghost convert: '[2024]' is a folder; for its pictures, write '[[]2024]/*'"])
    try folder.copy(Built.photos + "/rocket.jpg", to: "best*?/a.jpg")
    let starred = try folder.imghost("convert", "best*?", "-o", "o/")
    #expect(starred.errorLines == ["imghost convert: 'best*?' is a folder; for its pictures, write 'best[*][?]/*'"])
    try folder.imghost("convert", "[[]2024]/*", "-o", "o/").expect(status: 0)
    #expect(folder.exists("o/a.jpg"))
  }

  /// Mistakes in words are wrong usage, and a picture that is missing is a failure.
  @Test func statuses() throws {
    let folder = try Self.pictures()
    #expect(try folder.imghost("convert", "a.jpg", "--sharpen", "40", "-o", "x.jpg").status == 2)
    #expect(try folder.imghost("convert", "a.jpg", "--sharpen", "40", "-o", "x.jpg", "--print-script").status == 0)
    #expect(try folder.imghost("convert", "a.jpg", "--crop", "1,{2", "-o", "x.jpg", "--print-script").status == 2)
    #expect(try folder.imghost("convert", "none.jpg", "-o", "x.jpg").status == 1)
    let rest = try folder.imghost("convert", "none.jpg", "a.jpg", "--on-error", "continue", "-o", "{stem}.png")
    #expect(rest.status == 1 && folder.exists("a.png"), "\(rest)")
    let dry = try folder.imghost("convert", "a.jpg", "--resize", "9", "-o", "dry.png", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("dry.png") && !folder.exists("dry.png"), "\(dry)")
  }

  /// Names with commas, quotes, spaces and signs of Lua.
  @Test func unusualNames() throws {
    let folder = try Self.pictures()
    let names = ["a,b.jpg", "x,left=1.png", "it's \"so\".jpg", "é {}.jpg", "--dash.jpg"]
    for name in names { try folder.copy(Built.photos + "/rocket.jpg", to: name) }
    let outcome = try folder.imghost(
      "convert", "--thumbnail", "30", "--composite", "over=\"x,left=1.png\",gravity=south", "-o", "out/{index}.png",
      "--",
      names[0], names[2], names[3], names[4])
    outcome.expect(status: 0)
    #expect(folder.files.filter { $0.hasPrefix("out/") }.count == 4)
    #expect(try folder.imghost("convert", "a.jpg", "--composite", "over=a,b.jpg,top=2", "-o", "out/c.png").status == 0)
  }

  /// A list as `find -print0` writes it.
  @Test func listOfNames() throws {
    let folder = try Self.pictures()
    let outcome = try folder.imghost(
      "convert", "--files0-from", "-", "--thumbnail", "20", "-o", "o/{stem}.png", input: "a.jpg\0b.png\0")
    #expect(outcome.status == 0 && folder.exists("o/a.png") && folder.exists("o/b.png"), "\(outcome)")
    let empty = try folder.imghost("book", "--files0-from", "-", "-o", "b.pdf", input: "a.jpg\0\0b.png\0")
    #expect(
      empty.messages == ["imghost book: --files0-from: -: a name is empty; names end in one zero byte"], "\(empty)")
    let none = try folder.imghost("book", "--files0-from", "-", "-o", "b.pdf", input: "")
    #expect(none.messages == ["imghost book: --files0-from: -: it names no files"], "\(none)")
    let both = try folder.imghost("book", "-", "--files0-from", "-", "-o", "b.pdf", input: "a.jpg\0")
    both.expect(status: 2, error: "both read standard input")
  }

  /// The help names every operation and every option of `save`, and fits the page.
  @Test func help() throws {
    let folder = try Folder()
    let help = try folder.imghost("convert", "--help").output
    for option in [
      "--sharpen [AMOUNT,…]", "--flip", "--blur SIGMA,…", "--trim", "--plugin", "--quality N", "-o, --output OUT",
      "--page N",
    ] {
      #expect(help.contains(option), "\(option)")
    }
    for command in ["convert", "book", "sheet"] {
      let lines = try folder.imghost(command, "--help").outputLines
      #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines.filter { $0.count > 100 })")
    }
  }

  @Test func codeOfTheLine() throws {
    let folder = try Self.pictures()
    let outcome = try folder.imghost(
      "run", "-e", "print(arg[1], ...) img.open('a.jpg'):thumbnail(20):save('e.png')", "x", "--jobs")
    #expect(outcome.status == 0 && outcome.output == "x\tx\t--jobs\n" && folder.exists("e.png"), "\(outcome)")
    let wrong = try folder.imghost("check", "-e", "\nimg.open('a.jpg'):sharpen(40):save('e.png')")
    #expect(wrong.messages == ["-e:2: sharpen: 'amount' is 40; it takes a number from 0 to 20"], "\(wrong)")
  }

  /// The main parameter goes by position.
  @Test func mainParameters() throws {
    let folder = try Self.pictures()
    let outcome = try folder.run(
      """
      local p = img.open("a.jpg"):thumbnail(60)
      p:sharpen(0.4):modulate(1.1, 0.9, 20):normalize(2, 98):clahe(3):trim(5):save("one.png")
      p:sharpen{ amount = 0.4 }:modulate{ brightness = 1.1, saturation = 0.9, hue = 20 }
        :normalize{ lower = 2, upper = 98 }:clahe{ clip = 3 }:trim{ threshold = 5 }:save("other.png")
      """)
    #expect(outcome.status == 0 && folder.bytes("one.png") == folder.bytes("other.png"), "\(outcome)")
  }

  /// Options after the script are the script's; if it cannot read them, a message shows the right order.
  @Test func optionsAfterTheScript() throws {
    let folder = try Self.pictures()
    try folder.write("deaf.lua", "require('imghost').open('a.jpg'):save('o.jpg') -- no arg here")
    let deaf = try folder.imghost("run", "deaf.lua", "--set", "a=b c", "--jobs=2", "x")
    deaf.expect(
      status: 2,
      error: "imghost run: '--set' stands after the script, which reads no arguments; write it before the script: "
        + "imghost run --set 'a=b c' --jobs=2 deaf.lua x")
    #expect(!folder.exists("o.jpg"))
    let checked = try folder.imghost("check", "-q", "deaf.lua", "--json")
    checked.expect(status: 2, error: "write it before the script: imghost check -q --json deaf.lua")
    let words = try folder.imghost("run", "deaf.lua", "x")
    words.expect(status: 0, error: "note: the script never reads its arguments: x")
    // A module may read them.
    try folder.write("site.lua", "local img = require 'imghost' img.open('a.jpg'):save(arg[2])")
    try folder.write("main.lua", "require('site')")
    try folder.imghost("run", "main.lua", "--out", "m.jpg").expect(status: 0)
    #expect(folder.exists("m.jpg"))
    try folder.write("open.lua", "print(arg[1]) require('imghost').open('a.jpg'):save('o.jpg')")
    let open = try folder.imghost("run", "open.lua", "--set")
    #expect(open.output == "--set\n" && !open.error.contains("note:"), "\(open)")
  }
}
