import Foundation
import PictureTestSupport
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `imghost test` and `imghost new`.
struct TestCommandTests {
  private static let head = "local t = require \"imghost.test\"\n"

  /// A script with two pictures and a book, whose line 3 refuses a wrong width.
  private func project() throws -> Folder {
    let folder = try Folder()
    try folder.write(
      "cards.lua",
      """
      local img = require "imghost"
      local width = img.settings.width or 40
      local card = img.canvas(400, 200, { background = "#c04020" }):fill(width, 30)
      card:save("a.png")
      card:save("b.jpg", { quality = 90 })
      img.book("c.pdf", { card, card }, { paper = "a6", caption = "Card {index}" })
      print("width " .. width, #arg)

      """)
    return folder
  }

  private func test(_ folder: Folder, _ text: String, _ options: String..., name: String = "a_test.lua") throws
    -> Outcome
  {
    try folder.write(name, Self.head + text)
    return try folder.imghost(["test"] + options, seconds: 60)
  }

  /// Lines without times.
  private func lines(_ outcome: Outcome) -> [String] {
    outcome.outputLines.map { line in
      line.replacing(#/\ \([0-9.]+\ s\)$/#, with: "").replacing(#/\ in\ [0-9.]+\ s$/#, with: "")
    }
  }

  @Test func aNewProjectPassesItsTest() throws {
    let folder = try Folder()
    let made = try folder.imghost("new", "album")
    made.expect(status: 0)
    let outcome = try Command(arguments: ["test"], folder: folder("album"), seconds: 60).run()
    outcome.expect(status: 0)
    #expect(
      lines(outcome) == [
        "ok       pictures_test.lua: each photograph becomes a web picture and a page", "1 passed",
      ], "\(outcome)")
    // The test leaves nothing behind.
    #expect(folder.files.count == 5, "\(folder.files)")
  }

