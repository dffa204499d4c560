import ImageCore
import ImagePipeline
import Testing

@testable import Reporting

/// The lines of a run: summary, progress, cancelled jobs, repeated failures and mistakes.
struct LinesTests {
  static let summaries: [(Int, Int, Int, Int, Double, String)] = [
    (1, 999, 0, 0, 0.456, "1 file written (999 bytes) in 0.46 s"),
    (48, 12_300_000, 1, 0, 2.54, "48 files written (12.3 MB), 1 failed in 2.5 s"),
    (0, 0, 2, 3, 61, "0 files written (0 bytes), 2 failed, 3 cancelled in 61 s"),
  ]

  @Test(arguments: summaries)
  func summary(_ written: Int, _ bytes: Int, _ failed: Int, _ cancelled: Int, _ seconds: Double, _ expected: String) {
    var totals = Run.Totals()
    (totals.written, totals.byteCount, totals.failed, totals.cancelled) = (written, bytes, failed, cancelled)
    #expect(SummaryLine.text(totals, seconds: seconds) == expected)
  }

  @Test(arguments: [(40...40, "at quality 40"), (40...71, "at quality 40 to 71")])
  func qualities(_ found: ClosedRange<Int>, _ expected: String) {
    var totals = Run.Totals()
    (totals.written, totals.byteCount, totals.failed) = (2, 10, 1)
    #expect(
      SummaryLine.text(totals, qualities: found, seconds: 2)
        == "2 files written (10 bytes) \(expected), 1 failed in 2 s")
  }

  static let sizes: [(Int, String)] = [
    (0, "0 bytes"), (999, "999 bytes"), (1_000, "1 kB"), (1_550, "1.6 kB"), (2_000_000, "2 MB"),
    (3_200_000_000, "3.2 GB"),
  ]

  @Test(arguments: sizes)
  func sizeText(_ bytes: Int, _ expected: String) { #expect(SummaryLine.size(bytes) == expected) }

  static let progress: [(Int, Int, Double, Int, String)] = [
    (0, 10, 0, 40, "[                       ] 0/10 pictures"),
    (5, 10, 2, 80, "[###############               ] 5/10 pictures, 2.5 a second, 2 s left"),
    (10, 10, 2, 80, "[##############################] 10/10 pictures, 5 a second"),
    (5, 10, 2, 12, "5/10 pictur"),
    (1, 1000, 10, 60, "[          ] 1/1000 pictures, 0.1 a second, 2 h 46 min left"),
  ]

  @Test(arguments: progress)
  func progressLine(_ done: Int, _ total: Int, _ seconds: Double, _ width: Int, _ expected: String) {
    #expect(
      ProgressLine.text(done: done, of: total, seconds: seconds, width: width) == expected)
  }

  static let durations: [(Double, String)] = [
    (0.2, "1 s"), (59, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"),
  ]

  @Test(arguments: durations)
  func durationText(_ seconds: Double, _ expected: String) {
    #expect(ProgressLine.duration(seconds) == expected)
  }

  private static let place = ScriptPosition(file: "t.lua", line: 3)

  static let cancelled: [(ScriptPosition?, [String], String?, String)] = [
    (place, ["a.png"], nil, "t.lua:3: save 'a.png' was cancelled"),
    (
      place, ["a.png", "b.png", "c.png"], "the run was interrupted",
      "t.lua:3: save 'a.png' and 2 more were cancelled, because the run was interrupted"
    ),
    (nil, [], nil, "save was cancelled"),
  ]

  @Test(arguments: cancelled)
  func cancelledJobs(_ position: ScriptPosition?, _ missing: [String], _ reason: String?, _ expected: String) {
    #expect(
      CancelledJobs.line("save", at: position, missing: missing, reason: reason) == expected)
  }

  private func failure(_ file: String, _ message: String) -> Diagnostic {
    Diagnostic(.output, at: Self.place, subject: "save", file: file, message: message)
  }

  @Test func repeatedFailuresAreCounted() {
    var repeated = RepeatedFailures()
    let isNew = [("a", "full"), ("b", "full"), ("c", "busy"), ("d", "full")].map { repeated.isNew(failure($0.0, $0.1)) }
    #expect(isNew == [true, false, true, false])
    #expect(
      repeated.lines.map(\.text)
        == ["t.lua:3: save: 2 more outputs failed for the same reason: full"])
  }

  @Test func oneMoreFailureIsSingular() {
    var repeated = RepeatedFailures()
    for file in ["a", "b"] { _ = repeated.isNew(failure(file, "full")) }
    #expect(
      repeated.lines.map(\.text)
        == ["t.lua:3: save: 1 more output failed for the same reason: full"])
  }

  @Test func repeatedMistakesShareALine() {
    let files = ["p10.png", "p2.png", "p1.png", "p3.png", "p4.png", "p5.png"]
    let (lines, rest) = RepeatedMistakes(files.map { failure($0, "too small") }).lines(most: 5)
    #expect(
      lines.map(\.text) == [
        "t.lua:3: save: p1.png: too small",
        "t.lua:3: save: the same for p2.png, p3.png, p4.png, p5.png and 1 more",
      ])
    #expect(rest == 0)
  }

  @Test func furtherMistakesAreCounted() {
    let all = (1...4).map { failure("f", "mistake \($0)") }
    let (lines, rest) = RepeatedMistakes(all).lines(most: 3)
    #expect(lines.count == 3 && rest == 1)
  }
}
