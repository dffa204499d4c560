import BenchReport

/// Formats that codec plugins read and write.
struct FormatsWork: Work {
  let name = "formats"
  let summary = "formats of codec plugins, against libvips, Pillow and dcraw_emu"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for format in bench.formats { lines += try FormatThumbnails.lines(format, bench) }
    lines += try FormatExports.lines(bench)
    lines += try FormatIsolation.lines(bench)
    if bench.formats.count == BenchFormat.allCases.count { lines += try FormatStartUp.lines(bench) }
    return lines
  }
}

extension Bar {
  /// Returns the verdict on imghost's memory as a fraction of the peer's; nil if either is unknown.
  static func memory(_ line: ReportLine, atMost limit: Double) -> Bar? {
    guard let own = line.ours.peakBytes, let other = line.theirs?.peakBytes else { return nil }
    let part = own / other
    return Bar(
      "memory \(NumberText.decimal(part, 2)) \u{2264} \(NumberText.decimal(limit, 2))", isMet: part <= limit)
  }
}

extension Batch {
  /// Returns the command with options; its measured memory includes the plugin workers.
  func withWorkers(_ options: [String] = []) -> Command {
    var command = command(options)
    command.countsChildren = true
    return command
  }

  /// Measures against each peer, and checks that both sides write `count` files.
  func lines(_ peers: [PeerCommand], files count: Int, bars: (ReportLine) -> [Bar]) throws(BenchFailure) -> [ReportLine]
  {
    var lines: [ReportLine] = []
    for peer in peers {
      try prepare()
      let contest = ProgramContest(ours: withWorkers(), peers: [peer], folders: ([out], [peerOut]), bench: bench)
      for result in try contest.results() {
        for folder in peer.command == nil ? [out] : [out, peerOut] {
          let made = Folder.files(folder, suffix: "").count { !$0.hasSuffix("/.") && !$0.hasSuffix("/..") }
          guard made == count else { throw .wrongResult("\(made) files instead of \(count) in \(folder)") }
        }
        var line = ReportLine(result, work: title)
        line.bars = bars(line)
        lines.append(line)
      }
    }
    return lines
  }
}
