import LuaRuntime
import Testing

/// The things that a script can reach, and those that it cannot.
@Suite struct SandboxTests {
  /// Each prints `false`, `nil` or an error where an escape would show something else.
  static let escapes: [Row] = [
    Row("io", "print(io)", "nil"),
    Row("debug", "print(debug)", "nil"),
    Row("package", "print(package)", "nil"),
    Row("dofile", "print(dofile, loadfile)", "nil\tnil"),
    Row("os", "print(os.execute, os.remove, os.getenv, os.exit)", "nil\tnil\tnil\tnil"),
    Row("tmpname", "print(os.tmpname, os.rename, os.setlocale)", "nil\tnil\tnil"),
    Row("host", "print(host, types, internal)", "nil\tnil\tnil"),
    Row("dump", "print(string.dump, ('').dump)", "nil\tnil"),
    Row("bytecode", #"print(load("\27Lua"))"#, "nil\tattempt to load a binary chunk (mode is 't')"),
    Row(
      "bytecode, mode b", #"print(load("\27Lua", "x", "b"))"#,
      "nil\tattempt to load a binary chunk (mode is 't')"),
    Row("load sees the sandbox", "print(load('return io, os.execute')())", "nil\tnil"),
    Row("load with nil", "print(load('return io', 'x', 't', nil)())", "nil"),
    Row("load with own environment", "print(load('return x', 'x', 't', {x = 1})())", "1"),
    Row("string metatable", "print(getmetatable(''))", "string"),
    Row(
      "string metatable set", "print(pcall(setmetatable, '', {}))",
      "false\ttest.lua:1: bad argument #1 to 'setmetatable' (table expected, got string)"),
    Row(
      "string metatable written", "getmetatable('').__index = {}",
      "runtime test.lua:1: attempt to index a string value"),
    Row(
      "collect", "collectgarbage('stop')",
      "runtime test.lua:1: collectgarbage: only 'count' is available to scripts"),
    Row("count", "print(collectgarbage('count') > 0)", "true"),
    Row(
      "finalizer", "setmetatable({}, {__gc = print})",
      "runtime test.lua:1: setmetatable: __gc is not available to scripts"),
    Row("environment", "print(_G == _ENV, _G.print == print, _G._G == _G)", "true\ttrue\ttrue"),
    Row(
      "own string functions", "function string.twice(s) return s .. s end print(('a'):twice())",
      "aa"),
    Row(
      "require path", "require '../secret'",
      #"runtime test.lua:1: require: '../secret' is not a module name: use letters, digits, '_', '-' and dots"#
    ),
    Row(
      "require dots", "require 'a..b'",
      #"runtime test.lua:1: require: 'a..b' is not a module name: use letters, digits, '_', '-' and dots"#
    ),
    Row(
      "require slash", "require '/etc/passwd'",
      #"runtime test.lua:1: require: '/etc/passwd' is not a module name: use letters, digits, '_', '-' and dots"#
    ),
    Row(
      "require missing", "require 'x.y'",
      "runtime test.lua:1: require: no module 'x.y' (no file x/y.lua beside the script)"),
    Row(
      "require number", "require(1)",
      "runtime test.lua:1: require: the module name must be a string"),
  ]

  @Test(arguments: escapes) func escape(_ row: Row) {
    #expect(TestScript().output(row.source) == row.expected)
  }

  @Test func preludeKeepsItsLibraries() throws {
    let test = TestScript()
    try test.state.loadPrelude(
      "api = { shout = function(s) return string.format('%s!', s:upper()) .. #table.pack(1, 2) end }", name: "prelude")
    test.state.addModule("api", fromPreludeGlobal: "api")
    let output = test.output(
      """
      string.format = function() return "stolen" end
      string.upper = string.format
      table.pack = string.format
      string, table, tostring, setmetatable = nil
      print(require("api").shout("hello"))
      """)
    #expect(output == "HELLO!2")
  }

  @Test func randomNumbersAreTheSameEachRun() {
    let source = "print(math.random(1000000)) math.randomseed() print(math.random(1000000))"
    let first = TestScript().output(source)
    #expect(first == TestScript().output(source))
    let lines = first.split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == lines[1])
  }

