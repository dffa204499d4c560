/// The lines of the report, formatted as a Markdown table.
package struct ReportTable: Sendable {
  package var lines: [ReportLine]

  package init(_ lines: [ReportLine] = []) { self.lines = lines }

  private static let heads = [
    "work", "imghost", "memory", "quality", "peer", "its time", "memory", "quality", "ratio",
    "bar",
  ]

  package var text: String {
    let rule = Self.heads.map { _ in "---" }
    return ([Self.heads, rule] + lines.map(Self.cells)).map {
      "| " + $0.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }

  private static func cells(_ line: ReportLine) -> [String] {
    let theirs =
      line.theirs.map(figures) ?? [line.peer.isEmpty ? "" : "not installed", "", ""]
    let bars = line.bars.map { "\($0.text): \($0.isMet ? "met" : "**missed**")" }
    return [line.work] + figures(line.ours) + [line.peer] + theirs
      + [
        line.ratio.map { NumberText.decimal($0, 2) } ?? "",
        bars.joined(separator: "; "),
      ]
  }

  private static func figures(_ figures: Figures) -> [String] {
    [
      NumberText.time(figures.seconds), figures.peakBytes.map(NumberText.memory) ?? "",
      figures.decibels.map(NumberText.decibels) ?? "",
    ]
  }
}
