import BenchReport

/// Two workers against one.
struct Scaling: Work {
  let name = "scaling"
  let summary = "two workers against one, on the first three batch jobs"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let makers: [(Bench) -> Batch] = [
      { Thumbnails.batch($0, photos.count) }, { PhotoBook.batch($0, photos.count) },
      { PassThrough.batch($0, photos) },
    ]
    var lines: [ReportLine] = []
    for make in makers {
      let batch = make(bench)
      try batch.prepare()
      let contest = ProgramContest(
        ours: batch.command(["--jobs", "2"]),
        peers: [PeerCommand(name: "imghost --jobs 1", command: batch.command(["--jobs", "1"]))],
        bench: bench)
      for result in try contest.results() {
        let gain = result.ratio.map { 1 / $0 } ?? 0
        lines.append(
          ReportLine(
            result, work: batch.title + ", --jobs 2",
            bars: [
              Bar("\(NumberText.decimal(gain, 2)) times as fast \u{2265} 1.9", isMet: gain >= 1.9)
            ]))
      }
    }
    return lines
  }
}
