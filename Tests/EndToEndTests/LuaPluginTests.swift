import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Plugins in Lua: finding, declaring and calling them, and messages about mistakes.
struct LuaPluginTests {
  /// A folder with `plugins/odd.lua`, whose option `n` chooses what it does wrong.
  private func folder(_ plugin: String = odd) throws -> Folder {
    let folder = try Folder()
    try folder.makeFolder("plugins")
    try folder.write("plugins/odd.lua", plugin)
    return folder
  }

  private static let odd = """
    local img = require "imghost"
    leak = 1
    return img.plugin{ name = "odd", summary = "Does one thing", any_rgb = true,
      parameters = { n = { type = "int", minimum = 0, maximum = 9, default = 0, help = "which" },
                     ink = { type = "colour", default = "#102030" },
                     over = { type = "picture", required = false } },
      apply = function(picture, options)
        if options.n == 0 then return picture:flip() end
        if options.n == 1 then return 5 end
        if options.n == 2 then picture:save("x.png") end
        if options.n == 3 then return picture:blur{ sigma = -1 } end
        if options.n == 4 then local b = picture:blur{ sigma = -1 } return b end
        if options.n == 5 then return picture:crop(0, 0, 900, 900) end
        if options.n == 6 then return picture:plugin("odd", { n = 6 }) end
        if options.n == 7 then return picture.nothing.more end
        if options.n == 8 then return img.canvas(2, 2, { background = options.ink }) end
        return picture:composite{ over = options.over }
      end }
    """

  @Test(
    arguments: sampled([
      ("{ n = 1 }", "t.lua:3: odd: the plugin in plugins/odd.lua returned a number, not a picture"),
      (
        "{ n = 2 }",
        "t.lua:3: plugin 'odd' failed: plugins/odd.lua:10: save: a plugin returns a picture and writes " + "no files"
      ),
      (
        "{ n = 3 }",
        "plugins/odd.lua:11: blur: 'sigma' is -1; it takes a number from 0.3 to 1000 (in plugin 'odd', "
          + "called at t.lua:3)"
      ),
      (
        "{ n = 4 }",
        "plugins/odd.lua:12: blur: 'sigma' is -1; it takes a number from 0.3 to 1000 (in plugin 'odd', "
          + "called at t.lua:3)"
      ),
      ("{ n = 10 }", "t.lua:3: odd: 'n' is 10; it takes a whole number from 0 to 9"),
      ("{ m = 1 }", "t.lua:3: odd: unknown option 'm' (did you mean 'n'?); valid: ink, n, over"),
      ("{ n = 0/0 }", "t.lua:3: odd: 'n' takes a whole number from 0 to 9, not nan"),
    ]))
  func mistakes(_ options: String, _ expected: String) throws {
    let outcome = try folder().run("local p = img.canvas(60, 40)\np:plugin(\"odd\", \(options)):save(\"a.png\")")
    outcome.expect(status: 3)
    #expect(outcome.messages == [expected], "\(outcome)")
  }

  @Test func mistakesFoundLaterNameBothPlaces() throws {
    let outcome = try folder().run("img.canvas(60, 40):plugin(\"odd\", { n = 5 }):save(\"a.png\")")
    #expect(outcome.status != 0 && outcome.error.contains("called at t.lua:2)"), "\(outcome)")
  }

  @Test func endlessCallsAreStopped() throws {
    let outcome = try folder().run("img.canvas(6, 4):plugin(\"odd\", { n = 6 }):save(\"a.png\")")
    outcome.expect(status: 3, error: "calls itself endlessly")
  }

