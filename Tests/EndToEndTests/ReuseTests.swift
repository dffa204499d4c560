import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Work that is requested twice, at the same time or later, is done once.
struct ReuseTests {
  private func operations(_ folder: Folder) throws -> [(name: String, start: Double)] {
    let object = try JSONSerialization.jsonObject(with: Data(folder.bytes("t.json")))
    let events = try #require((object as? [String: Any])?["traceEvents"] as? [[String: Any]])
    return events.filter { $0["ph"] as? String == "X" }.compactMap { event in
      guard let name = event["name"] as? String, let start = event["ts"] as? Double else { return nil }
      return (name, start)
    }
  }

  private func pictures(_ outcome: Outcome) throws -> Int {
    let started = outcome.outputLines.filter { $0.contains("\"started\"") }
    let object = try JSONSerialization.jsonObject(with: Data(started.joined().utf8))
    return try #require((object as? [String: Any])?["pictures"] as? Int)
  }

  /// One file, opened and blurred twice over, is one task.
  @Test func equalPicturesAreOneTask() throws {
    let folder = try Folder()
    for name in ["p.png", "q.png", "r.png"] { try folder.write(name, try Pixels.waves(300, 200).png()) }
    let outcome = try folder.run(
      """
      img.open("p.png"):blur(5):save("a.png")
      img.open("p.png"):blur(5):save("b.png")
      img.open("q.png"):save("c.jpg")
      img.open("r.png"):save("d.jpg")
      """, "--json", "--trace", "t.json", "--jobs", "2")
    let count = try pictures(outcome)
    #expect(outcome.status == 0 && count == 3, "\(outcome)")
    #expect(folder.bytes("a.png") == folder.bytes("b.png"))
  }

  @Test func whatWasWaitedForIsNotMadeAgain() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(900, 600).png())
    let outcome = try folder.run(
      """
      local function blurred() return img.open("p.png"):blur(9) end
      blurred():save("a.png"):await()
      local mean = blurred():stats().mean[1]
      blurred():flip():save("b.jpg"):await()
      assert(mean == blurred():stats().mean[1])
      blurred():save("c.png")
      """, "--trace", "t.json")
    outcome.expect(status: 0)
    #expect(folder.bytes("a.png") == folder.bytes("c.png"))
    let all = try operations(folder)
    let second = try #require(all.first { $0.name == "encode jpeg" })
    #expect(all.contains { $0.name == "blur" && $0.start < second.start })
    #expect(!all.contains { $0.name == "blur" && $0.start > second.start })
  }

  /// Results that are kept, and pages that wait, count as memory and are let go.
  @Test(.thorough) func keptResultsLeaveRoom() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(900, 600).png())
    let outcome = try folder.run(
      """
      for i = 1, 10 do
        local q = img.open("p.png"):blur(i / 2)
        q:save(i .. ".png"):await()
        q:flop():save(i .. "-flop.png"):await()
      end
      img.book("b.pdf", img.glob("p.png"):map(function(p) return p:blur(1) end))
      """, "--memory", "8M")
    outcome.expect(status: 0)
    #expect(folder.files.count { $0.hasSuffix(".png") } == 21)
  }
}
