import Testing

/// Pictures that a script makes and nothing uses: a note names the line, in a run and in a check.
struct DroppedPictureTests {
  static let dropped: [(script: String, notes: [String])] = [
    (
      "p:resize(100) p:save('a.png')",
      ["t.lua:3: resize: note: nothing uses the new picture; keep it: p = p:resize(…)"]
    ),
    ("img.list{ p }:each(function(q) q:flip() end) p:save('a.png')", ["flip: note: nothing uses the new picture"]),
    ("p:plugin('vignette') p:save('a.png')", ["plugin: note: nothing uses the new picture"]),
    ("local small = p:resize(100):sharpen(1) p:save('a.png')", ["sharpen: note: nothing uses the picture in 'small'"]),
    (
      "img.list{ p, p:flop() }:map(function(q) return q:flip() end) p:save('a.png')",
      ["flip: note: nothing uses the new pictures; keep the list that map returns in a variable, or save it"]
    ),
    (
      "p:resize(100)\n  :sharpen{ amount = 1 }\np:save('a.png')",
      ["sharpen: note: nothing uses the new picture; keep it in a variable"]
    ),
    (
      "img.text('a')\nimg.canvas(2, 2)\np:save('a.png')",
      ["text: note: nothing uses this", "canvas: note: nothing uses this"]
    ),
  ]

  /// Scripts that use every picture, or whose calls have other uses.
  static let used = [
    "local t = { small = p:resize(10), large = p:resize(20) } t.small:save('a.png')",
    "local t = {} for w = 1, 3 do t[w] = p:resize(w) end t[2]:save('a.png')",
    "local q = p:resize(10) if q.width > 99 then q:save('b.png') end p:save('a.png')",
    "print(p:resize(10):stats().mean[1] > 0, p:resize(10):placeholder(), p:resize(9).width) p:save('a.png')",
    "img.hint(p:resize(10), { hero = true }) p:save('a.png')",
    "local function small(q) return q:resize(10) end small(p):save('a.png')",
    "p:resize(10):save('a.png') p:resize(20):tiles('zoom')",
    "img.book('a.pdf', { p:resize(10), img.page{ p:flip() } }, { layout = 'auto' })",
    "p:composite{ over = p:resize(3) }:save('a.png')",
    "local o = { resize = function() end } o:resize(10) p:save('a.png')",
    "local all = img.list{ p }:map(function(q) return q:flip() end) all:save('a.png')",
    "img.plugin{ name = 'turn', apply = function(q) return q:flip() end } p:plugin('turn'):save('a.png')",
    "assert(p:resize(10)) p:save('a.png')", "local _ = p:resize(10) p:save('a.png')",
  ]

  private func notes(_ outcome: Outcome) -> [String] { outcome.messages.filter { $0.contains(": note: nothing uses") } }

  private func run(_ script: String, _ command: String) throws -> Outcome {
    let folder = try Folder()
    try folder.write("t.lua", "local img = require \"imghost\"\nlocal p = img.canvas(40, 30)\n" + script)
    return try folder.imghost(command, "t.lua")
  }

  @Test(arguments: ["check", "run"]) func areNoted(_ command: String) throws {
    for (script, expected) in Self.dropped {
      let outcome = try run(script, command)
      outcome.expect(status: 0)
      let notes = notes(outcome)
      #expect(
        notes.count == expected.count && zip(notes, expected).allSatisfy { $0.contains($1) }, "\(script) \(outcome)")
    }
  }

  @Test(arguments: used) func othersAreNot(_ script: String) throws {
    let outcome = try run(script, "check")
    #expect(outcome.status == 0 && notes(outcome) == [], "\(script) \(outcome)")
  }

  /// A line each, and no more than five of them.
  @Test func areFew() throws {
    let lines = (1...9).map { "p:resize(\($0)) p:resize(\($0))" } + ["p:save('a.png')"]
    let outcome = try run(lines.joined(separator: "\n"), "check")
    #expect(notes(outcome).count == 5, "\(outcome)")
    #expect(outcome.messages.contains("t.lua:8: note: 4 more lines make pictures that nothing uses"), "\(outcome)")
  }
}