  @Test func results() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local p = img.open(arg[1])
      p:plugin("odd"):save("a.png")
      p:flip():save("b.png")
      p:plugin("odd", { n = 8, ink = "#ff8000" }):save("c.png")
      p:plugin("odd", { n = 9, over = img.canvas(5, 5) }):save("d.png")
      p:composite(img.canvas(5, 5)):save("e.png")
      assert(leak == nil)
      """, arguments: [Built.photos + "/rocket.jpg"])
    outcome.expect(status: 0)
    #expect(folder.bytes("a.png") == folder.bytes("b.png"))
    #expect(folder.bytes("d.png") == folder.bytes("e.png"))
    #expect(try Pixels(file: folder("c.png")).width == 2)
  }

  /// Files that are no plugins, whatever they do, among those that are: a script, a test, something damaged.
  @Test(
    arguments: sampled([
      "local img = require 'imghost'\nimg.open('missing.jpg'):plugin('odd'):save('x.png')",
      "local img = require 'imghost'\nimg.canvas(4, 4):blur{ sigma = -1 }",
      "local img = require 'imghost'\nlocal w = img.open('missing.jpg').width",
      "error('apply is not odd')", "return 5", "this is not Lua", "\u{0}\u{1}odd apply",
      "while true do end -- no plugin",
      "local img = require 'imghost'\nlocal apply = 'odd'\nlocal w = img.open('missing.jpg').width",
      "local img = require 'imghost'\nlocal apply = 'odd'\nimg.canvas(4, 4):blur{ sigma = -1 }",
    ]))
  func straysDoNoHarm(_ stray: String) throws {
    let folder = try folder()
    try folder.write("plugins/astray.lua", stray)
    for name in ["odd", "vignette"] {
      let outcome = try folder.run("img.canvas(60, 40):plugin(\"\(name)\"):save(\"a.png\")")
      #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    }
  }

  @Test func aPluginInLuaThatFailsToLoadIsTold() throws {
    let folder = try folder("return { name = \"odd\", aply = print }")
    let outcome = try folder.run("img.canvas(6, 4):plugin(\"odd\"):save(\"a.png\")")
    outcome.expect(status: 3)
    #expect(
      outcome.error.contains(
        "t.lua:2: plugin: plugin 'odd' cannot be used: plugins/odd.lua is not used: a plugin has no "
          + "field 'aply' (did you mean 'apply'?)"), "\(outcome)")
  }

  @Test func aScriptMayDeclareItsOwn() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      img.plugin{ name = "mine", apply = function(p) return p:invert() end }
      img.canvas(3, 3):plugin("mine"):save("a.png")
      """)
    #expect(outcome.status == 0 && folder.exists("a.png"), "\(outcome)")
  }

  @Test(
    arguments: sampled([
      ("return { name = \"Bad\", apply = print }", "invalid name 'Bad'"),
      ("return { name = \"x\", aply = print }", "no field 'aply' (did you mean 'apply'?)"),
      ("local x = = 3", "plugins/odd.lua:1: unexpected symbol near '='"),
      (
        "return { name = \"x\", apply = print, parameters = { q = { type = \"flot\" } } }",
        "parameter 'q': unknown type 'flot' (did you mean 'float'?)"
      ),
      (
        "return { name = \"x\", apply = print, parameters = { q = { type = \"int\", minimum = 2, "
          + "maximum = 1 } } }", "the range from 2 to 1 is empty"
      ),
      (
        "return { name = \"x\", apply = print, parameters = { q = { type = \"float\", minimum = 0, "
          + "maximum = 1, default = 3 } } }", "'q' is 3; it takes a number from 0 to 1"
      ),
      (
        "return { name = \"x\", apply = print, parameters = { q = { type = \"float\", minimum = 0/0, "
          + "maximum = 1 } } }", "'minimum' and 'maximum' must be numbers"
      ),
      ("error(\"oh\")", "plugins/odd.lua:1: oh"),
      ("return 3", "it neither calls img.plugin{ … } nor returns a table"),
      ("\u{FF}", "unexpected symbol"),
      ("while true do end", "out of time"),
    ]))
  func refusals(_ plugin: String, _ expected: String) throws {
    let outcome = try folder(plugin).imghost("plugins", seconds: 20)
    outcome.expect(status: 0)
    #expect(outcome.error.contains(expected), "\(outcome)")
  }

  @Test(.wholeRuns) func theFirstOnThePathCounts() throws {
    let folder = try folder()
    try folder.write("plugins/second.lua", "return { name = \"odd\", apply = print }")
    try folder.write("plugins/third.lua", "return { name = \"halftone\", apply = print }")
    let outcome = try folder.imghost("plugins")
    #expect(
      outcome.error.contains(
        "plugins/second.lua is not used: 'odd' is already defined by plugins/odd.lua"), "\(outcome)"
    )
    #expect(
      outcome.error.contains("plugins/third.lua is not used: 'halftone' is already defined by /"),
      "\(outcome)")
    #expect(outcome.output.contains("odd: Does one thing"))
  }

  @Test(.wholeRuns) func helpAndStubs() throws {
    let folder = try folder()
    let page = try folder.imghost("ops", "odd")
    #expect(page.output.contains("picture:plugin(\"odd\", { … })"), "\(page)")
    #expect(page.output.contains("whole number from 0 to 9; default 0"), "\(page)")
    let stubs = try folder.imghost("ops", "--stubs")
    #expect(stubs.output.contains("---@class imghost.OddPluginOptions"))
    #expect(stubs.output.contains("name: \"odd\", options?: imghost.OddPluginOptions"))
  }
}
