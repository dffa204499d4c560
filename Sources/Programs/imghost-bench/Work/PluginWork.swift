import BenchReport

/// The cost of plugins: of running them in processes of their own, and of a folder of plugins that a script does not
/// use.
struct PluginWork: Work {
  let name = "plugins"
  let summary = "scripts that call plugins, isolated and in-process, large and small"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for plugin in ["vignette", "halftone"] {
      let large = Batch(
        "12 pictures of 12 MP, \(plugin), isolated", bench,
        "for i = 1, 12 do img.canvas(4000, 3000, { background = { i, 90, 90 } }):plugin(\"\(plugin)\"):stats() end", [])
      lines += try IsolationContest(batch: large).lines(limit: 1.03)
      let small = Batch(
        "one more of 64x64, \(plugin), isolated", bench,
        "for i = 1, tonumber(arg[1]) do img.canvas(64, 64):plugin(\"\(plugin)\"):stats() end", [])
      lines += try IsolationContest(batch: small).lines(ofEach: 2000) { isolated, local in
        let cost = max(0, isolated - local)
        return Bar("\(NumberText.time(cost)) more \u{2264} 40 \u{b5}s", isMet: cost <= 40e-6)
      }
    }
    return try lines + startUp(bench)
  }

  /// Measures a script that uses no plugin, with and without a folder of plugins on the path.
  private func startUp(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let scratch = bench.scratch.path
    guard Folder.make(scratch + "/empty") else { throw .failed("folder \(scratch)/empty") }
    let script = TextFile.write(
      """
      local img = require "imghost"
      img.canvas(64, 48, { background = "teal" }):save("plain.png")
      """, scratch + "/plain.lua")
    let words = [Folder.sibling("imghost"), "run", "--out", scratch, script]
    // Plugins in the standard folders are found in both cases. The difference is one more folder of plugins.
    let contest = ProgramContest(
      ours: Command(words: words, environment: ["FREI0R_PATH": "/usr/lib/frei0r-1"]),
      peers: [
        PeerCommand(
          name: "imghost, an empty folder",
          command: Command(words: words, environment: ["FREI0R_PATH": scratch + "/empty"]))
      ], bench: bench.with(runs: 20 * bench.runs))
    return try contest.results().map {
      // For times this short, only two decimals of the ratio are meaningful.
      let ratio = $0.ratio ?? .infinity
      return ReportLine(
        work: "a script without plugins, frei0r's on the path", ours: $0.ours, peer: $0.peer, theirs: $0.theirs,
        ratio: ratio, bars: [Bar("time \u{2264} 1.00", isMet: ratio < 1.005)])
    }
  }
}

/// A comparison of two ways to run a script that calls foreign code: in separate processes, as usual, and with
/// `--in-process`.
struct IsolationContest {
  let batch: Batch

  func lines(limit: Double) throws(BenchFailure) -> [ReportLine] {
    try batch.prepare()
    let local = PeerCommand(name: "imghost --in-process", command: batch.withWorkers(["--in-process"]))
    let contest = ProgramContest(ours: batch.withWorkers(), peers: [local], bench: batch.bench)
    return try contest.results().map { ReportLine($0, work: batch.title, ratioAtMost: limit) }
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
