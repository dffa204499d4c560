import Testing

@testable import LuaBindings

/// Variables that a script sets, and names that alone are values in calls.
struct LuaNamesTests {
  static let uses: [(script: String, uses: [String])] = [
    ("p:save('a', { quality = best })", ["p:save quality"]), ("p:resize{ best, 3 }", ["p:resize"]),
    ("p:resize(best)", ["p:resize"]), ("img.open(best, 3)", ["img.open"]), ("a.b:save(best)", ["b:save"]),
    ("f(p):save(best)", [":save"]), ("img.book('a', p, { caption = { text = best } })", ["img.book text"]),
    ("img.book('a', { { best } })", ["img.book"]), ("p:save('a', {\n  quality = best,\n})", ["p:save quality"]),
    ("p:save('a', { note = function() return 3 end, quality = best })", ["p:save quality"]),
    // Other values.
    ("p:save('a', { quality = best or 3 })", []), ("p:save('a', { quality = not best })", []),
    ("p:save('a', { quality = best.x })", []), ("p:save('a', { quality = f(best) })", []),
    ("p:save('a', { best = 3 })", []), ("p:save('a', { [best] = 3 })", []), ("p:save(t[best])", []),
    ("f(best)", []), ("f{ best }", []), ("local t = { best, quality = best }", []), ("x, y = best, 3", []),
    ("p:save((best))", []), ("l:map(function() x, y = best, 3 end)", []), ("p:save(a.best)", []),
    ("p:save(best == 3)", []), ("p:save('a', { quality == best, 3 })", []), ("p:save('best') -- (best)", []),
    ("if p:f() then x, y = best, 3 end", []),
  ]

  @Test(arguments: uses)
  func findsUses(_ script: String, _ uses: [String]) {
    let names = LuaNames(Array(script.utf8))
    let found = (1...3).compactMap { names.use(of: "best", inLine: $0) }.map { use in
      (use.receiver ?? "") + (use.isMethod ? ":" : ".") + use.function + (use.option.map { " " + $0 } ?? "")
    }
    #expect(found == uses && names.useCount(of: "best") == uses.count)
  }

  static let variables: [(script: String, locals: Set<String>, assigned: Set<String>)] = [
    ("local a, b <const> = 1, 2 local c = 3", ["a", "b", "c"], []), ("local function f(a, ...) end", ["f", "a"], []),
    ("function f(a) end function t.g() end function t:h(b) end", ["a", "b"], ["f"]),
    ("for i = 1, 2 do end for k, v in pairs(t) do end", ["i", "k", "v"], []),
    ("a = 1 b, c = 2, 3", [], ["a", "b", "c"]), ("a.b = 1 t[c] = 2", [], []),
    ("x = { a = 1, b = 2; c = 3 }", [], ["x"]),
    ("f{ g = function() a = 1 b, c = 2, 3 end, d = 4 }", [], ["a", "b", "c"]),
    ("f{ g = function() if x then y = 1 end for i = 1, 2 do end repeat z = 1 until z end, d = 4 }", ["i"], ["y", "z"]),
    ("if a == 1 then end", [], []),
  ]

  @Test(arguments: variables)
  func findsVariables(_ script: String, _ locals: Set<String>, _ assigned: Set<String>) {
    let names = LuaNames(Array(script.utf8))
    #expect(names.locals == locals && names.assigned == assigned, "\(names.locals) \(names.assigned)")
  }

  @Test(arguments: [
    ("_G.a = 1", true), ("local _ENV = {}", true), ("load('a = 1')()", true), ("x.a = '_G'", false), ("a = 1", false),
  ])
  func dynamic(_ script: String, _ isDynamic: Bool) {
    #expect(LuaNames(Array(script.utf8)).isDynamic == isDynamic)
  }

  @Test func modules() {
    let names = LuaNames(Array("local img = require 'imghost' other = require('x') local y = f".utf8))
    #expect(names.modules == ["img", "other"])
  }
}
