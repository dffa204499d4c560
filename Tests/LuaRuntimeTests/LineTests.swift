import LuaRuntime
import Testing

/// The lines of calls that span several lines: that of the called function's name, with any version of Lua 5.4.
@Suite struct LineTests {
  /// `p` returns itself from every method, and prints the line of the call.
  private static let opening = """
    local p = setmetatable({}, { __index = function()
      return function(self) print((select(2, pcall(error, '', 3)):match(':(%d+):'))) return self end end,
      __call = function(self) print((select(2, pcall(error, '', 3)):match(':(%d+):'))) return self end })
    local t = { p = p }

    """
  /// The first line after the opening.
  private static let first = 5

  /// Scripts after the opening, and the lines of their calls in order, counted from 1.
  static let calls: [Row] = [
    Row("a line", "p:a()", "1"),
    Row("arguments over lines", "p:a(\n1,\n2\n)", "1"),
    Row("a table over lines", "p:a{\nx = 1,\ny = 2,\n}", "1"),
    Row("a chain", "p:a()\n:b()\n:c()", "1 2 3"),
    Row("a chain with a comment", "local q = p -- first\n  :a()\n  -- second\n  :b()", "2 4"),
    Row("a chain with arguments over lines", "p:a(\n1\n)\n:b{\n1 }:c()", "1 4 5"),
    Row("a call among the arguments", "p:a(\n1,\np\n:b(\n2))", "4 1"),
    Row("a chain among the arguments", "p\n:a(1, p:b()\n:c(),\n3)\n:d()", "2 3 2 5"),
    Row("the bracket on the next line", "p\n:a\n(\n1)", "2"),
    Row("a text on the next line", "p:a\n'x'\n:b\n[[\n]]", "1 3"),
    Row("a function of a table", "t\n.p\n()\nt.p(\n1)", "2 4"),
    Row("a function in brackets", "(p\nor t)(\n1)", "2"),
    Row("the result of a call", "p()\n()", "1 1"),
    Row("a tail call", "local function f(x)\nreturn x\n:a()\nend\nf(\np\n)\n:b()", "5 8"),
    Row("a function among the arguments", "p:a(function(x)\nreturn x\n:z()\nend)\n:b()", "1 5"),
    Row("in a function", "local f = function(x)\n\nx:a()\n:b()\nend\nf(p)", "3 4"),
    Row("in a loop", "for i = 1, 2 do\np\n:a(\ni)\nend", "3 3"),
    Row("in a coroutine", "coroutine.wrap(function()\np:a()\n:b()\nend)()", "2 3"),
    Row("an operator", "local x = p:a() ==\np\n:b()", "1 3"),
    Row("a condition", "if p\n:a()\nand p:b()\nthen p\n:c() end", "2 3 5"),
    Row("a constructor", "local x = { p:a(),\nb = p\n:b(), [p\n:c()] = 1 }", "1 3 4"),
    Row("lines that end as on Windows", "p:a()\r\n:b()\r\n:c()", "1 2 3"),
    Row("far apart", "p:a(" + String(repeating: "\n", count: 400) + ")\n:b()", "1 402"),
    Row("after text over lines", "local s = [[\n\n\n]] p:a()\n:b()", "4 5"),
  ]

  @Test(arguments: calls) func lineOfTheName(_ row: Row) {
    let printed = TestScript().output(Self.opening + row.source)
    #expect(Self.relative(printed) == row.expected)
  }

  private static func relative(_ printed: String) -> String {
    printed.split(separator: "\n").map { Int($0).map { String($0 - first + 1) } ?? String($0) }.joined(separator: " ")
  }

  /// Lua notes lines as steps, and every 128 instructions one in full.
  @Test(arguments: [1, 20, 60, 126, 127, 128, 129, 600]) func longChains(_ count: Int) {
    let links = (0..<count).map { "\n:m\($0)(\($0 % 7 == 0 ? "\n" : ""))" }.joined()
    var line = 0
    let expected = (0..<count).map { index in
      line += 1
      defer { line += index % 7 == 0 ? 1 : 0 }
      return String(line + 1)
    }
    #expect(Self.relative(TestScript().output(Self.opening + "p" + links)) == expected.joined(separator: " "))
  }

  /// The same rows as errors: of Lua, of the script, and of the host.
  static let errors: [Row] = [
    Row(
      "a method that is missing", "local s = ('x')\n:rep(2)\n:nothing(\n1)",
      "3: attempt to call a nil value (method 'nothing')"),
    Row(
      "an argument", "local s = ('x')\n:rep(2)\n:rep(\n{})\n:len()",
      "3: bad argument #1 to 'rep' (number expected, got table)"),
    Row("a global", "print(1,\n2,\nnothing\n(3))", "3: attempt to call a nil value (global 'nothing')"),
    Row("of the caller", "local function f() error('bad', 2) end\nlocal x = {\nf(1,\n2), f() }", "3: bad"),
    Row("of the host", "local x = fail\n(\n'bad')", "1: bad"),
    Row("of a prelude", "local x =\nprelude_error\n()", "2: prelude says"),
  ]

  @Test(arguments: errors) func lineOfAnError(_ row: Row) throws {
    #expect(try ErrorTests.script().output(row.source) == "runtime test.lua:" + row.expected)
  }

  /// What a script means stays: constants, upvalues, variable arguments, names in messages.
  @Test func everythingElseStays() {
    let source = """
      local a, b <const>, c = 1.5, -7, "text\\0with\\nall" .. string.rep("long ", 20)
      local function count(...)
        local given = { n = select("#", ...), ... }
        return function() a = a + given.n return a, given[2], given[3], given[5], given[6] end
      end
      local f = count(nil, 1 << 53, 0x7fffffffffffffff, math.mininteger, 0.125, false)
      print(f())
      print(b, #c, c:sub(5, 6) == "\\0w", ({ [3] = true })[3])
      goto done
      print "not here"
      ::done::
      print(pcall(function() local y = nil; y.z = 1 end))
      """
    #expect(
      TestScript().output(source) == """
        7.5\t9007199254740992\t9223372036854775807\t0.125\tfalse
        -7\t113\ttrue\ttrue
        false\ttest.lua:12: attempt to index a nil value (local 'y')
        """)
  }
}
