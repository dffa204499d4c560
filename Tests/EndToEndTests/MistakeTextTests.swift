import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// The exact messages about mistakes in scripts.
struct MistakeTextTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let script: String
    let message: String
    var status: Int32 = 3
    var line: Int
    init(_ script: String, _ message: String, status: Int32 = 3, line: Int = 3) {
      self.line = line
      self.script = script
      self.message = message
      self.status = status
    }
    var testDescription: String { script }
  }

  private static func absent(_ name: String) -> String {
    "; setting '\(name)' is not set; add --set \(name)=VALUE"
  }

  /// The cases. `p` is a picture of 60x40 pixels, and `l` a list with it. Messages follow `t.lua:3: `.
  static let cases: [Case] = [
    // Options.
    Case(
      "p:resize{ widht = 3 }",
      "resize: unknown option 'widht' (did you mean 'width'?); valid: width, height, fit, position, "
        + "kernel, light, background, enlarge, reduce"),
    Case(
      "p:resize{ width = \"3\" }",
      "resize: 'width' is the string '3'; write 3"),
    Case("p:resize(\"400px\")", "resize: 'width' is '400px'; write 400"),
    Case(
      "p:resize(\"80x60\")",
      "resize: 'width' takes a whole number from 1 to 1000000, or a percentage such as '50%', not '80x60'"),
    Case(
      "p:resize{ width = 0 }",
      "resize: 'width' is 0; it takes a whole number from 1 to 1000000, or a percentage such as '50%'"),
    Case(
      "p:resize{ width = 2.5 }",
      "resize: 'width' takes a whole number from 1 to 1000000, or a percentage such as '50%', not 2.5"),
    Case(
      "p:resize{ width = 10, fit = \"covr\" }",
      "resize: 'fit' cannot be 'covr' (did you mean 'cover'?); valid: cover, contain, inside, "
        + "outside, fill"),
    Case("p:resize(1, 2, 3)", "resize: takes at most 2 arguments by position, but 3 were given"),
    Case("p:resize(10, { width = 3 })", "resize: 'width' is given twice"),
    Case("p:blur(0/0)", "blur: 'sigma' is nan; it takes a number from 0.3 to 1000"),
    Case(
      "p:extend{ top = 3, background = \"reddd\" }",
      "extend: 'background' is not a colour: 'reddd'; use '#rrggbb', '#rrggbbaa', a CSS name, or "
        + "{ r, g, b }"),
    Case("p:composite{ over = 5 }", "composite: 'over' takes a picture, not a number"),
    Case("p:composite{}", "composite: 'over' is missing"),
    Case(
      "p:flip(5)",
      "flip: takes no arguments, but 1 was given"),
    Case(
      "p:save(\"x.jpg\", 5)",
      "save: takes options in a table, not by position: { quality = 5 }"),
    Case("p:save(\"x.jpg\", \"none\")", "save: takes options in a table, not by position: { metadata = 'none' }"),
    Case("p:save(\"x.jpg\", true)", "save: takes options in a table, not by position: { qos = … }"),
    Case(
      "p:save(\"x.jpg\", { quality = 80 }, { qos = \"default\" })",
      "save: takes one table of options, as its last argument"),
    Case("p:resize({ width = 3 }, { fit = \"fill\" })", "resize: takes one table of options, as its last argument"),
    Case(
      "p:save(\"x.jpg\", { max_bytes = \"80q\" })",
      "save: 'max_bytes' is '80q'; it takes a size such as 81920 (bytes), '80k' or '1.5M'"),
    Case("p:save(\"x.jpg\", { target = 98 })", "save: 'target' is 98; it takes a number from 0 to 1"),
    Case(
      "p:save(\"x.jpg\", { max_size = \"80k\" })",
      "save: unknown option 'max_size' (did you mean 'max_bytes'?); see 'imghost ops save'"),
    Case("print(p[1])", "a picture is not a list and has no [1]"),
    Case("print(p[true])", "a picture cannot be indexed by a boolean"),
    Case("img.list{}:smallest_common_size()", "smallest_common_size: the list has no pictures"),
    Case("l:take(\"x\")", "take takes a number of pictures, such as take(3)"),
    Case("l:each(prnt)", "each takes a function, not nil; 'prnt' is no variable; did you mean 'print'?"),
    Case("l:each(nil)", "each takes a function, not nil"),
    Case("p:flip{ up = true }", "flip: unknown option 'up'; it takes none"),
    Case("p:resze{ width = 3 }", "resze: a picture has no 'resze' (did you mean 'resize'?)"),
    Case(
      "p:crop(0, 0, 5000, 5000):save(\"x.png\")",
      "crop: p.png: the area 5000x5000 at (0, 0) is not inside the 60x40 picture", status: 1),
    // Hints.
    Case(
      "img.hint(p, { hro = true })",
      "hint: unknown option 'hro' (did you mean 'hero'?); valid: hero, keep, skip, caption, page, score"),
    Case("img.hint(p, { score = 2 })", "hint: 'score' is 2; it takes a number from 0 to 1"),
    Case("img.hint(p, { page = \"nwe\" })", "hint: 'page' cannot be 'nwe' (did you mean 'new'?); valid: new"),
    Case("img.hint(p, { hero = 1 })", "hint: 'hero' takes true or false, not a number"),
    Case(
      "img.hint(p, { keep = { 0, 0, 1.5, 1 } })",
      "hint: keep = { 0, 0, 1.5, 1 } reaches beyond the picture; all are shares of its width and height, from 0 to 1"),
    Case(
      "img.hint(p, { keep = { x = 0.5, y = 0, w = 0, h = 1 } })",
      "hint: keep = { 0.5, 0, 0, 1 } is empty; width and height are shares of the picture above 0"),
    Case("img.hint(p, { keep = { 0, 0, 1 } })", "hint: 'keep' takes a list of 4 numbers, not 3"),
    Case("img.hint(p)", "hint takes pictures and a table of wishes: img.hint(photo, { hero = true })"),
    Case("img.hint(p, { true })", "hint takes pictures and a table of wishes: img.hint(photo, { hero = true })"),
    Case("img.hint(5, { hero = true })", "hint takes pictures, not a number"),
    Case(
      "img.hint(p, { skip = true, hero = true })",
      "hint: skip leaves the picture out of the book, which contradicts hero = true; remove one"),
    Case(
      "img.hint(l, { page = \"new\" }); img.hint(l, { skip = true })",
      "hint: skip leaves the picture out of the book, which contradicts page = \"new\"; remove one"),
    Case("print(p.scor)", "scor: a picture has no 'scor' (did you mean 'score'?)"),
    // Plugins.
    Case(
      "p:plugin(\"vignete\")",
      "plugin: unknown plugin 'vignete' (did you mean 'vignette'?); found: film_grain, halftone, "
        + "luma_sharpen, mask_blend, test_card, vignette"),
    Case(
      "p:plugin(\"vignette\", { strength = \"much\" })",
      "vignette: 'strength' takes a number from 0 to 1, not 'much'"),
    Case("p:plugin()", "plugin takes a name first: picture:plugin(\"vignette\", { … })"),
    // Sinks.
    Case(
      "p:save(\"x.jgp\")",
      "save: cannot tell the format: file ending '.jgp' (did you mean 'jpg'?); valid: jpg, png, …"),
    Case(
      "p:save(\"{stm}.jpg\")",
      "save: '{stm}.jpg': unknown field '{stm}' (did you mean '{stem}'?); valid: {stem}, {name}, {label}, "
        + "{ext}, {folder}, {index}, {width}, {height}, {date}, {title}, {description}, {hash}, {exif.NAME}, {xmp.NAME}, {iptc.NAME}"
    ),
    Case("p:save(\"{stem.jpg\")", "save: '{stem.jpg': a '{' is not closed; write '{{' for a brace"),
    Case(
      "p:save(\"{exif.Nope}.jpg\")",
      "save: p.png: the picture has no EXIF field 'Nope'; "
        + "{exif.Nope|text} gives a text instead", status: 1),
    Case(
      "p:save(\"x.jpg\", { quality = 500 })",
      "save: 'quality' is 500; it takes a whole number from 1 to 100"),
    Case(
      "p:save(\"p.png\")",
      "save: p.png: this would overwrite a picture that the script reads; save elsewhere"),
    Case(
      "p:save(\"a.png\"); p:save(\"./b/../a.png\")",
      "save: ./b/../a.png: two outputs have this name (the other at line 3); give one of them another"
    ),
    Case("img.list{ p, p }:save(\"o/a.png\")", "save: 'o/a.png' is one name for 2 pictures; write 'o/{index:3}.png'"),
    Case("img.list{ p, p }:tiles(\"zoom/a\")", "tiles: 'zoom/a' is one name for 2 pictures; write 'zoom/{index:3}'"),
    Case("p:save(\"a.pdf\")", "save: file ending '.pdf': img.book writes PDF files"),
    Case("p:save(\"a.png\", { format = \"pdf\" })", "save: format 'pdf': img.book writes PDF files"),
    Case("img.multipage(\"a.pdf\", l)", "multipage: file ending '.pdf': img.book writes PDF files"),
    Case(
      "p:save(\"a.png\", { profile = \"sRGB\" })",
      "save: 'profile': there is no profile 'sRGB' (did you mean 'srgb'?); it is one of …"),
    Case("img.contact_sheet(\"x.jpg\", l)", "contact_sheet: a contact sheet is a PDF: 'x.jpg' should end in .pdf"),
    Case(
      "img.contact_sheet(\"x.pdf\", l, { cols = 3 })",
      "contact_sheet: unknown option 'cols' (did you mean 'columns'?); …"),
    Case(
      "img.book(\"a.pdf\", p); img.book(\"a.pdf\", p)",
      "book: a.pdf: two outputs have this name (the other at line 3); give one of them another"),
    Case(
      "img.canvas(5, 5):save(\"{stem}.png\")",
      "save: a picture that comes from no file has no {stem}; use {index} or a name of your own",
      status: 1),
    Case("img.book(\"x.pfd\", p)", "book: a book is a PDF: 'x.pfd' should end in .pdf"),
    Case("img.book(\"x.pdf\", {})", "book: there are no pictures to put into 'x.pdf'"),
    Case("img.book(\"x.pdf\", { p, 5 })", "book takes pictures; item 2 is a number"),
    Case(
      "img.book(\"x.pdf\", p, { margin = \"5miles\" })",
      "book: 'margin' contains '5miles', which is not a length; write a number with mm, cm, in, pt "
        + "or px, such as '10mm'"),
    // Functions and methods.
    Case("img.opn(\"p.png\")", "imghost has no 'opn' (did you mean 'open'?)"),
    Case(
      "img.open(\"p\\0.png\"):save(\"x.png\")",
      "open: p\u{FFFD}.png: the file does not exist", status: 1),
    Case("img.open()", "open takes a path, not nil"),
    Case("img.open{ 5 }", "open takes a path, not a table"),
    Case("img.glob(5)", "glob takes a pattern such as \"photos/*.jpg\", not a number"),
    Case("img.glob(\"*.tif\")", "glob: '*.tif' matches no file", status: 1),
    Case("img.glob(\".\")", "glob: '.' is a folder; write '*'", status: 1),
    Case(
      "img.glob(\"*.png\", \"b/*\")",
      "glob takes one pattern; join two lists: img.glob(\"*.png\") .. img.glob(\"b/*\")"),
    Case("img.glob(\"*.png\", { pge = 2 })", "glob: unknown option 'pge' (did you mean 'page'?); valid: …"),
    Case(
      "img.open(\"*.jpg\"):save(\"a.png\")", "open: *.jpg: the file does not exist; img.glob reads patterns", status: 1),
    Case("img:open(\"p.png\")", "open is called with a dot: img.open(…)"),
    Case("img:book(\"x.pdf\", p)", "book is called with a dot: img.book(…)"),
    Case("img:contact_sheet(\"x.pdf\", p)", "contact_sheet is called with a dot: img.contact_sheet(…)"),
    Case(
      "img.qos(\"urgent\", print)",
      "qos takes a service class first; valid: background, utility, default, user-initiated, "
        + "user-interactive"),
    Case(
      "coroutine.wrap(function() img.qos(\"utility\", function() coroutine.yield() end) end)()",
      "the function given to qos must not yield: the class applies until it returns"),
    Case(
      "l:filter(print, 5)",
      "filter takes a function and a reason for leaving out the others, a string, not a number"),
    Case(
      "p:save{ path = \"x.png\" }",
      "save takes a path first: picture:save(\"web/{stem}.jpg\", { quality = 85 })"),
    Case("img.canvas(5)", "canvas: 'height' is missing"),
    Case("p:resize()", "resize: give it a width, a height, or both"),
    Case(
      "img.canvas(5, 5, { color = \"red\" })",
      "canvas: unknown option 'color' (did you mean 'background'?); valid: width, height, background"
    ),
    Case("img.canvas(0, 5)", "canvas: 'width' is 0; it takes a whole number from 1 to 1000000"),
    Case("img.list(5)", "list takes pictures, not a number"),
    Case("img.all{ 5 }", "all takes jobs; item 1 is a number"),
    Case("img.all(p)", "all takes a list of jobs: img.all{ a, b }"),
    Case("img.open = 5", "imghost cannot be changed; 'open' was assigned to it"),
    Case("img.settings.a = 5", "settings come from --set and cannot be changed"),
    Case("p.resize(5, 5)", "resize is called on a picture with a colon: picture:resize(…)"),
    Case("p.stats()", "stats is called on a picture with a colon: picture:stats(…)"),
    Case("p.save(\"x.png\")", "save is called on a picture with a colon: picture:save(…)"),
    Case("p.width = 5", "a picture cannot be changed; 'width' was assigned to it"),
    Case("l.take(2)", "take is called on a list with a colon: list:take(…)"),
    Case("l[1] = p", "a list cannot be changed; make another with map or filter"),
    Case("l:mapp(print)", "a list has no 'mapp' (did you mean 'map'?)"),
    Case(
      "l:fit(9, 9)",
      "a list has no 'fit'; call it on each picture: list:map(function(p) return p:fit(…) end)"),
    Case(
      "l:stats()",
      "a list has no 'stats'; call it on each picture: for _, p in ipairs(list) do p:stats(…) end"),
    Case("l:map(5)", "map takes a function, not a number"),
    Case(
      "l:map(function() end)",
      "the function given to map returned nil, not a picture; begin its last line with return"),
    Case(
      "l:sort_by(function() return {} end)",
      "the function given to sort_by must return only numbers or only strings; it returned a table"),
    Case(
      "p:save(\"x.png\").await()", "await is called on a job with a colon: job:await()"),
    Case("p:save(\"x.png\"):awiat()", "a job has no 'awiat' (did you mean 'await'?)"),
    Case(
      "p:save(\"x.png\"):on_done(5)",
      "on_done takes a function: job:on_done(function(result) … end)"),
    Case(
      "img.all{ p:save(\"x.png\") }:on_done(5)",
      "on_done takes a function: img.all{ a, b }:on_done(function(result) … end)"),
    // Lua's own.
    Case("p:nothing():save(\"x.png\")", "nothing: a picture has no 'nothing'; see 'imghost ops'"),
    Case("local t; t.x = 5", "attempt to index a nil value (local 't')"),
    Case("error(\"my own words\")", "my own words"),
    Case(
      "io.open(\"x\")",
      "attempt to index a nil value (global 'io'); scripts run in a sandbox without io: img.open and "
        + "img.glob read pictures, save and book write files, print writes text, require reads data from "
        + "a Lua file beside the script"),
    Case(
      "os.execute(\"ls\")",
      "attempt to call a nil value (field 'execute'); scripts run in a sandbox without os.execute: it "
        + "starts no programs; run them before or after imghost"),
    Case(
      "os.getenv(\"HOME\")",
      "attempt to call a nil value (field 'getenv'); scripts run in a sandbox without os.getenv: give "
        + "values with --set name=value and read img.settings.name"),
    Case(
      "debug.traceback()",
      "attempt to index a nil value (global 'debug'); scripts run in a sandbox without debug: errors "
        + "name their line without it"),
    Case(
      "dofile(\"x.lua\")",
      "attempt to call a nil value (global 'dofile'); scripts run in a sandbox without dofile: require "
        + "\"name\" loads name.lua beside the script"),
    Case(
      "print(img.settings.dir .. \"/x\")",
      "attempt to concatenate a nil value (field 'dir'); setting 'dir' is not set; add --set "
        + "dir=VALUE"),
    Case(
      "local dir = img.settings.dir print(dir .. \"/x\")",
      "attempt to concatenate a nil value (local 'dir'); setting 'dir' is not set; add --set "
        + "dir=VALUE"),
    Case(
      "local t = img.settings.title or \"x\" local n print(t .. n)",
      "attempt to concatenate a nil value (local 'n')"),
    Case("img.canvas(img.settings.w, 5)", "canvas: 'width' is missing" + absent("w")),
    Case(
      "img.canvas(img.settings.w, img.settings.h)",
      "canvas: 'height' is missing; settings 'h', 'w' are not set; add --set h=VALUE --set "
        + "w=VALUE"),
    Case("local w = img.settings.w img.canvas(w, 5)", "canvas: 'width' is missing" + absent("w")),
    Case("print(img.settings.n > 3)", "attempt to compare number with nil" + absent("n")),
    Case(
      "local m, n = 5, tonumber(img.settings.n) print(n > 3)",
      "attempt to compare number with nil" + absent("n")),
    Case(
      "p:save(img.settings.o)",
      "save takes a path first: picture:save(\"web/{stem}.jpg\", { quality = 85 })" + absent("o")),
    Case(
      "string.format(\"%d\", img.settings.n)",
      "bad argument #2 to 'format' (number expected, got nil)" + absent("n")),
    Case(
      "print(#img.settings.x)",
      "attempt to get length of a nil value (field 'x')" + absent("x")),
    Case(
      "for i = 1, img.settings.n do end",
      "bad 'for' limit (number expected, got nil)" + absent("n")),
    Case("assert(img.settings.n)", "assertion failed!" + absent("n")),
    Case(
      "print(p.exif.Missing .. \"x\")",
      "attempt to concatenate a nil value (field 'Missing'); the picture has no EXIF field 'Missing'; "
        + "write (exif.Missing or \"\")"),
    Case(
      "local fnumber = p.exif.FNumber print(fnumber * 2)",
      "attempt to perform arithmetic on a nil value (local 'fnumber'); the picture has no EXIF field "
        + "'FNumber'; write (exif.FNumber or 0)"),
    Case(
      "p:resize{ width = img.settings.w }",
      "resize: give it a width, a height, or both" + absent("w")),
    Case(
      "p:resize{ widht = 5, height = img.settings.h }",
      "resize: unknown option 'widht' (did you mean 'width'?); valid: width, height, fit, position, "
        + "kernel, light, background, enlarge, reduce"),
    Case(
      "img.open(img.settings.dir)",
      "open takes a path, not nil; setting 'dir' is not set; add --set dir=VALUE"),
    // Names that mean nothing.
    Case(
      "p:save(\"a.jpg\", { metadata = none })",
      "save: 'none' is no variable, so 'metadata' is not given; did you mean \"none\"?"),
    Case(
      "img.book(\"a.pdf\", p, { paper = a4 })",
      "book: 'a4' is no variable, so 'paper' is not given; did you mean \"a4\"?"),
    Case(
      "p:text{ text = \"a\",\n  colour = red }",
      "text: 'red' is no variable, so 'colour' is not given; did you mean \"red\"?",
      line: 4),
    Case(
      "local best = 80 p:save(\"a.jpg\", { quality = bets })",
      "save: 'bets' is no variable, so 'quality' is not given; did you mean 'best'?"),
    Case(
      "p:save(\"a.jpg\", { metadata = None })",
      "save: 'None' is no variable, so 'metadata' is not given; did you mean \"none\"?"),
    Case("p:resize(5, null)", "resize: 'null' is no variable, so its value is nil; did you mean 'nil'?"),
    Case(
      "print(p.stats.mean)",
      "attempt to index a function value (field 'stats'); call it with a colon: picture:stats(…)"),
    Case("p:resize(w, 5)", "resize: 'w' is no variable, so its value is nil"),
    Case("img.canvas(wide, 5)", "canvas: 'width' is missing; 'wide' is no variable"),
    Case("prnt(2)", "attempt to call a nil value (global 'prnt'); did you mean 'print'?"),
    Case("P:save(\"a.png\")", "attempt to index a nil value (global 'P'); did you mean 'p'?"),
    Case(
      "imghost.open(\"a\")",
      "attempt to index a nil value (global 'imghost'); begin with local img = require \"imghost\""),
    Case("require \"imagehost\"", "require: no module 'imagehost' (did you mean 'imghost'?)"),
    // Lists and properties.
    Case(
      "for q in l do print(q) end", "a list cannot be called; walk it with ipairs(list) or list:each(function(p) … end)"
    ),
    Case("for q in { p } do print(q) end", "attempt to call a table value; walk a list with ipairs(list)"),
    Case("print(l[99].width)", "attempt to index a nil value; there is no item with this number or name"),
    Case("local i = 99 print(l[i].width)", "attempt to index a nil value; there is no item with this number or name"),
    Case(
      "print(p:width(5))",
      "attempt to call a number value (method 'width'); a property is read without parentheses: picture.width"),
    Case("require \"os\"", "require: 'os' needs no require"),
    Case("require \"lfs\"", "require: no module 'lfs' (no file lfs.lua beside the script)"),
  ]

  @Test(arguments: sampled(cases))
  func says(_ mistake: Case) throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    let outcome = try folder.run("local p = img.open(\"p.png\"); local l = img.list{ p }\n" + mistake.script)
    // What follows "…" depends on the plugins.
    let text = "t.lua:\(mistake.line): " + mistake.message
    #expect(
      outcome.messages.contains { text.hasSuffix("…") ? $0.hasPrefix(text.dropLast()) : $0 == text }, "\(outcome)")
    #expect(outcome.status == mistake.status, "\(outcome)")
    #expect(folder.files == ["p.png", "t.lua"])
  }

  /// One mistake about several pictures is one line.
  @Test(arguments: [
    ("all:save(\"lq/x.jpg\")", "save: 'lq/x.jpg' is one name for 3 pictures; write 'lq/{stem}.jpg'"),
    (
      "(all .. img.glob(\"c/*.gif\")):save(\"x.jpg\")",
      "save: 'x.jpg' is one name for 4 pictures; write '{stem}-{ext}.jpg'"
    ),
    (
      "(all .. img.glob(\"b/*.png\")):save(\"x.jpg\")",
      "save: 'x.jpg' is one name for 4 pictures; write '{folder}-{stem}.jpg'"
    ),
    (
      "all[1]:save(\"x.jpg\") all[2]:save(\"x.jpg\")",
      "save: x.jpg: two outputs have this name, of 'a/1.png' and 'a/2.png'; tell them apart by {stem}"
    ),
    (
      "all:map(function(p) p:resize(10) end)",
      "the function given to map returned nil, not a picture; begin its last line with return"
    ),
    (
      "all:map(function(p)\n  p:resize(10)\nend):save(\"{stem}.jpg\")",
      "the function given to map returned nil, not a picture; begin its last line with return"
    ),
    ("for i = 1, 3 do img.canvas(wide, 5) end", "canvas: 'width' is missing; 'wide' is no variable"),
    ("img.glob(\"a\"):save(\"{stem}.jpg\")", "glob: 'a' is a folder; write 'a/*'"),
    (
      "for p in all do p:save(\"{stem}.jpg\") end",
      "a list cannot be called; walk it with ipairs(list) or list:each(function(p) … end)"
    ),
  ])
  func oneLine(_ script: String, _ message: String) throws {
    let folder = try Folder()
    for name in ["a/1", "a/2", "a/3", "b/1"] { try folder.write("\(name).png", try Pixels.waves(6, 4).png()) }
    // The content tells the format.
    try folder.write("c/1.gif", folder.bytes("a/1.png"))
    let outcome = try folder.run("local all = img.glob(\"a/*\");\n\(script)")
    #expect(outcome.errorLines == ["t.lua:3: " + message], "\(outcome)")
  }

  /// A list without pictures gets a note, unless the pattern without a match is reported.
  @Test func emptyLists() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(6, 4).png())
    let none = "local none = img.glob(\"*.png\"):filter(function() return false end)\n"
    for sink in ["save(\"{stem}.jpg\")", "tiles(\"{stem}\")"] {
      let outcome = try folder.run(none + "none:\(sink)")
      let name = String(sink.prefix { $0 != "(" })
      #expect(
        outcome.status == 0 && outcome.errorLines.first == "t.lua:3: \(name): note: the list is empty", "\(outcome)")
    }
    let missing = try folder.run("img.glob(\"*.tif\"):save(\"{stem}.jpg\")")
    #expect(missing.errorLines == ["t.lua:2: glob: '*.tif' matches no file"], "\(missing)")
  }

  /// Globals that are not set are no mistake where a script expects that, or sets them elsewhere.
  @Test(arguments: [
    "if debug_mode then print(1) end p:save(\"a.png\")", "local q = quality or 80 p:save(\"a.jpg\", { quality = q })",
    "p:save(\"a.jpg\", { quality = quality or 80 })", "p:save(\"a.jpg\", { quality = best }) if fast then best = 3 end",
    "function set() best, last = 3, 4 end p:save(\"a.jpg\", { quality = last })",
    "_G[\"be\" .. \"st\"] = nil p:save(\"a.jpg\", { quality = best })",
    "require \"module\" p:save(\"a.jpg\", { quality = ofmodule })",
    "local t = { save = function() end } local u = { x = none } t.save(none) print(none, { quality = none }) p:save(\"a.png\")",
    "local none local o = { quality = none } p:save(\"a.jpg\", { quality = none })",
    "if false then p:save(\"b.jpg\", { quality = none }) end p:save(\"a.png\")",
    "img.list{ p }:each(function(q) local x, y = none, 3 q:save(\"a.png\") end)",
  ])
  func globalsThatMayBeNil(_ script: String) throws {
    let folder = try Folder()
    try folder.write("module.lua", "if false then ofmodule = 3 end")
    let outcome = try folder.run("local p = img.canvas(9, 9)\n" + script)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
  }

  /// A global that is not set is reported before the script waits for an output.
  @Test func absentGlobalsBeforeOutputs() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(9, 9):save(\"a.jpg\", { metadata = none }):await()")
    outcome.expect(status: 3)
    #expect(
      outcome.messages == ["t.lua:2: save: 'none' is no variable, so 'metadata' is not given; did you mean \"none\"?"],
      "\(outcome)")
    #expect(folder.files == ["t.lua"])
  }

  /// Options of books: what users look for under other names.
  @Test(arguments: [
    ("gap", "gutter"), ("spacing", "gutter"), ("page_size", "paper"), ("pagesize", "paper"),
    ("size", "paper"), ("margins", "margin"), ("color", "background"), ("papr", "paper"),
    ("caption_color", "caption_colour"), ("Margin", "margin"), ("resolution", "dpi"),
    ("dpi_min", "min_dpi"), ("cols", "columns"), ("toc", "outline"), ("bookmarks", "outline"),
    ("page_numbers", "page_number"),
  ])
  func namesOfOtherPrograms(_ name: String, _ right: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.book(\"x.pdf\", img.canvas(9, 9), { \(name) = 1 })")
    let head = "t.lua:2: book: unknown option '\(name)' (did you mean '\(right)'?); "
    #expect(outcome.status == 3 && outcome.messages.count == 1, "\(outcome)")
    #expect(outcome.error.hasPrefix(head), "\(outcome)")
    let rest = outcome.error.dropFirst(head.count)
    #expect(rest.hasSuffix("see 'imghost ops book'\n"), "\(outcome)")
    let near = rest.split(separator: ";").filter { $0.hasPrefix("also near: ") }
    #expect(near.allSatisfy { $0.split(separator: ",").count <= 2 }, "\(outcome)")
  }

  /// A line that uses a wrong picture or its facts does not stop the search for the next mistake.
  @Test(arguments: [
    "local x = p.wdith > 3", "local x = p.wdith + 1 < p.hieght.x",
    "local x = q:stats().mean[1] + 1",
    "local x = tonumber(q.width) + 1", "local x = string.format('%d', q.width) .. q.format",
    "local x = table.concat({ q.width, q.height }, 'x')", "assert(type(q.width) == 'number')",
    "for _, m in ipairs(q:stats().mean) do error('none') end",
    "local x = math.max(3, q.width) // 2",
    "local x = ('x'):rep(q.bands)", "print(q.width, p.wdith)", "p:resze(3):resze(4)",
    "local a, b = table.unpack(q:stats().mean)",
    "local i = 1 while q:stats().mean[i] do i = i + 1 end",
  ])
  func goesOn(_ line: String) throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    let outcome = try folder.run("local p, q = img.open('p.png'), img.open('none.png')\n\(line)\np:blur{ sigam = 3 }")
    outcome.expect(status: 3)
    #expect(
      outcome.messages.last
        == "t.lua:4: blur: unknown option 'sigam' (did you mean 'sigma'?); valid: sigma, light",
      "\(outcome)")
    #expect(
      outcome.messages.dropLast().allSatisfy {
        $0.contains("'none.png'") || $0.contains("none.png: the file") || $0.contains("no '")
      }, "\(outcome)")
    #expect(outcome.output.replacing("(unknown because of a mistake)", with: "?").count < 8)
  }

  /// Lua's own functions stay as they are in their results and in what they say.
  @Test func luaStaysItself() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      assert(("%d"):format(3) == string.format("%d", 3) and type(nil) == "nil" and type(p) == "nil")
      assert(math.random(1, 1) == 1 and math.type(3) == "integer" and tonumber("0x10") == 16)
      assert(table.concat({ 1, 2 }, ",") == "1,2" and select("#", table.unpack({ 1, nil, 3 }, 1, 3)) == 3)
      assert(not pcall(type) and not pcall(table.concat, { {} }) and utf8.char(228) == "ä")
      local n = 0
      for word in ("a b c"):gmatch("%a") do n = n + #word end
      assert(n == 3 and ("abc"):gsub("b", function(c) return c:upper() end) == "aBc")
      local ok, words = pcall(function() return math.floor({}) end)
      assert(words:find("bad argument #1 to 'floor' (number expected, got table)", 1, true), words)
      img.canvas(2, 2):save("a.png")
      """)
    outcome.expect(status: 0)
  }

  /// Mistakes that pictures share are told once, and pictures in natural order.
  @Test func equalMistakesAreToldOnce() throws {
    let folder = try Folder()
    for index in 1...12 { try folder.write("p\(index).png", try Pixels.waves(6, 4).png()) }
    let outcome = try folder.run("img.glob(\"p*.png\"):save(\"{exif.Foo}.png\")")
    #expect(
      outcome.errorLines == [
        "t.lua:2: save: p1.png: the picture has no EXIF field 'Foo'; {exif.Foo|text} gives a text instead",
        "t.lua:2: save: the same for p2.png, p3.png, p4.png, p5.png and 7 more",
      ], "\(outcome)")
    try folder.write("taken.txt", "a file")
    let blocked = try folder.run("img.glob(\"p*.png\"):save(\"taken.txt/{stem}.png\")", "--on-error", "continue")
    #expect(blocked.errorLines.count == 3, "\(blocked)")
    #expect(
      blocked.error.contains(
        "save: 11 more outputs failed for the same reason: a part of its path"),
      "\(blocked)")
    let stopped = try folder.run(
      "img.open(\"p1.png\"):save(\"a.png\"):cancel() img.glob(\"p*.png\"):save(\"b{index}.png\"):cancel()")
    #expect(stopped.error.contains("save 'a.png' was cancelled"), "\(stopped)")
    #expect(stopped.error.contains("save 'b1.png' and 11 more were cancelled"), "\(stopped)")
  }

  /// An option that another call takes is sent there.
  @Test(arguments: [
    (
      "img.book(\"x.pdf\", img.canvas(9, 9), { out = \"x.pdf\" })",
      "book: unknown option 'out'; the path is the first argument of save and img.book; " + "see 'imghost ops book'"
    ),
    (
      "img.book(\"x.pdf\", img.canvas(9, 9), { fit = \"stretch\" })",
      "book: 'fit' cannot be 'stretch' (did you mean 'fill'?); valid: inside, cover, contain, fill"
    ),
    (
      "img.book(\"x.pdf\", img.canvas(9, 9), { page_number = true })",
      "book: 'page_number' takes text such as '{page} / {pages}', not a boolean"
    ),
    (
      "img.book(\"x.pdf\", img.canvas(9, 9), { sealed = true })",
      "book: unknown option 'sealed', which img.verify takes; see 'imghost ops book'"
    ),
    (
      "img.canvas(9, 9):resize{ width = 3, quality = 80 }",
      "resize: unknown option 'quality', which save takes; valid: width, height, fit, position, "
        + "kernel, light, background, enlarge, reduce"
    ),
    (
      "img.verify(\"x.pdf\", { resolution = 80 })",
      "verify: unknown option 'resolution' (did you mean 'dpi'?); valid: pages, size, text, dpi, "
        + "fonts, against, sealed, page_texts, password"
    ),
    (
      "img.book(\"x.pdf\", img.canvas(9, 9), { zebra = 1 })", "book: unknown option 'zebra'; see 'imghost ops book'"
    ),
  ])
  func optionsOfOtherCalls(_ script: String, _ message: String) throws {
    let outcome = try Folder().run(script)
    #expect(outcome.messages == ["t.lua:2: " + message], "\(outcome)")
  }

  /// Calculations with the facts of a wrong picture end nothing and add no mistake.
  @Test(arguments: ["check", "run"])
  func factsOfWrongPictures(_ command: String) throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local p = img.open("p.png")
      local q = p:resize{ widht = 3 }
      if q.width > 100 or q.width == 3 or 3 >= q.height then print("no") end
      print(type(q.width), type(q.format), type(q.exif), type(q.has_alpha), math.type(2))
      local half = math.floor(q.width / 2) + math.min(q.height, 5) // 1
      local text = q.width .. "x" .. q.exif.Model[1] .. table.concat{ "a", q.dpi }
      text = string.format("%d", half) .. ("x"):rep(q.width) .. text:upper() .. #text
      p:resize(half, tonumber(q.height) * 2):save(text)
      p:resize{ hieght = q:stats().mean }
      local missing = img.open("nothing.png")
      p:resize(missing.width, 4, 5)
      p:resize{ fti = "cover" }
      for i = 1, q.width do end
      """)
    let outcome = try folder.imghost(command, "t.lua")
    let unknown = { (line: Int, name: String, near: String) in
      "t.lua:\(line): resize: unknown option '\(name)' (did you mean '\(near)'?); valid: width, height, "
        + "fit, position, kernel, light, background, enlarge, reduce"
    }
    outcome.expect(status: 3)
    #expect(outcome.outputLines == ["number\tstring\ttable\tboolean\tinteger"], "\(outcome)")
    #expect(
      outcome.messages == [
        unknown(3, "widht", "width"),
        "t.lua:11: open: nothing.png: the file does not exist", unknown(13, "fti", "fit"),
        "t.lua:14: the script cannot continue after the mistakes above; later lines are not checked",
      ], "\(outcome)")
    #expect(folder.files == ["p.png", "t.lua"])
  }

  /// With `--on-error continue`, no unknown fact decides what is written.
  @Test func factsOfUnreadablePictures() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    let outcome = try folder.run(
      """
      local wide = img.open("nothing.png").width > 50
      img.open("p.png"):save(wide and "wide.png" or "narrow.png")
      """, "--on-error", "continue")
    outcome.expect(status: 1)
    #expect(
      outcome.messages == ["t.lua:2: open: nothing.png: the file does not exist"], "\(outcome)")
    #expect(folder.files == ["p.png", "t.lua"])
  }

  /// A pattern without a match gives no pictures, and nothing that follows from it is told.
  @Test func patternsWithoutMatches() throws {
    let script = """
      local all = img.glob("nothing*.png")
      local count = 0
      for _ in ipairs(all) do count = count + 1 end
      for _ in pairs(all) do count = count + 1 end
      print(#all, count, #all:map(function(p) return p:flip() end), #(all .. all), all[2])
      local first = all:take(1)[1]:resize(4)
      first:save("x.png")
      all:sort_by(function(p) return p.width end):book("a.pdf")
      img.book("b.pdf", img.list(all))
      img.canvas(2, 2):save("c.png")
      """
    let message = "t.lua:2: glob: 'nothing*.png' matches no file"
    for (option, files) in [("stop", ["t.lua"]), ("continue", ["c.png", "t.lua"])] {
      let folder = try Folder()
      let outcome = try folder.run(script, "--on-error", option)
      #expect(outcome.status == 1 && outcome.messages.first == message, "\(outcome)")
      #expect(outcome.outputLines == ["0\t0\t0\t0\tnil"], "\(outcome)")
      #expect(folder.files == files)
    }
  }

  /// A name with brackets is no pattern, and the message writes the pattern for it.
  @Test(arguments: [
    ("[2024]/*.png", "[[]2024]/*.png"), ("[2024]/[ab].png", "[[]2024]/[ab].png"),
    ("[2024]/a[1].png", "[[]2024]/a[[]1].png"),
    ("*/a[1].png", "*/a[[]1].png"), ("[2024]/x.png", nil), ("[2025]/*.png", nil), ("[1]/*.png", nil),
  ])
  func bracketsInNames(_ pattern: String, _ plain: String?) throws {
    let folder = try Folder()
    for name in ["a", "a[1]"] { try folder.write("[2024]/\(name).png", try Pixels.waves(6, 4).png()) }
    let hint =
      plain.map {
        ": brackets match one of the characters inside; to match a name with brackets, write '\($0)'"
      } ?? ""
    let outcome = try folder.run("img.glob(\"\(pattern)\"):save(\"o/{stem}.png\")")
    #expect(outcome.messages.first == "t.lua:2: glob: '\(pattern)' matches no file" + hint, "\(outcome)")
    // On a command line, the name of a file is no pattern.
    if !folder.exists(pattern) {
      let line = try folder.imghost("convert", pattern, "-o", "o/{stem}.png")
      #expect(line.messages.first == "imghost convert: '\(pattern)' matches no file" + hint, "\(line)")
    }
    guard let plain else { return }
    #expect(try folder.imghost("convert", plain, "-o", "o/{stem}.png").status == 0)
  }

  /// A wrong call hides none of those behind it, and nothing that follows from it is told.
  @Test func wrongCallsHideNothing() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    let outcome = try folder.run(
      """
      local p = img.open("p.png")
      local job = p:save{ path = "x.jpg" }
      img.open():resize(5, 5):save("{stem}.png")
      for i, q in ipairs(img.glob(5):map(print)) do print(i, q.width + 1) end
      local list = img.list{ p, 7 }:mapp(print):sort_by(print):take(3) .. p
      img.book("b.pdf", list, { quality = 1000 })
      print(#img.opn("x"), img.smallest.width < 3, -img.a.b .. "c")
      img.all{ job, 5 }:on_done(print)
      p.width = 3
      p.resize(5)
      list:save("y.jpg"):on_done(print)
      img.qos("urgnt", function() p:blur("much") end)
      img.verify(5)
      img.plugin(5)
      p:resize{ widht = 4 }
      """)
    outcome.expect(status: 3)
    let lines = outcome.messages.map { $0.split(separator: ":")[1] }
    #expect(
      lines == ["3", "4", "5", "6", "8", "8", "8", "10", "11", "13", "13", "14", "15", "16"],
      "\(outcome)")
    #expect(folder.files == ["p.png", "t.lua"])
  }

  /// `nil` is what is not given.
  @Test func nilsBetweenArguments() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 40)
      p:resize(30, nil, { fit = "inside" }):save("a.png")
      p:resize(nil, 20, nil):save("b.png")
      p:resize(30, nil, nil, nil):save("c.png")
      """)
    outcome.expect(status: 0)
    for name in ["a.png", "b.png", "c.png"] where folder.exists(name) {
      let found = try Pixels(file: folder(name))
      #expect(found.width == 30 && found.height == 20, "\(name)")
    }
  }

  /// A missing picture is handled alike, however the script asks for it.
  @Test(arguments: ["img.open(\"none.jpg\")", "img.glob(\"*.gif\")[1]", "img.glob(\"*.gif\")"])
  func missingPictures(_ source: String) throws {
    for sink in ["save(\"{stem}.png\")", "book(\"x.pdf\")"] {
      let folder = try Folder()
      let script =
        "img.list{ \(source) }:\(sink)\nimg.canvas(9, 9):save(\"fine.png\")\n"
        .replacing("img.list{ img.glob(\"*.gif\") }", with: "img.glob(\"*.gif\")")
      let stopped = try folder.run(script)
      #expect(stopped.status == 1 && stopped.messages.count == 1, "\(stopped)")
      #expect(!folder.exists("fine.png"))
      let outcome = try folder.imghost("run", "--on-error", "continue", "t.lua")
      #expect(outcome.status == 1 && folder.exists("fine.png"), "\(outcome)")
    }
  }

  /// Several mistakes are told at once, by their lines, before anything is decoded or written.
  @Test func allAtOnce() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    let outcome = try folder.run(
      """
      local p = img.open("p.png")
      p:save("fine.png")
      p:resize{ widht = 3, hieght = 4 }:save("a.png")
      img.open("none.jpg"):save("b.png")
      p:blur("much"):rotate("round"):save("c.png")
      p:save("d.gfi")
      img.book("e.pdf", { p }, { papr = 1 })
      p:save("fine.png")
      """)
    outcome.expect(status: 3)
    let heads = outcome.messages.map { line in
      line.split(separator: ":", maxSplits: 3).prefix(3).joined(separator: ":")
    }
    #expect(
      heads == [
        "t.lua:4: resize", "t.lua:4: resize", "t.lua:5: open", "t.lua:6: blur", "t.lua:6: rotate",
        "t.lua:7: save", "t.lua:8: book", "t.lua:9: save",
      ], "\(outcome)")
    #expect(folder.files == ["p.png", "t.lua"])
  }
}
