import Foundation
import TestSupport
import Testing

/// `img.verify`: a script that is a test of a book.
struct VerifyScriptTests {
  private static let book = """
    local page = img.canvas(300, 200, { background = "orange" }):extend{ left = 10, background = "navy" }
    img.book("book.pdf", { page, page:flop() }, { paper = "a4", caption = "Paris {index}" })

    """

  @Test func aBookOfThisRunIsProven() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.book + """
        local other = page:save("other.png")
        local told = false
        other:on_done(function() told = true end)
        local report = img.verify("book.pdf", { pages = 2, size = "a4", text = { "Paris 1", "Paris 2" } })
        assert(report.ok, report.text)
        -- On a busy machine the picture may come after the first proof.
        for i = 1, 100 do if not told then img.verify("book.pdf") end end
        assert(told, "callbacks wait for the verifier")
        print(report.pages, #report.faults, report.sheets[2].pictures, report.fonts[1].name)
        """, "--out", "there")
    outcome.expect(status: 0)
    // The machine decides which font it is.
    #expect(outcome.outputLines.first?.hasPrefix("2\t0\t1\t") == true, "\(outcome)")
  }

  /// A message from `assert` keeps its line breaks, but no other control characters.
  @Test func reportsKeepTheirLines() throws {
    let folder = try Folder()
    let outcome = try folder.run("assert(false, 'one\\ntwo\\27three')")
    #expect(outcome.error.contains(": one\ntwo\u{FFFD}three\n"), "\(outcome)")
  }

  /// A page that its quality ruins is named.
  @Test func whatLostTooMuchIsNamed() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local plain = img.canvas(64, 64, { background = "orange" })
      local stripes = img.canvas(1, 64, { background = "red" })
      for i = 1, 31 do
        stripes = stripes:extend{ left = 1, background = i % 2 == 0 and "red" or "cyan" }
      end
      img.book("b.pdf", { plain, stripes }, { quality = 1, verify = true })
      """)
    #expect(outcome.status != 0, "\(outcome)")
    #expect(outcome.error.contains("picture 1 of page 2 lost too much in encoding"), "\(outcome)")
  }

  /// A script that only verifies is a test: nothing is missing.
  @Test func aScriptMayOnlyVerify() throws {
    let folder = try Folder()
    let made = try folder.run("img.book(\"b.pdf\", img.canvas(60, 40))")
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      local report = img.verify("b.pdf", { pages = 1, sealed = true })
      assert(report.ok and report.sealed and report.verified)
      """)
    #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
  }

  /// A dry run writes no book that could be verified, and the report says so.
  @Test(arguments: [["check"], ["run", "--dry-run"]])
  func dryRunsDoNotInventAReport(command: [String]) throws {
    let folder = try Folder()
    let made = try folder.run("img.book(\"old.pdf\", img.canvas(60, 40))")
    made.expect(status: 0)
    try folder.write(
      "t.lua",
      "local img = require \"imghost\"\n" + Self.book + """
        local function show(r) print(r.ok, r.verified, r.pages, #r.sheets, #r.faults, #r.remarks) end
        show(img.verify("book.pdf"))
        show(img.verify("./there/../book.pdf", { pages = 4, text = "London" }))
        show(img.verify("old.pdf", { pages = 1 }))
        assert(img.verify("book.pdf", { pages = 4 }).ok)
        assert(not img.verify("old.pdf", { pages = 2 }).ok)
        print(img.verify("missing.pdf").text)
        """)
    let outcome = try folder.imghost(command + ["t.lua"])
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines.prefix(4) == [
        "true\tfalse\t0\t0\t0\t1", "true\tfalse\t4\t0\t0\t1", "true\ttrue\t1\t1\t0\t0",
        "the file cannot be read: the file does not exist",
      ], "\(outcome)")
    guard command[0] == "run" else { return }
    #expect(outcome.outputLines.contains("verify book.pdf: not done in a dry run"), "\(outcome)")
    #expect(
      outcome.outputLines.contains("verify old.pdf: done, as nothing here writes it"),
      "\(outcome)")
  }

  /// A PDF that says nothing of its pages may be right, and is not verified.
  @Test func otherFilesAreNotVerified() throws {
    let folder = try Folder()
    let made = try folder.run("img.book(\"b.pdf\", img.canvas(60, 40))")
    made.expect(status: 0)
    let pages = ["--empty", "--pages", folder("b.pdf"), "--", folder("other.pdf")]
    guard try SecondOpinions.run("qpdf", pages) != nil else { return }
    let outcome = try folder.run(
      """
      local report = img.verify("other.pdf")
      print(report.ok, report.sealed, report.verified, report.remarks[1].text)
      print(img.verify("other.pdf", { sealed = true }).text)
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines.prefix(2) == [
        "true\tfalse\tfalse\tno expectations found; checked structure, fonts and rendering only",
        "no expectations found: nothing in the file says what its pages should show, which 'sealed' requires",
      ])
    let options = ["verify", "--sealed", "--memory", "512M", "other.pdf"]
    #expect(try folder.imghost(options).status == 4)
  }

  /// The memory of the run is that of its verifier, too.
  @Test(.thorough) func pagesThatNeedMoreMemoryAreTold() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      img.book("b.pdf", img.canvas(6000, 4000), { verify = true })
      """)
    let outcome = try folder.imghost(["run", "--memory", "64M", "t.lua"])
    outcome.expect(status: 4)
    #expect(
      outcome.error.contains("rendering it takes about 1")
        && outcome.error.contains(" MB, and 68 MB may be used"), "\(outcome)")
    #expect(try folder.imghost(["run", "--memory", "512M", "t.lua"]).status == 0)
  }

  @Test func whatQpdfChangesIsSeen() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 40, { background = "teal" })
      img.book("b.pdf", { p, p }, { paper = "a5" })
      """)
    outcome.expect(status: 0)
    let turned = folder("turned.pdf")
    guard try SecondOpinions.run("qpdf", ["--rotate=90:2", folder("b.pdf"), turned]) != nil else { return }
    let verified = try Command(
      program: Built.program("imghost"), arguments: ["verify", "turned.pdf"], folder: folder.path
    ).run()
    verified.expect(status: 4)
    #expect(
      (verified.output + verified.error).contains(
        "page 2: error: the page is not as it was written: it is rotated"),
      "\(verified)")
  }

  /// A book stores the pixels of an untouched PNG, not the whole file.
  @Test func untouchedPNGsComeFromTheirFolder() throws {
    let folder = try Folder()
    try folder.makeFolder("p")
    try folder.copy(Built.photos + "/coffee.png", to: "p/coffee.png")
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.glob("p/*.png"), { verify = true }):await()
      local report = img.verify("b.pdf", { against = "p" })
      assert(report.ok, report.text)
      """)
    outcome.expect(status: 0)
  }

  /// A printer's page is larger than the finished one, which is what a size means.
  @Test func aSizeIsThatOfTheFinishedPage() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(60, 40, { background = "teal" })
      img.book("b.pdf", p, { paper = "a5", bleed = "3mm", crop_marks = true }):await()
      local report = img.verify("b.pdf", { size = "a5" })
      assert(report.ok, report.text)
      assert(not img.verify("b.pdf", { size = "a4" }).ok)
      """)
    outcome.expect(status: 0)
  }

  /// Processed pages know what they were made of; others are their sources' own bytes.
  @Test func pagesAreHeldAgainstTheirSources() throws {
    let folder = try Folder()
    try folder.makeFolder("photos")
    for name in Built.samples.filter({ $0.hasSuffix(".jpg") }).prefix(3) {
      try folder.copy(Built.photos + "/" + name, to: "photos/" + name)
    }
    try folder.makeFolder("empty")
    let outcome = try folder.run(
      """
      local photos = img.glob("photos/*.jpg")
      img.book("copies.pdf", photos)
      img.book("made.pdf", photos:map(function(p) return p:fit(200, 200) end), { verify = true })
      for _, name in ipairs{ "copies.pdf", "made.pdf" } do
        local report = img.verify(name, { against = "photos" })
        assert(report.ok, report.text)
        assert(not img.verify(name, { against = "empty" }).ok)
      end
      """)
    outcome.expect(status: 0)
  }

  /// A page made of several pictures is compared with all of their files. A picture that is in none is reported.
  @Test func pagesOfSeveralSourcesAreHeldAgainstAllOfThem() throws {
    let folder = try Folder()
    try folder.makeFolder("photos")
    for name in ["rocket.jpg", "coffee.png", "retina.jpg"] {
      try folder.copy(Built.photos + "/" + name, to: "photos/" + name)
    }
    let outcome = try folder.run(
      """
      local one, two = img.open("photos/rocket.jpg"):fit(90, 90), img.open("photos/coffee.png"):fit(40, 40)
      local three = img.open("photos/retina.jpg"):fit(20, 20)
      img.book("b.pdf", {
        one:composite{ over = two, left = 1, top = 1 }:composite{ over = three },
        img.canvas(90, 60, { background = "teal" }):composite{ over = two, left = 2, top = 2 },
        img.canvas(90, 60, { background = "teal" }),
        two,
      }):await()
      local function told(report)
        for _, list in ipairs{ report.faults, report.remarks } do
          for _, one in ipairs(list) do print(one.page, one.severity, one.text) end
        end
      end
      local report = img.verify("b.pdf", { against = "photos" })
      assert(report.ok, report.text)
      told(report)
      """)
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines.prefix(2) == [
        "2\tnote\tpicture 1 is partly drawn by the script; its files are there, but cannot prove that part",
        "3\twarning\tpicture 1 was drawn by the script, not made from a file, so no folder can prove it",
      ], "\(outcome)")
    try FileManager.default.removeItem(atPath: folder("photos/retina.jpg"))
    try FileManager.default.removeItem(atPath: folder("photos/coffee.png"))
    let verified = try Command(
      program: Built.program("imghost"), arguments: ["verify", "--against", "photos", "b.pdf"], folder: folder.path
    ).run()
    verified.expect(status: 4)
    let text = verified.output + verified.error
    for line in [
      "page 1: error: picture 1 was made from 3 files, 2 of which are not in photos",
      "page 2: error: picture 1 is not made from a file in photos",
      "page 3: warning: picture 1 was drawn by the script",
      "page 4: error: picture 1 is not made from a file in photos",
    ] {
      #expect(text.contains(line), "\(text)")
    }
  }

  @Test func faultsAreInTheReport() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      Self.book + """
        local report = img.verify("book.pdf", { pages = 3, text = "London" })
        assert(not report.ok)
        print(report.text)
        print(img.verify("missing.pdf").faults[1].text)
        """)
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines.prefix(3) == [
        "the document has 2 pages instead of 3", "the text 'London' is nowhere in the document",
        "the file cannot be read: the file does not exist",
      ])
  }

  /// In the words of scripts, not in those of the command line.
  @Test func foldersThatAreNotThereAreTold() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.book("b.pdf", img.canvas(9, 9)):await()
      print(img.verify("b.pdf", { against = "photos" }).text)
      """)
    #expect(outcome.output == "'against': photos: there is no such folder\n", "\(outcome)")
  }

  static let mistakes: [(String, String)] = [
    ("{ pags = 4 }", "t.lua:2: verify: unknown option 'pags' (did you mean 'pages'?); valid: "),
    ("{ size = \"a44\" }", "t.lua:2: verify: 'size' cannot be 'a44'; it takes a name such as"),
    ("{ pages = 0 }", "t.lua:2: verify: 'pages' is 0; it takes a whole number from 1 to 1000000"),
    ("{ text = \"\" }", "t.lua:2: verify: 'text' is empty; which text must be there?"),
    ("{ text = { \"a\", \" \" } }", "t.lua:2: verify: 'text' is empty; which text must be there?"),
    ("{ text = { 1 } }", "t.lua:2: verify: 'text' must be a text or a list of texts"),
    ("{ text = 5 }", "t.lua:2: verify: 'text' must be a text or a list of texts"),
    ("{ text = \"a\\0b\" }", "t.lua:2: verify: 'text' has a NUL, which no text of a PDF has"),
  ]

  @Test(arguments: VerifyScriptTests.mistakes)
  func mistakesAreTold(options: String, message: String) throws {
    let folder = try Folder()
    let outcome = try folder.run("img.verify(\"book.pdf\", \(options))")
    outcome.expect(status: 3)
    #expect("\(outcome)".contains(message), "\(outcome)")
  }
}
