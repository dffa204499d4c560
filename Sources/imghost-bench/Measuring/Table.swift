/// Results as a Markdown table.
struct Table {
  struct Line {
    let name: String
    let seconds: Double
    let peakBytes: Double
    let peerName: String
    let peerSeconds: Double?
    let peerPeakBytes: Double?
    /// The median of the pairs' ratios, ours over the peer's.
    let ratio: Double?
  }

  private var lines: [Line] = []

  mutating func add(_ line: Line) { lines.append(line) }

  var text: String {
    let head = [
      "| work | imghost | peak memory | peer | its time | its peak memory | ratio of times |",
      "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    return
      (head
      + lines.map { line in
        let cells = [
          line.name, Self.time(line.seconds), Self.memory(line.peakBytes), line.peerName,
          line.peerSeconds.map(Self.time) ?? "not installed",
          line.peerPeakBytes.map(Self.memory) ?? "", line.ratio.map { Self.decimal($0, 2) } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
      }).joined(separator: "\n")
  }

  private static func time(_ seconds: Double) -> String {
    seconds < 0.1 ? "\(decimal(seconds * 1000, 1)) ms" : "\(decimal(seconds, 2)) s"
  }

  private static func memory(_ bytes: Double) -> String {
    "\(Int((bytes / 1_048_576).rounded())) MiB"
  }

  /// A number with so many digits after the point.
  private static func decimal(_ value: Double, _ digits: Int) -> String {
    let scale = digits == 1 ? 10 : 100
    let whole = Int((value * Double(scale)).rounded())
    let rest = String(whole % scale)
    return "\(whole / scale)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
