import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Scripts with mistakes end soon, with status 3 and one line that names the position.
struct BadScriptTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let script: String
    /// A text that one of the lines must contain.
    let says: String
    var options: [String] = []
    var testDescription: String { name }
  }

  private static let short = ["--script-time", "0.3"]

  static let cases: [Case] = [
    Case(
      name: "syntax error", script: "for i = 1 do end",
      says: "t.lua:2: the script is not valid Lua: "),
    Case(
      name: "unfinished text", script: "print(\"", says: "t.lua:2: the script is not valid Lua: "),
    Case(
      name: "bytecode", script: "load(\"\\27Lua\")()", says: "t.lua:2: attempt to call a nil value"),
    Case(
      name: "endless loop", script: "while true do end",
      says: "t.lua:2: the script takes longer than 0.3 s", options: short),
    Case(
      name: "swallowed endless loop",
      script: "while true do pcall(function() while true do end end) end",
      says: "t.lua:2: the script takes longer than 0.3 s", options: short),
    Case(
      name: "loop in a coroutine",
      script: "coroutine.wrap(function() while true do pcall(error) end end)()",
      says: "the script takes longer than 0.3 s", options: short),
    Case(
      name: "pattern bomb",
      script: "string.find((\"a\"):rep(40), (\"a?\"):rep(40) .. (\"a\"):rep(40))",
      says: "0.3 s", options: short),
    Case(
      name: "swallowed pattern bomb",
      script:
        "while true do pcall(string.find, (\"a\"):rep(40), (\"a?\"):rep(40) .. (\"a\"):rep(40)) end",
      says: "0.3 s", options: short),
    Case(
      name: "gigabyte string", script: "local s = (\"x\"):rep(1 << 30)",
      says: "t.lua:2: the script needs more than 768 MiB of memory"),
    Case(
      name: "swallowed gigabyte", script: "while true do pcall(string.rep, \"x\", 1 << 30) end",
      says: "t.lua:2: the script needs more than 768 MiB of memory"),
    Case(
      name: "huge table",
      script: "local t = {} for i = 1, 1e9 do t[i] = { i } end",
      says: "t.lua:2: the script needs more than 16 MiB of memory",
      options: ["--script-memory", "16M"]),
    Case(
      name: "deep recursion", script: "local function f() return 1 + f() end f()",
      says: "t.lua:2: stack overflow"),
    Case(
      name: "deep recursion through the host",
      script: """
        local l = img.list{ img.canvas(2, 2) }
        local function f(p) return l:map(f)[1] end
        f()
        """, says: "t.lua:3: "),
    Case(
      name: "error in a metamethod",
      script:
        "local t = setmetatable({}, { __index = function() error(\"inside\") end }) print(t.x)",
      says: "t.lua:2: inside"),
    Case(
      name: "error that is no text", script: "error({})",
      says: "t.lua:2: the script raised an error that is not text but a table value"),
    Case(
      name: "error that would rewrite the screen", script: "error(\"ab\\27[31m\")",
      says: "t.lua:2: ab\u{FFFD}[31m\n"),
    Case(
      name: "more alternatives than memory", script: "pcall(img.glob, (\"{a,b}\"):rep(22))",
      says: "t.lua:2: the script needs more than 16 MiB of memory", options: ["--script-memory", "16M"]),
    Case(
      name: "more alternatives than time", script: "pcall(img.glob, (\"{a,b}\"):rep(60))",
      says: "t.lua:2: the script takes longer than 0.3 s", options: short + ["--script-memory", "64G"]),
    Case(
      name: "braces in braces", script: "img.glob((\"{\"):rep(20000) .. \",x\" .. (\"}\"):rep(20000))",
      says: "t.lua:2: the script ", options: short + ["--script-memory", "16M"]),
    Case(
      name: "braces without a choice", script: "img.glob((\"{a}\"):rep(20000))",
      says: "t.lua:2: the script ", options: short + ["--script-memory", "16M"]),
    Case(
      name: "a long text many times",
      script: "local t, s = {}, (\"x\"):rep(1e6) for i = 1, 1e4 do t[i] = s end img.text(t)",
      says: "t.lua:2: the script needs more than 64 MiB of memory", options: ["--script-memory", "64M"]),
    Case(
      name: "long paths without end", script: "for i = 1, 1e5 do pcall(img.open, (\"x\"):rep(1e5) .. i) end",
      says: "t.lua:2: the script needs more than 16 MiB of memory",
      options: ["--script-memory", "16M", "--script-time", "600"]),
    Case(
      name: "pictures without end", script: "for i = 1, 1e9 do img.canvas(1, 1) end",
      says: "t.lua:2: the script needs more than 8 MiB of memory",
      options: ["--script-memory", "8M", "--script-time", "600"]),
    Case(
      name: "outputs without end", script: "local p = img.canvas(1, 1) for i = 1, 1e9 do p:save(i .. \".png\") end",
      says: "t.lua:2: the script needs more than 2 MiB of memory",
      options: ["--script-memory", "2M", "--script-time", "600"]),
    Case(
      name: "operations without end", script: "local p = img.canvas(1, 1) for i = 1, 1e9 do p:resize(i % 9999 + 1) end",
      says: "t.lua:2: the script needs more than 2 MiB of memory",
      options: ["--script-memory", "2M", "--script-time", "600"]),
    Case(
      name: "an error of 30 MB", script: "error((\"x\"):rep(3e7))", says: "x… and 29984640 bytes more\n",
      options: ["--script-memory", "64M"]),
    Case(
      name: "10,001 operations in a row",
      script: "local p = img.canvas(2, 2) for i = 1, 20000 do p = p:flip() end p:save(\"x.png\")",
      says: "t.lua:2: flip: the picture is made by more than 10000 operations in a row"),
  ]

  @Test(arguments: sampled(cases))
  func ends(_ bad: Case) throws {
    let folder = try Folder()
    try folder.write("t.lua", "local img = require \"imghost\"\n" + bad.script)
    let outcome = try folder.imghost(["run"] + bad.options + ["t.lua"], seconds: 10)
    outcome.expect(status: 3)
    #expect(outcome.errorLines.count == 1, "\(outcome)")
    #expect(outcome.error.contains(bad.says), "\(outcome)")
    #expect(folder.files == ["t.lua"])
  }

  /// Nobody reads thousands of mistakes: the first are told, and the others counted.
  /// The same mistake again and again is one line, and ends the script as well.
  @Test(.thorough) func theSameMistakeEndsALoop() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "local p = img.canvas(5, 5) while true do pcall(p.blr, p, 1) p:blr(1) end", "--script-time", "600")
    outcome.expect(status: 3, error: "was stopped after 10001 mistakes")
    #expect(outcome.errorLines.count == 2, "\(outcome)")
  }

  /// A loop that does nothing but look for files ends by the script's time, in `check` as well, and the first mistakes are
  /// told; a note on what it finds is told once.
  @Test(
    .thorough,
    arguments: [
      ["run", "--script-time", "1"], ["check", "--script-time", "1"], ["check", "--timeout", "2"],
    ])
  func loopsOverFoldersEnd(_ command: [String]) throws {
    let folder = try Folder()
    try folder.write("a.gif", "not read")
    try folder.write("a.png", try Pixels.waves(6, 4).png())
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      img.glob("*.png"):smallest_common_siz()
      while true do for i = 1, 200 do img.glob("{" .. ("*,"):rep(i) .. "*}") end end
      """)
    let outcome = try folder.imghost(command + ["t.lua"], seconds: 120)
    #expect(
      outcome.error.contains("t.lua:2: ") || outcome.error.contains("--timeout"), "\(outcome)")
    #expect(
      outcome.error.contains("longer than 1 s") || outcome.error.contains("--timeout"),
      "\(outcome)")
    #expect(outcome.status == (command.contains("--timeout") ? 1 : 3), "\(outcome)")
  }

  /// A picture where a list is wanted.
  @Test func ipairsOverAPictureEnds() throws {
    let folder = try Folder()
    let outcome = try folder.run("for _, p in ipairs(img.canvas(5, 5)) do p:save(\"a.png\") end")
    outcome.expect(status: 3)
    #expect(
      outcome.errorLines == ["t.lua:2: a picture is not a list and has no [1]"], "\(outcome)")
  }

  @Test(
    arguments: sampled([
      ("local t = {} for i = 1, 200000 do t[\"o\" .. i] = 1 end img.canvas(5, 5):blur(t)", 199_951),
      ("for i = 1, math.huge do img.canvas(5, 5):blur{ 3, [\"o\" .. i] = 1 } end", 0),
      (
        "local t = {} for i = 1, 20000 do t[\"o\" .. i] = 1 end img.book(\"x.pdf\", img.canvas(9, 9), t)", 19_950
      ),
      ("for i = 1, 99 do img.canvas(5, 5):save(\"{q\" .. i .. \"}.png\") end", 49),
      ("for i = 1, 99 do img.open(i .. \".jpg\"):save(i .. \".png\") end", 49),
    ]))
  func floods(_ script: String, _ further: Int) throws {
    let folder = try Folder()
    try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
    let outcome = try folder.imghost(["run", "--script-time", "20", "t.lua"], seconds: 120)
    #expect(outcome.status == (script.contains("open") ? 1 : 3), "\(outcome)")
    let told = outcome.errorLines.filter { $0.hasPrefix("t.lua:2: ") }
    #expect(told.count == 50 && Set(told).count == 50, "\(outcome)")
    let rest = outcome.errorLines.filter { !$0.hasPrefix("t.lua:2: ") }
    // A loop without an end is stopped.
    let notes =
      further == 0
      ? [
        "at least 1000 more mistakes are not shown",
        "the script was stopped after 1050 mistakes, many of them the same",
      ] : ["\(further) more mistakes are not shown"]
    let summary = script.contains("open") ? ["imghost: 99 pictures cannot be read: the file does not exist"] : []
    #expect(rest == notes.map { "imghost: note: " + $0 } + summary, "\(rest)")
  }

  /// Outputs requested before the script fails are not begun, or are given up without a trace.
  @Test func nothingHalfWritten() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.canvas(4000, 3000):blur(9)
      local job = p:save("out/big.png")
      img.canvas(2, 2):save("out/small.png"):await()
      error("no more")
      """)
    outcome.expect(status: 3)
    #expect(outcome.messages == ["t.lua:5: no more"], "\(outcome)")
    #expect(folder.temporaries == [])
    #expect(folder.exists("out/small.png") && !folder.exists("out/big.png"))
  }

  /// A mistake that has been told ends the script; nothing in it can go on.
  @Test func mistakesCannotBeCaught() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local job = img.open("none.jpg"):save("x.png")
      print(pcall(function() return job:await() end))
      print("not reached")
      """)
    #expect(outcome.status == 1 && outcome.output == "", "\(outcome)")
    #expect(outcome.messages == ["t.lua:2: open: none.jpg: the file does not exist"])
  }

  @Test func errorInACallback() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.canvas(9, 9):save("a.png"):on_done(function()
        error("in the callback")
      end)
      """)
    outcome.expect(status: 3)
    #expect(outcome.messages == ["t.lua:3: in the callback"], "\(outcome)")
  }

  @Test func scriptsThatCannotBeRead() throws {
    let folder = try Folder()
    try folder.makeFolder("d")
    try folder.write("empty.lua", "")
    let rows: [(String, Int32, String)] = [
      ("none.lua", 2, "imghost run: none.lua: the file does not exist\n"),
      ("d", 2, "imghost run: d: it is a folder, not a file\n"),
      (
        "empty.lua", 0, "imghost: the script writes no output; see 'imghost ops save' and 'imghost ops book'\n"
      ),
    ]
    for (name, status, text) in rows {
      let outcome = try folder.imghost("run", name)
      #expect(outcome.status == status && outcome.error == text, "\(name): \(outcome)")
    }
  }
}
