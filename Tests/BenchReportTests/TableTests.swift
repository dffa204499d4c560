import BenchReport
import Testing

@Suite struct TableTests {
  private let line = ReportLine(
    work: "48 photographs",
    ours: Figures(seconds: 0.5, peakBytes: 15_600_000, decibels: 35.691),
    peer: "libvips 8.18.7",
    theirs: Figures(seconds: 1, peakBytes: 85_000_000, decibels: 35.69),
    ratio: 0.5, bars: [.ratio(0.5, atMost: 0.8), .memory(15_600_000, atMost: 15)])

  private func cells(_ table: ReportTable, line: Int) -> [String] {
    let row = table.text.split(separator: "\n")[line + 2]
    return row.split(separator: "|").map { (cell: Substring) -> String in
      let text = cell.drop { $0 == " " }
      return text.hasSuffix(" ") ? String(text.dropLast()) : String(text)
    }
  }

  @Test func lineShowsBothSidesAndEveryBar() {
    #expect(
      cells(ReportTable([line]), line: 0) == [
        "48 photographs", "0.50 s", "16 MB", "35.69 dB", "libvips 8.18.7", "1.00 s", "85 MB",
        "35.69 dB", "0.50", "time \u{2264} 0.80: met; \u{2264} 15 MB: **missed**",
      ])
  }

  @Test func everyLineHasTheHeadsColumns() {
    var absent = line
    (absent.theirs, absent.ratio, absent.bars) = (nil, nil, [])
    let table = ReportTable([line, absent])
    let counts = table.text.split(separator: "\n").map { $0.count { $0 == "|" } }
    #expect(counts == [11, 11, 11, 11])
    #expect(cells(table, line: 1)[5] == "not installed")
  }

  @Test(arguments: [
    (Bar.ratio(0.85, atMost: 0.85), true), (.ratio(0.851, atMost: 0.85), false),
    (.memory(16e6, atMost: 16), true), (.memory(16_777_216, atMost: 16), false),
    (.seconds(0.0061, atMost: 0.006), false),
  ])
  func barIsMet(bar: Bar, isMet: Bool) { #expect(bar.isMet == isMet) }
}
