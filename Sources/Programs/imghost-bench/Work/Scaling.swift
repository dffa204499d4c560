import BenchReport
import Platform

/// Two workers against one, and against two independent processes with one worker each. The two processes show the
/// largest gain that the machine's second core allows.
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
      let one = PeerCommand(name: "imghost --jobs 1", command: batch.command(["--jobs", "1"]))
      let contest = ProgramContest(
        ours: batch.command(["--jobs", "2"]), peers: [one, try Self.twoProcesses(photos, batch)],
        folders: (ours: [batch.out], peers: [batch.out, batch.peerOut]), bench: bench)
      for result in try contest.results() {
        guard result.peer == one.name else {
          lines.append(ReportLine(result, work: batch.title + ", --jobs 2"))
          continue
        }
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

  /// Returns a command with two processes, each of which processes every second photograph.
  private static func twoProcesses(_ photos: [String], _ batch: Batch) throws(BenchFailure) -> PeerCommand {
    var calls: [String] = []
    for half in 0..<2 {
      let folder = batch.bench.scratch.path + "/half-\(half)"
      _ = Measurement(["rm", "-rf", folder])
      let links = photos.indices.filter { $0 % 2 == half }
        .map { photos[$0].hasPrefix("/") ? photos[$0] : currentFolder() + "/" + photos[$0] }
      guard Folder.make(folder), Measurement(["ln", "-s"] + links + [folder]) != nil else {
        throw .failed("folder \(folder)")
      }
      let words =
        [Folder.sibling("imghost"), "run", "--jobs", "1", "--progress", "never"]
        + ["--out", batch.peerOut + "/\(half)", batch.script, folder]
      calls.append(words.map { "'\($0)'" }.joined(separator: " ") + " & ")
    }
    return PeerCommand(
      name: "two imghost --jobs 1, half of them each",
      command: Command(words: ["sh", "-c", calls.joined() + "wait"]))
  }
}
