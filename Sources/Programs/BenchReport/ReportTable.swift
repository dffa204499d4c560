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

extension Array where Element == Double {
  /// Returns the smallest value that is at least as large as the given percentage of all values (nearest rank). The
  /// array must not be empty.
  package func percentile(_ percent: Double) -> Double {
    precondition(!isEmpty && (0...100).contains(percent))
    let rank = Int((percent / 100 * Double(count)).rounded(.up))
    return sorted()[Swift.max(0, rank - 1)]
  }

  /// The median, which is the mean of the two middle values for an even count. The array must not be empty.
  package var median: Double {
    precondition(!isEmpty)
    let sorted = self.sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Formats numbers for the tables.
package enum NumberText {
  /// Formats a time: with two decimals in seconds from 0.1 s, with one in milliseconds from 0.1 ms, and below that with
  /// one in microseconds or nanoseconds.
  package static func time(_ seconds: Double) -> String {
    if seconds < 1e-7 { return "\(decimal(seconds * 1e9, 1)) ns" }
    if seconds < 1e-4 { return "\(decimal(seconds * 1e6, 1)) \u{b5}s" }
    return seconds < 0.1 ? "\(decimal(seconds * 1000, 1)) ms" : "\(decimal(seconds, 2)) s"
  }

  /// Returns bytes as whole megabytes (10^6 bytes).
  package static func memory(_ bytes: Double) -> String { "\(Int((bytes / 1e6).rounded())) MB" }

  package static func decibels(_ ratio: Double) -> String { "\(decimal(ratio, 2)) dB" }

  /// Returns a number with the given number of decimals, 1 to 3.
  package static func decimal(_ value: Double, _ digits: Int) -> String {
    precondition((1...3).contains(digits))
    let scale = [10, 100, 1000][digits - 1]
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    let rest = String(scaled % scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    return sign + "\(scaled / scale)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
