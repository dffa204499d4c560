import BenchReport
import Scheduling

/// The latency and the throughput that service classes promise, compared with an idle machine, Grand Central Dispatch
/// and a plain pool.
struct QualityOfServiceWork: Work {
  let name = "qos"
  let summary = "urgent jobs under load, what the classes cost, and how soon Ctrl-C ends a run"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let contest = PoolContest(
      workers: Scheduling.Machine.detect().effectiveCores,
      rounds: Spinning.roundsOfAMillisecond(), bench: bench)
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
      let pairs = try contest.pairs(
        (.imghost, "loaded"), (kind, measure), runs: contest.bench.runs
      ) { $0.percentile(99) }
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
      let pairs = try contest.pairs((.imghost, measure), (.plain, "batch"), runs: contest.bench.runs) { $0[0] }
      lines.append(
        pairs.line(
          "\(batch), \(title)", peer: "FIFO pool without classes",
          bar: .ratio(pairs.ratio, atMost: 1.02)))
    }
    // The processor time of the urgent jobs, divided among the workers, is subtracted from the time of the batch.
    let served = try contest.pairs(
      (.imghost, "batch-interactive"), (.imghost, "batch"), runs: contest.bench.runs
    ) { $0[0] - $0[1] / Double(contest.workers) }
    lines.append(
      served.line(
        "\(batch) while 10 urgent jobs a second are served, less what these use",
        peer: "imghost without them", bar: .ratio(served.ratio, atMost: 1.05)))
    return lines
  }

  private func overhead(_ contest: PoolContest) throws(BenchFailure) -> [ReportLine] {
    let jobs = try contest.pairs((.imghost, "jobs"), (.dispatch, "jobs"), runs: contest.bench.runs) { $0[0] }
    let strips = try contest.pairs((.imghost, "strips"), nil, runs: contest.bench.runs) { $0[0] }
    return [
      jobs.line(
        "an empty job", peer: "DispatchQueue.global(qos:)", bar: .seconds(jobs.ours, atMost: 3e-6)),
      strips.line("an empty strip", peer: "", bar: .seconds(strips.ours, atMost: 10e-9)),
    ]
  }
}

/// Runs two pools in alternation.
struct PoolContest {
  let workers: Int
  let rounds: Int
  let bench: Bench

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

  /// Returns the medians, over all pairs, of a number that is computed from the output of a worker.
  func pairs(
    _ ours: (PoolWorker.Kind, String), _ theirs: (PoolWorker.Kind, String)?, runs: Int, _ number: ([Double]) -> Double
  ) throws(BenchFailure) -> Pairs {
    var (own, other): ([Double], [Double]) = ([], [])
    for _ in 0..<runs {
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
