import BenchReport
import Platform
import Scheduling

/// The latency and the throughput that service classes promise, compared with an idle machine, Grand Central Dispatch
/// and a plain pool.
struct QualityOfServiceWork: Work {
  let name = "qos"
  let summary = "urgent jobs under load, what the classes cost, and how soon Ctrl-C ends a run"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let contest = PoolContest(bench)
    return try latency(contest) + throughput(contest) + overhead(contest) + Interrupting().lines(bench)
  }

  // MARK: - urgent jobs

  private func latency(_ contest: PoolContest) throws(BenchFailure) -> [ReportLine] {
    let work = "2 ms user-interactive job under utility and background load, p99"
    var lines: [ReportLine] = []
    for (kind, measure, peer) in [
      (PoolWorker.Kind.imghost, "idle", "imghost, idle machine"),
      (.dispatch, "loaded", "DispatchQueue.global(qos:), same load"),
      (.fifo, "loaded", "one FIFO pool, same load"),
    ] {
      let pairs = try contest.pairs((.imghost, "loaded"), (kind, measure)) { $0.percentile(99) }
      let isIdle = measure == "idle"
      lines.append(
        pairs.line(
          work, peer: peer,
          bar: isIdle
            ? .ratio(pairs.ratio, atMost: 1.5) : Bar("better", isMet: pairs.ratio < 1)))
    }
    return lines
  }

  // MARK: - what the classes cost

  private func throughput(_ contest: PoolContest) throws(BenchFailure) -> [ReportLine] {
    let batch = "batch of 10 ms jobs"
    var lines: [ReportLine] = []
    for (measure, title) in [("batch", "default class"), ("batch-utility", "utility class")] {
      let pairs = try contest.pairs((.imghost, measure), (.plain, "batch")) { $0[0] }
      lines.append(
        pairs.line(
          "\(batch), \(title)", peer: "FIFO pool without classes",
          bar: .ratio(pairs.ratio, atMost: 1.02)))
    }
    // The processor time of the urgent jobs, divided among the workers, is subtracted from the time of the batch.
    let served = try contest.pairs((.imghost, "batch-interactive"), (.imghost, "batch")) {
      $0[0] - $0[1] / Double(contest.workers)
    }
    lines.append(
      served.line(
        "\(batch) while 10 urgent jobs a second are served, less what these use",
        peer: "imghost without them", bar: .ratio(served.ratio, atMost: 1.05)))
    return lines
  }

  private func overhead(_ contest: PoolContest) throws(BenchFailure) -> [ReportLine] {
    let jobs = try contest.pairs((.imghost, "jobs"), (.dispatch, "jobs")) { $0[0] }
    let strips = try contest.pairs((.imghost, "strips"), nil) { $0[0] }
    return [
      jobs.line(
        "an empty job", peer: "DispatchQueue.global(qos:)", bar: .seconds(jobs.ours, atMost: 3e-6)),
      strips.line("an empty strip", peer: "", bar: .seconds(strips.ours, atMost: 10e-9)),
    ]
  }
}

/// Runs two pools in alternation.
struct PoolContest {
  let workers = Scheduling.Machine.detect().effectiveCores
  let rounds = Spinning.roundsOfAMillisecond()
  let bench: Bench

  init(_ bench: Bench) { self.bench = bench }

  struct Pairs {
    let ours: Double
    let theirs: Double?
    let ratio: Double

    func line(_ work: String, peer: String, bar: Bar) -> ReportLine {
      ReportLine(
        work: work, ours: Figures(seconds: ours), peer: peer,
        theirs: theirs.map { Figures(seconds: $0) }, ratio: theirs == nil ? nil : ratio,
        bars: [bar])
    }
  }

  /// Measures both sides in turn, as often as `bench` asks for, and computes a number from the output of each
  /// measurement. Returns the medians of these numbers, and the median of the ratios of the pairs.
  func pairs(
    _ ours: (PoolWorker.Kind, String), _ theirs: (PoolWorker.Kind, String)?, _ number: ([Double]) -> Double
  ) throws(BenchFailure) -> Pairs {
    var (own, other): ([Double], [Double]) = ([], [])
    for _ in 0..<bench.runs {
      own.append(number(try measure(ours)))
      if let theirs { other.append(number(try measure(theirs))) }
    }
    return Pairs(
      ours: own.median, theirs: other.isEmpty ? nil : other.median,
      ratio: other.isEmpty ? 0 : zip(own, other).map { $0 / $1 }.median)
  }

  private func measure(_ side: (PoolWorker.Kind, String)) throws(BenchFailure) -> [Double] {
    let output = bench.scratch.path + "/pool.txt"
    let command = Subprocess.pool.command([side.0.rawValue, String(workers), String(rounds), side.1])
    let numbers =
      Measurement(command, output: output).flatMap { _ in TextFile.read(output) }?
      .split(whereSeparator: \.isWhitespace).compactMap { Double($0) } ?? []
    guard !numbers.isEmpty else { throw .failed(command.joined(separator: " ")) }
    return numbers
  }
}

/// The time between Ctrl-C in the middle of the photo book and the end of the run.
private struct Interrupting {
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
        ours: Figures(seconds: times.max() ?? 0), bars: [.seconds(times.max() ?? 0, atMost: 0.5)])
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

struct QueueWork: Work {
  let name = "queues"
  let summary = "Scheduling's queues and groups beside those of Dispatch"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let contest = PoolContest(bench)
    let urgent = try contest.pairs((.imghost, "loaded"), (.dispatch, "loaded")) { $0.percentile(99) }
    var lines = [
      urgent.line(
        "2 ms user-interactive job beside a batch in the background, p99", peer: "DispatchQueue.global(qos:)",
        bar: Bar("better", isMet: urgent.ratio < 1))
    ]
    for (measure, work, peer) in [
      ("jobs", "an empty item", "DispatchQueue.global(qos:)"),
      ("serial", "an empty item of a serial queue", "DispatchQueue(label:)"),
      ("group", "an empty item of a group of 1,000, with notification", "DispatchGroup"),
    ] {
      let pairs = try contest.pairs((.imghost, measure), (.dispatch, measure)) { $0[0] }
      lines.append(pairs.line(work, peer: peer, bar: .seconds(pairs.ours, atMost: 10e-6)))
    }
    return lines
  }
}
