import Foundation
import Scheduling
import Testing

@testable import RunTrace

@Suite struct ChromeTraceTests {
  private func events(_ record: TraceRecord) throws -> [[String: Any]] {
    let text = ChromeTrace(record).json
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return try #require(object?["traceEvents"] as? [[String: Any]])
  }

  private func events(_ events: [[String: Any]], _ phase: String) -> [[String: Any]] {
    events.filter { $0["ph"] as? String == phase }
  }

  @Test func rowsHaveNamesCountedWithoutGaps() throws {
    let all = events(try events(Records.small()), "M")
    let names = all.filter { $0["name"] as? String == "thread_name" }.map { event in
      (event["tid"] as? Int, (event["args"] as? [String: Any])?["name"] as? String)
    }
    #expect(names.map(\.0) == [1, 2, 3, 4])
    #expect(names.map(\.1) == ["foreground 0", "foreground 1", "background 0", "waiting 0"])
  }

  @Test func stepsCarryNameClassAndTimes() throws {
    let all = events(try events(Records.small()), "X")
    #expect(all.count == 8)
    let first = try #require(all.first)
    #expect(first["name"] as? String == "a \"b\" <c>\u{1}.jpg")
    #expect(first["cat"] as? String == "default" && first["cname"] as? String == "rail_response")
    #expect(first["ts"] as? Double == 1000 && first["dur"] as? Double == 1000)
    #expect(first["tid"] as? Int == 1)
    #expect(all[1]["name"] as? String == "back\\slash & more")
    #expect(all[1]["cname"] as? String == "generic_work")
    let operations = all.filter { $0["cat"] as? String == "operation" }
    #expect(operations.map { $0["name"] as? String } == ["resize", "decode jpeg", "encode jpeg"])
    #expect(operations.allSatisfy { $0["tid"] as? Int == 1 })
  }

  @Test func countersAndInstants() throws {
    let all = try events(Records.small())
    let counters = events(all, "C").map { $0["args"] as? [String: Int] }
    #expect(counters.count == 4)
    #expect(
      counters[0] == [
        "background": 0, "utility": 0, "default": 2, "user-initiated": 0, "user-interactive": 1,
      ])
    #expect(counters[1] == ["bytes": 5_000_000])
    let instants = events(all, "i")
    #expect(instants.map { $0["name"] as? String } == ["cancelled", "book written"])
    #expect((instants[0]["args"] as? [String: String])?["what"] == "out/\"x\"\n.jpg")
  }

  @Test func whatWasDroppedIsTold() throws {
    var record = Records.small()
    #expect(!ChromeTrace(record).json.contains("events were dropped"))
    record.droppedCount = 12_345
    let last = try #require(events(try events(record), "i").last)
    #expect(last["name"] as? String == "events were dropped")
    #expect((last["args"] as? [String: String])?["what"]?.hasPrefix("12,345") == true)
  }

  @Test func emptyAndLong() throws {
    #expect(try events(TraceRecord(duration: 0, workers: 1)).count == 1)
    let record = Records.large(steps: 5000, workers: 4)
    var pieces: [String] = []
    ChromeTrace(record).write { pieces.append($0) }
    #expect(pieces.count > 5 && pieces.allSatisfy { $0.utf8.count < 100_000 })
    #expect(pieces.joined() == ChromeTrace(record).json)
    #expect(events(try events(record), "X").count == 5000)
  }

  @Test(arguments: [
    (0, "0.000"), (1, "0.001"), (999, "0.999"), (1000, "1.000"), (1_234_567, "1234.567"),
    (-1500, "-1.500"),
  ])
  func microseconds(_ nanoseconds: Int, _ text: String) {
    #expect(ChromeTrace.microseconds(nanoseconds) == text)
  }
}
