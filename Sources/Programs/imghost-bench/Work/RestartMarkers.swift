import BenchReport

/// Two workers against one, on a JPEG whose restart markers let several workers decode it.
struct RestartMarkers: Work {
  let name = "restarts"
  let summary = "two workers against one, on a JPEG of 300 MP with restart markers"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let source = try LargeInput.restarts.path(bench)
    let batch = Batch(
      LargeInput.restarts.title + " to 1000 pixels", bench,
      """
      img.open(arg[1]):thumbnail(1000, 1000):save("{stem}.jpg", { quality = 85 })
      """, [source])
    try batch.prepare()
    let contest = ProgramContest(
      ours: batch.command(["--jobs", "2"]),
      peers: [PeerCommand(name: "imghost --jobs 1", command: batch.command(["--jobs", "1"]))],
      folders: (ours: [batch.out], peers: [batch.out]), bench: bench)
    return try contest.results().map { result in
      let gain = result.ratio.map { 1 / $0 } ?? 0
      return ReportLine(
        result, work: batch.title + ", --jobs 2",
        bars: [
          Bar("\(NumberText.decimal(gain, 2)) times as fast \u{2265} 1.5", isMet: gain >= 1.5),
          .memory(result.ours.peakBytes ?? 0, atMost: 32),
        ])
    }
  }
}
