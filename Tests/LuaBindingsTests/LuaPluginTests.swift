import LuaRuntime
import Testing

@testable import LuaBindings

/// Plugins in files: their declarations, calls and mistakes.
struct LuaPluginTests {
  private static let dim = """
    local img = require "imghost"
    return img.plugin{ name = "dim", summary = "Darkens",
      parameters = {
        amount = { type = "float", minimum = 0, maximum = 1, default = 0.5 },
        tint = { type = "colour", default = "#ff0000" },
        mode = { type = "enum", choices = { "a", "b" }, default = "b" },
      },
      apply = function(picture, options)
        print(options.amount, options.tint[1], options.mode)
        return picture:extend{ left = 1 }
      end }
    """

  @Test func callsAPlugin() throws {
    let session = try TestSession(plugins: ["dim.lua": Self.dim])
    let messages = session.execute(
      "print(img.canvas(4, 4):plugin('dim', { amount = 0.25 }).width)")
    #expect(messages == [])
    #expect(session.printed == ["0.25\t255.0\tb", "5"])
  }

  @Test func checksOptions() throws {
    let session = try TestSession(plugins: ["dim.lua": Self.dim])
    let messages = session.execute("img.canvas(4, 4):plugin('dim', { amuont = 0.25 })")
    #expect(messages.count == 1 && messages[0].contains("'amuont' (did you mean 'amount'?)"))
  }

  @Test func listsPlugins() throws {
    let session = try TestSession(plugins: ["a.lua": "return 5", "dim.lua": Self.dim])
    let listings = session.session.listPlugins()
    #expect(listings.count == 2)
    #expect(try listings[1].outcome.get().name == "dim")
    #expect(
      throws: LuaPluginRefusal.mistake("it neither calls img.plugin{ … } nor returns a table")
    ) { try listings[0].outcome.get() }
  }

  @Test func pluginsWriteNoFiles() throws {
    let text = "return { name = 'w', apply = function(p) p:save('a.png') return p end }"
    let session = try TestSession(plugins: ["w.lua": text])
    let messages = session.execute("img.canvas(4, 4):plugin('w')")
    #expect(messages.count == 1)
    #expect(messages[0].contains("save: a plugin returns a picture and writes no files"))
  }

  @Test func scriptsDeclarePlugins() throws {
    let session = try TestSession()
    let messages = session.execute(
      """
      img.plugin{ name = "wide", apply = function(p) return p:extend{ left = 2 } end }
      print(img.canvas(4, 4):plugin("wide").width)
      """)
    #expect(messages == [] && session.printed == ["6"])
  }

  static let declarations: [(String, String)] = [
    ("apply = print", "'name' must be a string"),
    (
      "name = 'Bad', apply = print",
      "invalid name 'Bad': expected a lower-case letter, then lower-case letters, digits, '_' and '-'"
    ),
    ("name = 'x'", "'apply' must be a function of a picture and its options"),
    (
      "name = 'x', aply = print",
      "a plugin has no field 'aply' (did you mean 'apply'?); valid: name, summary, version, "
        + "parameters, apply, any_rgb"
    ),
    ("name = 'x', apply = print, summary = 1", "'summary' must be a string of at most 512 bytes"),
    ("name = 'x', apply = print, parameters = 1", "'parameters' must be a table"),
    (
      "name = 'x', apply = print, parameters = { 1 }", "each parameter in a list must be a table with a 'name'"
    ),
    ("name = 'x', apply = print, parameters = { a = 1 }", "parameter 'a' must be a table"),
    (
      "name = 'x', apply = print, parameters = { ['a-b'] = {} }", "invalid parameter name 'a-b'"
    ),
    (
      "name = 'x', apply = print, parameters = { { name = 'a', type = 'bool' }, a = { type = 'bool' } }",
      "parameter 'a' is declared twice"
    ),
    (
      "name = 'x', apply = print, parameters = { a = {} }",
      "parameter 'a': 'type' must be a string, one of bool, int, float, enum, colour, string, point, picture"
    ),
    (
      "name = 'x', apply = print, parameters = { a = { type = 'flot' } }",
      "parameter 'a': unknown type 'flot' (did you mean 'float'?); valid: bool, int, float, enum, "
        + "colour, string, point, picture"
    ),
    (
      "name = 'x', apply = print, parameters = { a = { type = 'float' } }",
      "parameter 'a': 'minimum' and 'maximum' must be numbers"
    ),
    (
      "name = 'x', apply = print, parameters = { a = { type = 'float', minimum = 2, maximum = 1 } }",
      "parameter 'a': the range from 2 to 1 is empty"
    ),
    (
      "name = 'x', apply = print, parameters = { a = { type = 'int', minimum = 0.5, maximum = 1 } }",
      "parameter 'a': the ends of the range must be whole numbers"
    ),
    (
      "name = 'x', apply = print, parameters = { a = { type = 'enum' } }",
      "parameter 'a': an enum needs 'choices', a list of strings"
    ),
    (
      "name = 'x', apply = print, parameters = { a = { type = 'enum', choices = { 'b', 'b' } } }",
      "parameter 'a': 'choices' must be a list of different strings"
    ),
  ]

  @Test(arguments: declarations)
  func declarationMistake(_ fields: String, _ message: String) throws {
    let session = try TestSession()
    #expect(session.execute("img.plugin{ \(fields) }") == ["t.lua:2: plugin: \(message)"])
  }
}
