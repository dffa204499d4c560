import LuaRuntime
import Testing

/// The texts and lines of errors.
@Suite struct ErrorTests {
  static let errors: [Row] = [
    Row("syntax", "local x = \n\n= 2", "syntax test.lua:3: unexpected symbol near '='"),
    Row("unfinished", "if true then", "syntax test.lua:1: 'end' expected near <eof>"),
    Row("first line is skipped", "#!/usr/bin/imghost\nerror('x')", "runtime test.lua:2: x"),
    Row("byte order mark", "\u{FEFF}\nerror('x')", "runtime test.lua:2: x"),
    Row("error", "\nerror('bad')", "runtime test.lua:2: bad"),
    Row("error without position", "\nerror('bad', 0)", "runtime test.lua:2: bad"),
    Row(
      "error of the caller", "local function f() error('bad', 2) end\n\nf()",
      "runtime test.lua:3: bad"),
    Row("raised again", "local ok, e = pcall(error, 'bad')\nerror(e)", "runtime test.lua:2: bad"),
    Row(
      "raised again with position", "local _, e = pcall(function()\nerror('bad') end)\n\nerror(e)",
      "runtime test.lua:2: bad"),
    Row(
      "nil method", "local p = {}\np:resze()",
      "runtime test.lua:2: attempt to call a nil value (method 'resze')"),
    Row("nil global", "\nfoo()", "runtime test.lua:2: attempt to call a nil value (global 'foo')"),
    Row(
      "argument", "('x'):rep({})",
      "runtime test.lua:1: bad argument #1 to 'rep' (number expected, got table)"),
    Row(
      "setmetatable", "setmetatable(1)",
      "runtime test.lua:1: bad argument #1 to 'setmetatable' (table expected, got number)"),
    Row(
      "table", "error({})",
      "runtime test.lua:1: the script raised an error that is not text but a table value"),
    Row(
      "nil", "error()",
      "runtime test.lua:1: the script raised an error that is not text but a nil value"),
    Row("number", "error(7)", "runtime test.lua:1: 7"),
    Row(
      "table with words", "error(setmetatable({}, {__tostring = function() return 'words' end}))",
      "runtime test.lua:1: words"),
    Row(
      "stack overflow", "local function f() return 1 + f() end f()",
      "runtime test.lua:1: stack overflow"),
    Row("assert", "\nassert(false, 'no')", "runtime test.lua:2: no"),
    Row(
      "in a coroutine", "coroutine.wrap(function()\nerror('bad') end)()", "runtime test.lua:2: bad"),
    Row(
      "in a coroutine's host call", "coroutine.wrap(function()\nfail('bad') end)()",
      "runtime test.lua:2: bad"),
    Row(
      "dead coroutine", "local f = coroutine.wrap(print) f()\nf()",
      "runtime test.lua:2: cannot resume dead coroutine"),
    Row(
      "resume", "print(coroutine.resume(coroutine.create(function()\nerror('bad') end)))",
      "false\ttest.lua:2: bad"),
    Row("host function", "\nfail('bad')", "runtime test.lua:2: bad"),
    Row("host function caught", "\nprint(pcall(fail, 'bad'))", "false\ttest.lua:2: bad"),
    Row("through a prelude", "\nthrough_prelude('bad')", "runtime test.lua:2: bad"),
    Row("of a prelude", "\nprelude_error()", "runtime test.lua:2: prelude says"),
    Row("of a prelude, caught", "\nprint(pcall(prelude_error))", "false\ttest.lua:2: prelude says"),
    Row(
      "of a prelude, handled", "\nprint(xpcall(prelude_error, function(e) return '<' .. e end))",
      "false\t<test.lua:2: prelude says"),
    Row(
      "of a prelude in a coroutine", "\nprint(coroutine.resume(coroutine.create(prelude_error)))",
      "false\ttest.lua:2: prelude says"),
    Row(
      "in a callback of a prelude", "with_callback(function()\n\nerror('bad') end)",
      "runtime test.lua:3: bad"),
    Row(
      "in a host callback", "host_callback(function()\n\nerror('bad') end)",
      "runtime test.lua:3: bad"),
    Row("in loaded text", "\nload('error(\"bad\")')()", "runtime test.lua:2: bad"),
    Row(
      "pcall returns", "print(pcall(function(...) return ... end, 1, nil, 3))", "true\t1\tnil\t3"),
    Row(
      "pcall of nothing", "print(pcall(pcall))",
      "false\tbad argument #1 to 'pcall' (value expected)"),
    Row(
      "yield across pcall",
      "print(coroutine.wrap(function() print(pcall(coroutine.yield, 7)) end)())", "7"),
    Row(
      "yield in a callback", "coroutine.wrap(function() host_callback(coroutine.yield) end)()",
      "runtime test.lua:1: attempt to yield across a C-call boundary"),
    Row("abort", "stop()", "aborted"),
    Row("abort caught", "while true do pcall(stop) end", "aborted"),
    Row("abort handled", "xpcall(stop, function() print('seen') end) print('on')", "aborted"),
    Row("abort in a coroutine", "coroutine.resume(coroutine.create(stop)) print('on')", "aborted"),
    Row("abort in load", "load(stop) print('on')", "aborted"),
    Row(
      "abort while closing",
      "local co = coroutine.create(function() local x <close> = setmetatable({}, {__close = stop}) coroutine.yield() end) coroutine.resume(co) coroutine.close(co) print('on')",
      "aborted"),
    Row("abort in a callback", "pcall(host_callback, stop) print('on')", "aborted"),
  ]

