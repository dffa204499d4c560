import LuaRuntime
import Testing

/// Values that are passed between Lua and Swift.
@Suite struct ValueTests {
  /// Lua expressions, and the values that a host function receives for them.
  static let received: [(String, LuaValue)] = [
    ("nil", .none),
    ("true", .boolean(true)),
    ("false", .boolean(false)),
    ("-7", .integer(-7)),
    ("math.mininteger", .integer(.min)),
    ("2.0", .number(2)),
    ("1/0", .number(.infinity)),
    ("'h\u{e9}'", .string("h\u{e9}")),
    (#"'a\0b'"#, .string("a\0b")),
    (#"'a\xff'"#, .notUTF8("a\u{10FFFF}")),
    ("{}", .table(LuaTable())),
    (
      "{1, 'two', {3}}", .table(LuaTable(array: [.integer(1), .string("two"), .table(LuaTable(array: [.integer(3)]))]))
    ),
    ("{1, nil, 3}", .table(LuaTable(array: [.integer(1), .none, .integer(3)]))),
    (
      "{z = 1, a = {b = false}, 'x'}",
      .table(
        LuaTable(
          array: [.string("x")],
          fields: [("a", .table(LuaTable(fields: [("b", .boolean(false))]))), ("z", .integer(1))]))
    ),
    ("{[true] = 1}", .unrepresentable("table with keys that are not names")),
    ("{[1.5] = 1}", .unrepresentable("table with holes in its positions")),
    ("{[0] = 1}", .unrepresentable("table with holes in its positions")),
    ("{[-1] = 1}", .unrepresentable("table with holes in its positions")),
    ("{1, [9] = 1}", .unrepresentable("table with holes in its positions")),
    (
      "{a = {[{}] = 1}}", .table(LuaTable(fields: [("a", .unrepresentable("table with keys that are not names"))]))
    ),
    (
      "(function() local t = {} t.t = t return t end)()",
      .table(LuaTable(fields: [("t", .unrepresentable("cyclic table"))]))
    ),
    ("coroutine.create(print)", .unrepresentable("thread")),
    (
      "(function() local t = {} for i = 1, 1000001 do t[i] = i end return t end)()",
      .unrepresentable("table with too many items")
    ),
    (
      "(function() local t = {} for i = 1, 2000 do t[i] = {} for j = 1, 1000 do t[i][j] = j end end return t end)()",
      .unrepresentable("table with too many items")
    ),
  ]

  @Test(arguments: received) func fromLua(_ expression: String, _ expected: LuaValue) throws {
    var got: [LuaValue] = []
    let test = try Self.script { arguments, _ in
      got = arguments
      return []
    }
    try test.run("take(\(expression), 'end')")
    #expect(got == [expected, .string("end")])
  }

  @Test func depthIsLimited() throws {
    var depth = 0
    let test = try Self.script { arguments, _ in
      var value = arguments[0]
      while case .table(let table) = value {
        value = table["t"]
        depth += 1
      }
      #expect(value == .unrepresentable("table nested too deeply"))
      return []
    }
    try test.run("local t = {} for i = 1, 1000 do t = {t = t} end take(t)")
    #expect(depth == 16)
  }

  /// Values that a host function returns, and the text that Lua prints for them.
  static let returned: [(LuaValue, String)] = [
    (.none, "nil"),
    (.boolean(true), "true"),
    (.integer(.max), "9223372036854775807"),
    (.number(2), "2.0"),
    (.string("a\0\u{e9}"), "4 bytes"),
    (
      .table(LuaTable(array: [.integer(1), .integer(2)], fields: [("k", .string("v"))])), "2 items, k = v"
    ),
    (.object(LuaObject(type: "picture", handle: 7)), "picture"),
  ]

  @Test(arguments: returned) func toLua(_ value: LuaValue, _ expected: String) throws {
    let test = try Self.script { _, _ in [value, .integer(5)] }
    let output = test.output(
      """
      local v, five = take()
      assert(five == 5)
      if type(v) == "string" then v = #v .. " bytes" end
      if type(v) == "table" then v = #v .. " items, k = " .. v.k end
      if type(v) == "userdata" then v = getmetatable(v) end
      print(v)
      """)
    #expect(output == expected)
  }

  @Test func unrepresentableIsNotReturned() throws {
    var deep = LuaValue.none
    for _ in 0..<200 { deep = .table(LuaTable(array: [deep])) }
    let tooDeep = deep
    let test = try Self.script { _, _ in [tooDeep] }
    #expect(test.output("take()") == "runtime test.lua:1: a table is nested too deeply")
    let other = try Self.script { arguments, _ in arguments }
    #expect(
      other.output("take(coroutine.create(print))")
        == "runtime test.lua:1: a thread cannot be handed to Lua")
  }

  @Test func objects() throws {
    let test = try Self.script { arguments, _ in
      if case .object? = arguments.first { return arguments }
      guard case .integer(let handle)? = arguments.first else { return [] }
      return [.object(LuaObject(type: "picture", handle: handle))]
    }
    try test.state.loadPrelude(
      """
      local picture = types.picture
      picture.__index = { width = function(self) return 40 end }
      picture.__tostring = function() return "a picture" end
      picture.__len = function() return 3 end
      """, name: "prelude")
    let output = test.output(
      """
      local a, b = take(1), take(2)
      print(a, #a, a:width(), a == take(1), a == b, take(a) == a, ({[a] = "found"})[take(1)])
      print(getmetatable(a), pcall(setmetatable, a, {}))
      a.width = 1
      """)
    #expect(
      output == "runtime test.lua:4: attempt to index a picture value (local 'a')")
    #expect(
      test.printed == [
        "a picture\t3\t40\ttrue\tfalse\ttrue\tfound",
        "picture\tfalse\ttest.lua:3: bad argument #1 to 'setmetatable' (table expected, got picture)",
      ])
  }

  @Test func functionsAreCalledLater() throws {
    var kept: [LuaFunction] = []
    let test = try Self.script { arguments, _ in
      for case .function(let function) in arguments { kept.append(function) }
      return []
    }
    try test.run("local function f(a, b) return b, a, {a} end take(f, f, print) f = nil")
    #expect(kept.count == 3)
    #expect(kept[0] == kept[1] && kept[0] != kept[2])
    let results = try test.state.call(kept[0], [.integer(1), .string("x")])
    #expect(results == [.string("x"), .integer(1), .table(LuaTable(array: [.integer(1)]))])
    _ = try test.state.call(kept[2], [.string("hi"), .number(1.5), .none])
    #expect(test.printed == ["hi\t1.5\tnil"])
    #expect(throws: LuaError.self) { try test.state.call(kept[0], [.unrepresentable("thread")]) }
  }

  @Test func argumentsAndLines() throws {
    var lines: [ScriptLine?] = []
    let test = try Self.script { _, line in
      lines.append(line)
      return []
    }
    try test.state.loadPrelude("function twice() host.take() host.take() end", name: "prelude")
    test.state.addModule("twice", fromPreludeGlobal: "twice")
    try test.run(
      """
      print(arg[0], arg[1], arg[2], #arg, ...)
      require("twice")()
      coroutine.wrap(require "twice")()
      """, arguments: ["one", "two"])
    #expect(test.printed == ["test.lua\tone\ttwo\t2\tone\ttwo"])
    #expect(lines == [2, 2, 3, 3].map { ScriptLine(file: "test.lua", line: $0) })
    #expect(test.state.currentLine == nil)
  }

  /// A script with the global `take`.
  static func script(_ take: @escaping LuaState.HostFunction) throws -> TestScript {
    let test = TestScript()
    test.state.register("take", take)
    try test.state.loadPrelude("take = host.take", name: "take")
    test.state.addModule("take", fromPreludeGlobal: "take")
    try test.run("take = require 'take'")
    return test
  }
}
