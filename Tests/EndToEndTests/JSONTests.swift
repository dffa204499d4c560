import Foundation
import Testing

/// `--json`: every line of standard output is one object, from which a program knows what happened.
struct JSONTests {
  private func events(_ outcome: Outcome) throws -> [[String: Any]] {
    try outcome.outputLines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }

  @Test func events() throws {
    let folder = try Folder()
    try folder.write("cut.jpg", [0xff, 0xd8, 0xff, 0xe0])
    let outcome = try folder.run(
      """
      print("words \\"quoted\\"\\tand\\1 more", 5)
      local p = img.open(arg[1])
      p:fit(60, 60):save("a \\"b\\".png")
      img.open("cut.jpg"):save("c.png")
      img.book("b.pdf", { p }, { verify = true })
      local j = p:blur(3):save("d.png")
      j:cancel()
      """, "--json", "--on-error", "continue", arguments: [Built.photos + "/rocket.jpg"])
    outcome.expect(status: 1)
    #expect(outcome.error == "")
    let all = try events(outcome)
    func named(_ name: String) -> [[String: Any]] { all.filter { $0["event"] as? String == name } }
    #expect(named("print").first?["text"] as? String == "words \"quoted\"\tand\u{1} more\t5")
    #expect(named("started").count == 1)
    #expect(Set(named("wrote").compactMap { $0["path"] as? String }) == ["a \"b\".png", "b.pdf"])
    #expect(named("wrote").first { $0["path"] as? String == "a \"b\".png" }?["width"] as? Int == 60)
    #expect(named("cancelled").first?["path"] as? String == "d.png")
    let failed = try #require(named("failed").first)
    #expect(failed["line"] as? Int == 5 && failed["file"] as? String == "cut.jpg")
    #expect(failed["kind"] as? String == "input" && failed["script"] as? String == "t.lua")
    #expect(
      failed["text"] as? String
        == "t.lua:5: open: cut.jpg: truncated file")
    let verified = try #require(named("verified").first)
    #expect(verified["ok"] as? Bool == true && verified["path"] as? String == "b.pdf")
    let last = try #require(all.last)
    #expect(last["event"] as? String == "finished" && last["status"] as? Int == 1)
    #expect(last["written"] as? Int == 2 && last["failed"] as? Int == 1)
    #expect(last["cancelled"] as? Int == 1)
  }

  /// Small files that go into a book together are counted one by one; the first has two pages.
  @Test func picturesOfABookAreCounted() throws {
    let folder = try Folder()
    let made = try folder.run(
      "for i = 1, 40 do img.canvas(20, 10 + i, { background = \"teal\" }):save(i .. \".jpg\") end")
    made.expect(status: 0)
    let outcome = try folder.run(
      """
      local all = img.glob("*.jpg")
      local pages = { all[1] }
      for _, p in ipairs(all) do pages[#pages + 1] = p end
      img.book("b.pdf", pages, { verify = true, dpi = 20 })
      """, "--json", "--jobs", "2")
    outcome.expect(status: 0)
    let all = try events(outcome)
    #expect(all.first { $0["event"] as? String == "started" }?["pictures"] as? Int == 40)
    #expect(all.count { $0["event"] as? String == "picture_done" } == 40)
  }

  /// The last event counts outputs that are missing as failed.
  @Test(arguments: [
    ("img.canvas(2, 2):save(\"a.png\") img.canvas(2, 2):save(\"b.tga\")", 3, 0, 2),
    ("img.canvas(2, 2):save(\"a.png\") error(\"x\")", 3, 0, 1),
    ("error(\"x\")", 3, 0, 1), ("img.canvas(0, 2)", 3, 0, 1),
    ("img.canvas(2, 2):save(\"a.png\"):await() error(\"x\")", 3, 1, 1),
    ("img.canvas(2, 2):save(\"t.lua/a.png\")", 1, 0, 1),
    ("img.canvas(2, 2):save(\"a.png\")", 0, 1, 0),
    (
      "for i = 1, 5 do img.canvas(2, 2):save(\"a\" .. i .. \".png\") end "
        + "img.canvas(2, 2):save(\"t.lua/a.png\"):await()", 1, -1, 6
    ),
  ])
  func failuresAreCounted(_ script: String, _ status: Int, _ written: Int, _ failed: Int) throws {
    let outcome = try Folder().run(script, "--json")
    let last = try #require(try events(outcome).last)
    #expect(outcome.status == status, "\(outcome)")
    #expect(
      last["status"] as? Int == status && last["cancelled"] as? Int == 0, "\(outcome)")
    let told = (last["written"] as? Int, last["failed"] as? Int)
    // Timing decides which outputs are written before the failure ends the run.
    if written < 0 {
      #expect((told.0 ?? 0) + (told.1 ?? 0) == failed, "\(outcome)")
    } else {
      #expect(told == (written, failed), "\(outcome)")
    }
  }

  /// Every output counts once, however the run ends. Only those that the script gave up count as cancelled.
  @Test func everyOutputCountsOnce() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      for i = 1, 7 do img.canvas(3000, 3000):blur(90 + i):rotate(3):save(i .. ".png") end
      img.canvas(2, 2):save("given-up.png"):cancel()
      """)
    let running = try Command(arguments: ["run", "--json", "t.lua"], folder: folder.path).start()
    // It is at work once files are there under their temporary names.
    #expect(running.wait { !folder.temporaries.isEmpty }, "\(running.soFar)")
    running.send(SIGTERM)
    let outcome = running.finish(within: 10)
    let last = try #require(try events(outcome).last)
    #expect(outcome.status == 143 && last["cancelled"] as? Int == 1, "\(outcome)")
    let written = folder.files.count { $0.hasSuffix(".png") }
    #expect(
      last["written"] as? Int == written && last["failed"] as? Int == 7 - written, "\(outcome)")
  }

  /// A run that does not stop by itself, as within a single long step of a script, ends its events too.
  @Test func interruptedRunsEndTheirEvents() throws {
    let folder = try Folder()
    try folder.write("t.lua", "print(\"began\") while true do end")
    let running = try Command(arguments: ["run", "--json", "t.lua"], folder: folder.path).start()
    #expect(running.wait { running.soFar.contains("began") })
    running.send(SIGTERM)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 143)
    let last = try #require(try events(outcome).last)
    #expect(last["event"] as? String == "finished" && last["status"] as? Int == 143)
    #expect(last["failed"] as? Int == 1)
  }

  @Test func mistakesOfTheScript() throws {
    let outcome = try Folder().run("img.canvas(0, 5)\nerror(\"x\")", "--json")
    let all = try events(outcome)
    outcome.expect(status: 3)
    #expect(all.map { $0["event"] as? String } == ["failed", "failed", "finished"])
    #expect(all.map { $0["line"] as? Int } == [2, 3, nil])
    #expect(all.last?["status"] as? Int == 3)
  }
}