  @Test(arguments: errors) func message(_ row: Row) throws {
    let test = try Self.script()
    #expect(test.output(row.source) == row.expected)
  }

  /// Functions that fail, put into the script's reach by a prelude.
  static func script() throws -> TestScript {
    let test = TestScript()
    let state = test.state
    state.register("fail") { (arguments, _) throws(LuaHostError) in
      guard case .string(let text)? = arguments.first else { return [] }
      throw LuaHostError(message: text)
    }
    state.register("stop") { (_, _) throws(LuaHostError) in throw .abort }
    state.register("host_callback") { [unowned state] (arguments, _) throws(LuaHostError) in
      guard case .function(let function)? = arguments.first else { return [] }
      do throws(LuaError) {
        return try state.call(function, [])
      } catch {
        throw LuaHostError(error)
      }
    }
    try state.loadPrelude(
      """
      local host = host
      function through_prelude(text)
        local result = host.fail(text)
        return result
      end
      function prelude_error() error("prelude says") end
      function with_callback(f) local x = f() return x end
      environment = setmetatable({
        fail = host.fail, stop = host.stop, host_callback = host.host_callback,
        through_prelude = through_prelude, prelude_error = prelude_error,
        with_callback = with_callback,
      }, nil)
      """, name: "prelude")
    state.addModule("environment", fromPreludeGlobal: "environment")
    try test.run("for name, f in pairs(require 'environment') do _G[name] = f end")
    return test
  }

  @Test func preludeErrorsNameThePrelude() {
    let state = TestScript().state
    #expect(throws: LuaError.syntax(message: "p:2: unexpected symbol near '='", line: nil)) {
      try state.loadPrelude("\n= 1", name: "p")
    }
    #expect(throws: LuaError.runtime(message: "p:1: no", line: nil)) {
      try state.loadPrelude("error('no')", name: "p")
    }
  }

  @Test func longFileNamesKeepTheirLine() {
    let name = String(repeating: "folder/", count: 20) + "script.lua"
    let state = TestScript().state
    let line = ScriptLine(file: name, line: 2)
    #expect(throws: LuaError.runtime(message: "bad", line: line)) {
      try state.run(source: Array("\nerror('bad')".utf8), name: name, arguments: [])
    }
    #expect(throws: LuaError.syntax(message: "unexpected symbol near '='", line: line)) {
      try state.run(source: Array("\n= 1".utf8), name: name, arguments: [])
    }
  }
}
