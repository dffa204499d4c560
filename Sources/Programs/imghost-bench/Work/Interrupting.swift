import BenchReport
import Platform

/// The time between Ctrl-C in the middle of the photo book and the end of the run.
struct Interrupting {
  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = PhotoBook.batch(bench, photos.count)
    // This run brings the program and the photographs into the system's cache, so that the signals arrive in the middle
    // of the runs below.
    try batch.prepare()
    guard batch.command().run(output: "/dev/null") != nil else { throw .failed(batch.title) }
    var times: [Double] = []
    for run in 0..<bench.runs {
      try batch.prepare()
      // The signal is sent at another moment each time.
      times.append(try interrupt(batch, after: 0.15 + 0.1 * Double(run % 5)))
    }
    return [
      ReportLine(
        work: "from Ctrl-C to the end, in the photo book",
        ours: Figures(seconds: times.max() ?? 0), peer: "", theirs: nil, ratio: nil,
        bars: [.seconds(times.max() ?? 0, atMost: 0.5)])
    ]
  }

  private func interrupt(_ batch: Batch, after seconds: Double) throws(BenchFailure) -> Double {
    let command = batch.command()
    guard
      let process = ChildProcess(command.words, adding: command.environment, descriptors: [.noErrors])
    else { throw .failed("imghost run") }
    // A program that is still being loaded does not handle the signal yet, so this waits for the first file of the run.
    waitForFile(in: batch.out)
    usleep(UInt32(seconds * 1e6))
    let start = Clock.seconds
    kill(process.identifier, SIGINT)
    let ending = process.wait()
    let passed = Clock.seconds - start
    guard ending == .exit(130) else {
      let text = ending.map { "\($0)" } ?? "no status"
      throw .wrongResult("an interrupted run ended with \(text) instead of exit(130)")
    }
    guard Folder.isEmpty(batch.out) else { throw .wrongResult("a run that was interrupted left files behind") }
    return passed
  }

  /// Waits until a folder contains a file, but at most 10 seconds. A run that is interrupted too early ends with
  /// another status.
  private func waitForFile(in folder: String) {
    let start = Clock.seconds
    while Folder.isEmpty(folder) && Clock.seconds - start < 10 { usleep(1_000) }
  }
}
