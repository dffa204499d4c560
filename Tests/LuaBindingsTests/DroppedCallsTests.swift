import TestSupport
import Testing

@testable import LuaBindings

/// Calls whose results cannot be used, found in the text of a script.
struct DroppedCallsTests {
  static let texts: [(script: String, calls: [String])] = [
    ("p:resize(100)", ["1 p:resize"]), ("p:resize(100);", ["1 p:resize"]), ("p : resize { 100 }", ["1 p:resize"]),
    ("img.open'a.jpg'", ["1 open"]), ("f(p)", ["1 f"]), ("(p or q):flip()", ["1 flip"]),
    ("t[1]:flip()", ["1 flip"]),
    ("a.b:flip()", ["1 flip"]), ("p:resize(100):sharpen(1)", ["1 sharpen"]),
    ("p:resize(\n100)\n:sharpen{\namount=1}\np:save('a')", ["1-4 sharpen", "5 p:save"]),
    // What is used.
    ("p = p:resize(100)", []), ("local q = p:resize(100) return q", []), ("t.x, y = p:flip(), 1", []),
    ("t[p:flip()] = 1", []), ("return p:resize(100)", []),
    ("local t = { p:flip(), a = p:flop(); [1] = f() } return t", []),
    ("if p:flip() then f() elseif q() then else end", ["1 f"]), ("while p:flip() do break end", []),
    ("for i = 1, #p:list() do p:flip() end", ["1 p:flip"]),
    ("for _, q in ipairs(p:list()) do q:flip() end", ["1 q:flip"]),
    ("repeat p:flip() until p:flop()", ["1 p:flip"]), ("do local x <const> = 1.5e-3 .. 'a' g(x) end", ["1 g"]),
    ("goto a ::a:: f() ::b::", ["1 f"]), ("local f = function(...) return p:flip(), ... end f()", ["1 f"]),
    ("function a.b:c(x, ...) x:flip() end", ["1 x:flip"]), ("local function g(x) return x:flip() end h(g)", ["1 h"]),
    ("x = a == b and not -c ~= ~d // 2 .. 1 .. 'x' f()", ["1 f"]), ("x = #p:list() + 1", []),
    ("img.hint(p:resize(1), { hero = true })", ["1 hint"]), ("local w = p:resize(1).width return w", []),
    // A variable that is never named again.
    ("local small = p:resize(100)", ["1 p:resize small"]),
    ("local small = p:resize(1) small:save('a')", ["1 small:save"]),
    ("local _ = p:resize(1)", []), ("local _small = p:resize(1)", []), ("local a, b = p:resize(1), 2", []),
    ("local a = p:resize(1).width", []), ("local a = 1 + f()", []), ("local a = p:resize(1) or q", []),
    // What a dropped map is given.
    (
      "l:map(function(p)\nif p.width > 1 then return p:flip() end\nreturn p:flop() end)",
      ["1-3 l:map", "2 p:flip", "3 p:flop"]
    ),
    ("l:map(function(p) return p end)", ["1 l:map"]), ("l:each(function(p) return p:flip() end)", ["1 l:each"]),
    ("l = l:map(function(p) return p:flip() end)", []),
    ("l:map(function(p) return p:flip() end):save('a')", ["1 save"]),
    ("l:map(function(p) local f = function() return p:flip() end return f() end)", ["1 l:map", "1 f"]),
    // Comments, texts and lines.
    ("#!/usr/bin/imghost\n-- p:flip()\n--[[ p:flip()\n]] p:flop()", ["4 p:flop"]),
    ("f([==[\n]] p:flip()\n]==]) p:flop('\\\n') g()", ["1-3 f", "3-4 p:flop", "4 g"]),
    ("f('a\\z\n  p:flip()') g()", ["1-2 f", "2 g"]), ("f('a\\\r\n p:flip()') g()", ["1-2 f", "2 g"]),
    // What is no Lua.
    ("p:flip() end", []), ("p:flip() )", []), ("", []), ("if", []), ("f(", []), ("::", []), ("p:", []),
  ]

  @Test(arguments: texts.indices) func finds(_ index: Int) {
    let (script, calls) = Self.texts[index]
    let found = DroppedCalls(Array(script.utf8)).all.map { call in
      let lines =
        call.lines.count == 1 ? "\(call.lines.lowerBound)" : "\(call.lines.lowerBound)-\(call.lines.upperBound)"
      return lines + " " + (call.receiver.map { $0 + ":" } ?? "") + call.name + (call.variable.map { " " + $0 } ?? "")
    }
    #expect(found.sorted() == calls.sorted(), "\(script)")
  }

  /// Scripts nest as deep as Lua lets them, and other texts do not end the program.
  @Test(.wholeRuns) func deepTexts() {
    for text in ["(", "{", "f(", "function() ", "not ", "a.", "do ", "[[", "1 .. "] {
      let deep = DroppedCalls(Array(String(repeating: text, count: 100_000).utf8))
      #expect(deep.all.isEmpty)
    }
    let nested = String(repeating: "do ", count: 150) + "p:flip() " + String(repeating: "end ", count: 150)
    #expect(DroppedCalls(Array(nested.utf8)).all.count == 1)
  }

  /// Every script that ships is read to its end.
  @Test func cutScriptsAreNoTrap() {
    let script = Array("local a = f{ 1, x = 2 } for i = 1, 2 do a:map(function(p) return p:flip(i) end) end ::l::".utf8)
    for count in script.indices { _ = DroppedCalls(Array(script.prefix(count))).all }
  }
}
