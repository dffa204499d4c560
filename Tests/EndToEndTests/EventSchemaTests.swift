import Foundation
import ImageCore
import Testing

/// Docs/Reference/events.schema.json describes every event that a run prints.
struct EventSchemaTests {
  private static let schema = JSONSchema("events.schema.json")

  /// Scripts that cause every kind of event.
  private static let scripts: [(script: String, arguments: [String])] = [
    (
      """
      print("a \\"line\\"")
      local p = img.open(arg[1])
      p:fit(60, 60):save("small-{hash:8}.jpg", { max_bytes = "8k" })
      p:fit(60, 60):to_profile("display-p3"):save("p.ppm")
      img.open("cut.jpg"):save("c.png")
      img.book("b.pdf", { p:fit(80, 80) }, { verify = true })
      p:blur(3):save("d.png"):cancel()
      """, ["run", "--json", "--on-error", "continue"]
    ),
    (
      """
      img.setting("width", { type = "int", minimum = 1, step = 2, default = 3, unit = "px", help = "how wide" })
      img.setting("ink", { type = "colour" })
      img.setting("paper", { type = "enum", choices = { "a4", "a5" }, default = "a4" })
      img.setting("at", { type = "point", default = { 0, 1 } })
      img.setting("on", { type = "bool", default = true })
      img.setting("share", { type = "float", minimum = 0, maximum = 1 })
      img.canvas(3, 3):save("a.png")
      """, ["run", "--json", "--dry-run", "--set", "paper=a5"]
    ),
    ("img.canvas(0, 3) error('x')", ["check", "--json"]),
    ("img.setting('width', { type = 'int' })", ["check", "--json", "--set", "widht=3"]),
    ("while true do end", ["run", "--json", "--timeout", "0.2"]),
    (
      "img.canvas(9, 9):save('a.png') img.canvas(9, 9):save('b' .. #arg .. '.png')",
      ["run", "--json", "--only-changed", "--explain"]
    ),
    ("img.canvas(9, 9):plugin('chatty'):save('a.png')", ["run", "--json"]),
  ]

  @Test func everyEventFollowsTheSchema() throws {
    var kinds: Set<String> = []
    for (script, arguments) in Self.scripts {
      let folder = try Folder()
      try folder.write("cut.jpg", [0xff, 0xd8, 0xff, 0xe0])
      try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
      if arguments.contains("--only-changed") { _ = try folder.imghost("run", "--only-changed", "t.lua") }
      let outcome = try folder.imghost(arguments + ["t.lua", Built.photos + "/rocket.jpg"])
      #expect(!outcome.outputLines.isEmpty, "\(outcome)")
      for line in outcome.outputLines {
        #expect(Self.schema.problems(with: line) == [], "\(line)")
        kinds.formUnion([JSONReader.value(of: line)?["event"]?.textValue ?? "none"])
      }
      #expect(outcome.outputLines.last?.contains("\"event\":\"finished\"") ?? false, "\(outcome)")
    }
    // A plugin that writes to its log is not among those that ship; its event is tested where one is made.
    #expect(kinds.sorted() == Self.schema.kinds.filter { $0 != "plugin_log" }.sorted())
  }

  @Test(arguments: [
    (#"{"event":"picture_done","schema":2}"#, []),
    (#"{"event":"picture_done"}"#, ["$ lacks schema"]),
    (#"{"event":"picture_done","schema":3}"#, ["$.schema is 3, not 2"]),
    (#"{"event":"picture_done","schema":2,"more":1}"#, ["$ has the unknown field more"]),
    (#"{"event":"print","schema":2,"text":5}"#, ["$.text is 5, no [\"string\"]"]),
    (#"{"event":"started","schema":2,"pictures":-1}"#, ["$.pictures is -1.0"]),
    (#"{"event":"unheard","schema":2}"#, ["$ is none of the kinds: {\"event\":\"unheard\",\"schema\":2}"]),
  ])
  func theSchemaIsStrict(_ text: String, _ problems: [String]) { #expect(Self.schema.problems(with: text) == problems) }
}