  /// Texts as keys are where a new seed puts them on each run; a book's pages may follow them.
  @Test(arguments: [
    (
      "{ gamma = 1, alpha = 2, 7, 8, beta = 3, [2.5] = 4, [-1] = 5 }", "1 2 -1 2.5 alpha beta gamma"
    ),
    ("{ 9, 8, 7 }", "1 2 3"),
    ("{}", ""),
    ("{ 1, nil, 3, a = true }", "1 3 a"),
    ("{ [1e300] = 0, [3] = 0, ['10'] = 0, ['9'] = 0 }", "3 1e+300 10 9"),
    ("setmetatable({ a = 1 }, { __pairs = function(t) return next, { z = 1 } end })", "z"),
  ])
  func pairsHasAnOrder(_ table: String, _ keys: String) {
    let output = TestScript().output(
      """
      local keys = {}
      for key, value in pairs(\(table)) do
        assert(value ~= nil)
        keys[#keys + 1] = tostring(key)
      end
      print(table.concat(keys, " "))
      """)
    #expect(output == keys)
  }

  @Test func entriesMayGoWhilePairsRuns() {
    let output = TestScript().output(
      """
      local t, seen = { a = 1, b = 2, c = 3 }, {}
      for key in pairs(t) do
        seen[#seen + 1] = key
        t[key], t.c = nil, nil
      end
      print(table.concat(seen, " "), next(t))
      for i = 1, 3 do local r = 0 for k, v in pairs{ x = 1, y = 2 } do r = r + v end assert(r == 3) end
      print(pcall(function() for _ in pairs(nil) do end end))
      """)
    #expect(
      output == """
        a b\tnil
        false\ttest.lua:8: bad argument #1 to 'for iterator' (table expected, got nil)
        """)
  }

  @Test func modulesComeFromTheLoader() throws {
    let test = TestScript()
    var asked: [String] = []
    test.state.moduleLoader = { path in
      asked.append(path)
      return switch path {
      case "styles/warm.lua":
        Array("loads = (loads or 0) + 1 return {name = ..., bytes = #'\u{e9}', io = io}".utf8)
      case "bad.lua": Array("\nx = = 1".utf8)
      case "fails.lua": Array("\n\nerror('no luck')".utf8)
      case "round.lua": Array("require 'round'".utf8)
      case "binary.lua": [27] + Array("Lua".utf8)
      case "latin.lua": Array("return #'".utf8) + [0xE9] + Array("'".utf8)
      default: nil
      }
    }
    let output = test.output(
      """
      local m = require "styles.warm"
      print(m.name, m.bytes, m.io, m == require "styles.warm", loads)
      print(require "latin")
      for _, name in ipairs { "bad", "fails", "fails", "round", "binary" } do print(pcall(require, name)) end
      """)
    #expect(
      output == """
        styles.warm\t2\tnil\ttrue\t1
        1
        false\tbad.lua:2: unexpected symbol near '='
        false\tfails.lua:3: no luck
        false\tfails.lua:3: no luck
        false\tround.lua:1: require: module 'round' requires itself
        false\tattempt to load a binary chunk (mode is 't')
        """)
    #expect(asked.prefix(2) == ["styles/warm.lua", "latin.lua"])
    #expect(test.output("\nrequire 'fails'") == "runtime fails.lua:3: no luck")
  }

  @Test func bytecodeScriptIsRefused() {
    let test = TestScript()
    #expect(
      throws: LuaError.syntax(message: "attempt to load a binary chunk (mode is 't')", line: nil)
    ) {
      try test.state.run(source: [27] + Array("Lua".utf8), name: "test.lua", arguments: [])
    }
  }
}
