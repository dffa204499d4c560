import BenchReport
import Testing

@Suite struct ReportPlaceTests {
  @Test(
    arguments: [
      (nil, "new\n"), ("text without marks\n", "new\n"),
      (
        "# Title\n\(ReportPlace.begin)\nold\n\(ReportPlace.end)\nrest\n",
        "# Title\n\(ReportPlace.begin)\nnew\n\(ReportPlace.end)\nrest\n"
      ),
      ("\(ReportPlace.end)\n\(ReportPlace.begin)\n", "new\n"),
    ] as [(String?, String)])
  func reportGoesBetweenTheMarks(old: String?, expected: String) {
    #expect(ReportPlace.text(old, report: "new\n") == expected)
  }

  @Test func writingTwiceIsWritingOnce() {
    let once = ReportPlace.text("\(ReportPlace.begin)\n\(ReportPlace.end)", report: "a\n\nb\n")
    #expect(ReportPlace.text(once, report: "a\n\nb\n") == once)
  }
}