  @Test func everyCheckPassesWhereItShould() throws {
    let folder = try project()
    let outcome = try test(
      folder,
      """
      t.test("all", function()
        local run = t.run("cards.lua", { args = { "x", 2 }, settings = { width = 50 }, options = { "--jobs", 1 } })
        t.ok(run)
        t.status(run, 0)
        t.outputs(run, { "b.jpg", "a.png", "c.pdf" })
        t.size(run, "a.png", 50, 30)
        t.pixel(run, "a.png", 0, 29, "#c04020")
        t.pixel(run, "b.jpg", 49, 0, "#c04020", { tolerance = 4 })
        t.pages(run, "c.pdf", 2)
        t.text(run, "c.pdf", "Card 2", { page = 2 })
        t.text(run, "c.pdf", "Card  1")
        t.verified(run, "c.pdf")
        t.printed(run, "width 50\\t2")
        t.equal({ 1, { a = "b" } }, { 1, { a = "b" } })
        t.near(1.04, 1, 0.05)
        t.equal(run.outputs[1].bytes > 0 and run:path("a.png"), run.outputs[1].file)
      end)
      t.test("mistakes", function()
        local run = t.run("cards.lua", { settings = { width = -1 } })
        t.status(run, 3)
        t.mistake(run, 3, "'width' is -1")
        t.message(run, "cards.lua:3: fill")
        t.outputs(run, {})
      end)
      t.test("later", function() t.skip("no scanner") end)
      """)
    outcome.expect(status: 0)
    #expect(
      lines(outcome) == [
        "ok       a_test.lua: all", "ok       a_test.lua: mistakes", "skipped  a_test.lua: later: no scanner",
        "2 passed, 1 skipped",
      ])
  }

  /// A check that fails, and the message.
  static let failures: [(check: String, message: String)] = [
    ("t.status(run, 3)", "the run ended with status 0, expected 3; it printed no message"),
    ("t.size(run, \"a.png\", 41, 30)", "a.png has 40x30 pixels, expected 41x30"),
    ("t.size(run, \"c.pdf\", 41, 30)", "c.pdf has no size in pixels; t.pages checks documents"),
    (
      "t.size(run, \"x.png\", 41, 30)",
      "x.png was not written; the run ended with status 0 and wrote a.png, b.jpg, c.pdf; it printed no message"
    ),
    (
      "t.pixel(run, \"a.png\", 0, 0, \"#c04026\", { tolerance = 5 })",
      "pixel (0, 0) of a.png is #c04020, expected #c04026; it is off by 6, and the tolerance is 5"
    ),
    (
      "t.pixel(run, \"a.png\", 40, 0, \"#c04026\")",
      "(40, 0) lies outside of a.png, which has 40x30 pixels"
    ),
    ("t.pixel(run, \"a.png\", 0, 0, \"red\", { tol = 1 })", "t.pixel: unknown option 'tol'; valid: page, tolerance"),
    (
      "t.outputs(run, { \"a.png\", \"d.png\" })",
      "the outputs are others; missing: d.png; not expected: b.jpg, c.pdf; status 0"
    ),
    ("t.pages(run, \"c.pdf\", 3)", "c.pdf has 2 pages, expected 3"),
    ("t.text(run, \"c.pdf\", \"Card 2\", { page = 1 })", "page 1 of c.pdf lacks \"Card 2\"; it is: Card 1"),
    ("t.mistake(run, 3)", "no mistake at line 3; it printed no message"),
    ("t.message(run, \"x\")", "no message contains \"x\"; it printed no message"),
    ("t.printed(run, \"x\")", "the script did not print \"x\"; it printed:\n  width 40\t0"),
    ("t.equal({ 1, a = 2 }, { 1 }, \"the list\")", "the list is { 1, a = 2 }, expected { 1 }"),
    ("t.near(1, 2, 0.5)", "the value is 1, expected 2 within 0.5"),
    (
      "t.run(\"cards.lua\", { arg = {} })",
      "t.run: unknown option 'arg' (did you mean 'args'?); valid: args, settings, out, on_error, options"
    ),
    ("assert(false, \"own words\")", "own words"),
    (
      "t.golden(run, \"a.png\")",
      "there is no golden picture golden/a_test/all/a.png.png; run 'imghost test --update', and look at what it writes"
    ),
  ]

  @Test func failuresNameTheirLine() throws {
    let folder = try project()
    // All in one run: starting takes longer than testing.
    let tests = Self.failures.enumerated().map { index, failure in
      "t.test(\"\(index)\", function() local run = t.run(\"cards.lua\")\n\(failure.check) end)"
    }
    let outcome = try test(folder, tests.joined(separator: "\n"))
    outcome.expect(status: 1)
    var expected: [String] = []
    for (index, failure) in Self.failures.enumerated() {
      expected.append("FAILED   a_test.lua: \(index)")
      let text = failure.message.replacing("a_test/all", with: "a_test/\(index)").replacing("\t", with: "\u{fffd}")
      let lines = "a_test.lua:\(index * 2 + 3): \(text)".split(separator: "\n")
      expected += lines.map { "         " + $0 }
    }
    #expect(lines(outcome).dropLast() == expected[...], "\(outcome)")
    #expect(lines(outcome).last == "0 passed, \(Self.failures.count) failed")
  }

  @Test func goldenPictures() throws {
    let folder = try project()
    let text = "t.test(\"looks as it did\", function() t.golden(t.run(\"cards.lua\"), \"a.png\") end)"
    let golden = "golden/a_test/looks-as-it-did/a.png.png"
    let failure = "test-failures/a_test/looks-as-it-did/a.png.png"
    let updated = try test(folder, text, "--update")
    #expect(updated.status == 0 && lines(updated).contains("         updated \(golden)"), "\(updated)")
    #expect(try Pixels(file: folder(golden)).width == 40)
    #expect(try test(folder, text).status == 0)
    // One pixel is another.
    let script = String(decoding: folder.bytes("cards.lua"), as: UTF8.self)
    try folder.write(
      "cards.lua",
      script.replacing(
        ":fill(width, 30)",
        with: ":fill(width, 30):composite{ over = img.canvas(1, 1, { background = \"#c04023\" }), left = 5, top = 6 }"))
    let failed = try test(folder, text)
    failed.expect(status: 1)
    #expect(
      lines(failed).contains(
        "         a_test.lua:2: a.png differs from \(golden) in 1 of 1200 pixels, by up to 3; the tolerance is 0; see "
          + "\(failure), which shows golden picture, output and difference"), "\(failed)")
    // Three pictures side by side.
    let shown = try Pixels(file: folder(failure))
    #expect(shown.width == 3 * 40 + 4 * 12 && shown.height == 30 + 2 * 12)
    for options in ["{ tolerance = 3 }", "{ share = 0.001 }"] {
      let tolerant = try test(folder, text.replacing("\"a.png\")", with: "\"a.png\", \(options))"))
      tolerant.expect(status: 0)
      #expect(!folder.exists(failure))
      try folder.write(failure, "old")
    }
    // Another size.
    let larger = try test(
      folder, text.replacing("\"cards.lua\")", with: "\"cards.lua\", { settings = { width = 44 } })"))
    #expect(
      lines(larger).contains(
        "         a_test.lua:2: a.png has 44x30 pixels, and \(golden) has 40x30; see \(failure)"), "\(larger)")
  }

  @Test(.wholeRuns) func testsAreApart() throws {
    let folder = try project()
    try folder.write("endless.lua", "while true do end")
    let outcome = try test(
      folder,
      """
      seen = 0
      t.test("one", function() seen = seen + 1 assert(seen == 1) error("stop") end)
      t.test("two", function() seen = seen + 1 assert(seen == 1) end)
      t.test("hangs", function() while true do end end)
      t.test("a script hangs", function() t.run("endless.lua") end)
      t.test("last", function() print("not shown") end)
      """, "--timeout", "3", "--jobs", "5")
    outcome.expect(status: 1)
    let late = "         a_test.lua: the test took longer than 3 s and was stopped; raise the limit with --timeout"
    #expect(
      lines(outcome) == [
        "FAILED   a_test.lua: one", "         a_test.lua:3: stop", "ok       a_test.lua: two",
        "FAILED   a_test.lua: hangs", late, "FAILED   a_test.lua: a script hangs", late, "ok       a_test.lua: last",
        "2 passed, 3 failed",
      ], "\(outcome)")
  }

  @Test func filesAndFolders() throws {
    let folder = try project()
    let none = try folder.imghost(["test"])
    none.expect(status: 2)
    #expect(none.error.hasPrefix("imghost test: no tests here: their files are called NAME_test.lua or tests/"))
    // Its working directory is the project, wherever it lies.
    let text = Self.head + "t.test(\"in %s\", function() t.ok(t.run(\"cards.lua\")) end)"
    try folder.write("tests/b_test.lua", text.replacing("%s", with: "tests"))
    try folder.write("whole_test.lua", Self.head + "t.ok(t.run(\"cards.lua\"))")
    try folder.write("tests/helper.lua", "error(\"no test\")")
    let found = try folder.imghost(["test"], seconds: 60)
    #expect(lines(found) == ["ok       whole_test.lua", "ok       tests/b_test.lua: in tests", "2 passed"], "\(found)")
    let elsewhere = try Command(arguments: ["test", folder.path], folder: "/", seconds: 60).run()
    #expect(lines(elsewhere).last == "2 passed", "\(elsewhere)")
    let filtered = try folder.imghost(["test", "--filter", "in tests"], seconds: 60)
    #expect(lines(filtered).last == "1 passed", "\(filtered)")
    let wrong = try folder.imghost(["test", "--filter", "x y"])
    #expect(wrong.status == 2 && wrong.error == "imghost test: --filter: none of 2 tests has 'x y' in its title\n")
    let missing = try folder.imghost(["test", "missing_test.lua"])
    #expect(missing.status == 2 && missing.messages == ["imghost test: missing_test.lua: the file does not exist"])
    #expect(folder.files.allSatisfy { !$0.hasSuffix(".png") && !$0.hasSuffix(".pdf") })
  }

  /// A file that gives no tests, and the message.
  static let wrongFiles: [(text: String, message: String)] = [
    ("local x", "the file has no test; write t.test(\"name\", function() … end)"),
    ("t.test(\"a\")", ":2: t.test takes a name and a function: t.test(\"keeps the size\", function() … end)"),
    (
      "t.test(\"a\", function() end) t.test(\"a\", function() end)",
      ":2: two tests are called 'a'; give each a name of its own"
    ),
    (
      "t.test(\"a\", function() end) t.run(\"cards.lua\")",
      ":2: t.run stands outside of a test; put it into t.test(\"name\", function() … end)"
    ),
    ("t.tset(\"a\")", ":2: imghost.test has no 'tset' (did you mean 'test'?)"),
    ("local x = = 3", ":2: the script is not valid Lua: "),
  ]

  @Test(arguments: wrongFiles)
  func filesWithoutTests(_ text: String, _ message: String) throws {
    let outcome = try test(project(), text)
    outcome.expect(status: 1)
    #expect(
      lines(outcome)[1].hasPrefix("         a_test.lua" + (message.hasPrefix(":") ? "" : ": ") + message), "\(outcome)")
  }

  @Test func aTestIsNoScript() throws {
    let folder = try Folder()
    let outcome = try folder.run("local t = require \"imghost.test\"")
    outcome.expect(status: 3)
    #expect(
      outcome.error == "t.lua:2: require: 'imghost.test' is for tests; run this file with 'imghost test'\n",
      "\(outcome)")
  }

  private let hostile = """
    t.test("a <b> & \\"c\\" # d \\\\ \\27[31m", function() print("<x>\\0\\27") error("]]> & <\\1>\\nsecond") end)
    t.test("ok", function() end)
    t.test("skip", function() t.skip("# <why>") end)
    """

  @Test func tap() throws {
    let outcome = try test(project(), hostile, "--format", "tap")
    outcome.expect(status: 1)
    let lines = outcome.outputLines.filter { !$0.contains("duration_ms") }
    #expect(
      lines == [
        "TAP version 14", "1..3", "not ok 1 - a_test.lua: a <b> & \"c\" \\# d \\\\ \u{fffd}[31m", "  ---",
        "  message: \"a_test.lua:2: ]]> & <\u{fffd}>\\nsecond\"", "  file: \"a_test.lua\"", "  line: 2",
        "  printed: \"<x>\\u0000\\u001b\"", "  ...", "ok 2 - a_test.lua: ok", "  ---", "  ...",
        "ok 3 - a_test.lua: skip # SKIP \\# <why>", "  ---", "  ...",
      ], "\(outcome)")
  }

  @Test func junit() throws {
    let outcome = try test(project(), hostile, "--format", "junit")
    outcome.expect(status: 1)
    let parser = XMLParser(data: Data(outcome.output.utf8))
    let names = Elements()
    parser.delegate = names
    #expect(parser.parse(), "\(String(describing: parser.parserError)) \(outcome)")
    #expect(
      names.found == [
        "testsuites", "testsuite", "testcase", "failure", "system-out", "testcase", "testcase", "skipped",
      ])
    #expect(names.attributes["testsuites"]?["failures"] == "1" && names.attributes["testsuites"]?["skipped"] == "1")
    #expect(names.attributes["failure"]?["message"] == "a_test.lua:2: ]]> & <\u{fffd}>")
  }

  private final class Elements: NSObject, XMLParserDelegate {
    var found: [String] = []
    var attributes: [String: [String: String]] = [:]

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes values: [String: String]
    ) {
      found.append(name)
      attributes[name] = values
    }
  }

  /// Ctrl-C ends the test, the script that it runs, and leaves no folder.
  @Test func interruption() throws {
    let folder = try project()
    try folder.write(
      "endless.lua", "require(\"imghost\").canvas(2, 2):save(arg[1] .. \"/started.png\"):await() while true do end")
    try folder.write(
      "a_test.lua",
      Self.head
        + "t.test(\"a\", function() t.run(\"endless.lua\", { args = { \"\(folder.path)\" } }) end)")
    try folder.makeFolder("tmp")
    let running = try Command(
      arguments: ["test"], folder: folder.path, environment: ["TMPDIR": folder("tmp")], seconds: 30
    ).start()
    #expect(running.wait { folder.exists("started.png") })
    running.send(SIGINT)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 130)
    #expect(names(in: folder("tmp")) == [])
  }

  private func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
