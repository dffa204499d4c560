import BenchReport

/// A comparison of two ways to run a script that calls foreign code: in separate processes, as usual, and with
/// `--in-process`.
struct IsolationContest {
  let batch: Batch

  /// Measures the whole script.
  func lines(limit: Double) throws(BenchFailure) -> [ReportLine] {
    try batch.prepare()
    let local = PeerCommand(name: "imghost --in-process", command: batch.withWorkers(["--in-process"]))
    let contest = ProgramContest(ours: batch.withWorkers(), peers: [local], bench: batch.bench)
    return try contest.results().map { result in
      ReportLine(result, work: batch.title, bars: result.ratio.map { [.ratio($0, atMost: limit)] } ?? [])
    }
  }

  /// Measures the time for each additional call: the difference between runs with twice `count` calls and with `count`.
  /// The script receives the number of calls as its last argument. Returns no line if other activity of the machine
  /// hides the difference.
  func lines(ofEach count: Int, bar: (_ isolated: Double, _ local: Double) -> Bar) throws(BenchFailure) -> [ReportLine]
  {
    try batch.prepare()
    var (isolated, local): ([Double], [Double]) = ([], [])
    // The first round does not count: it fills caches.
    for run in 0...batch.bench.runs {
      let costs = try (cost([], count), cost(["--in-process"], count))
      guard run > 0 else { continue }
      isolated.append(costs.0)
      local.append(costs.1)
    }
    guard isolated.median > 0, local.median > 0 else {
      BenchProgram.message("'\(batch.title)' is left out: it is lost in what else the machine does")
      return []
    }
    return [
      ReportLine(
        work: batch.title, ours: Figures(seconds: isolated.median), peer: "imghost --in-process",
        theirs: Figures(seconds: local.median), ratio: zip(isolated, local).map { $0 / $1 }.median,
        bars: [bar(isolated.median, local.median)])
    ]
  }

  private func cost(_ options: [String], _ count: Int) throws(BenchFailure) -> Double {
    let times = [count, 2 * count].map { calls in
      Command(words: batch.command(options).words + ["\(calls)"]).run(output: "/dev/null")?.seconds
    }
    guard let few = times[0], let many = times[1] else { throw .failed(batch.title) }
    return (many - few) / Double(count)
  }
}
