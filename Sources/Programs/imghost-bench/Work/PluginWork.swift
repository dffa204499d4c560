import BenchReport

/// The cost of running plugins in processes of their own.
struct PluginWork: Work {
  let name = "plugins"
  let summary = "isolated calls of plugins against the same in-process, large and small"

  /// Filters of ours that take RGBA.
  private let plugins = ["vignette", "halftone"]

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for plugin in plugins {
      let pairs = try pairs(plugin, 4000, 3000, count: 3 * bench.runs, bench)
      let ratio = pairs.map { $0.isolated / $0.local }.median
      lines.append(line("\(plugin), 12 MP RGBA, isolated", pairs, ratio: ratio, bars: [.ratio(ratio, atMost: 1.03)]))
    }
    for plugin in plugins {
      let pairs = try pairs(plugin, 64, 64, count: 200 * bench.runs, bench)
      let cost = pairs.map { $0.isolated - $0.local }.median
      lines.append(
        line(
          "\(plugin), 64x64 RGBA, isolated", pairs, ratio: pairs.map { $0.isolated / $0.local }.median,
          bars: [Bar("\(NumberText.time(cost)) more \u{2264} 40 \u{b5}s", isMet: cost <= 40e-6)]))
    }
    return try lines + frei0r(bench) + startUp(bench)
  }

  /// The median over all of frei0r's filters that work; each counts by its own median.
  private func frei0r(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let output = bench.scratch.path + "/filters.txt"
    guard Measurement(Subprocess.pluginList.command([]), output: output) != nil else {
      throw .failed("the list of frei0r's filters")
    }
    var names = (TextFile.read(output) ?? "").split(separator: "\n").map(String.init)
    if bench.isQuick { names = (0..<min(10, names.count)).map { names[$0 * names.count / 10] } }
    var found: [(name: String, medians: Pair, ratio: Double)] = []
    for name in names {
      guard let pairs = try? pairs(name, 4000, 3000, count: bench.runs, bench) else { continue }
      let medians = Pair(
        isolated: pairs.map(\.isolated).median, local: pairs.map(\.local).median)
      found.append((name, medians, pairs.map { $0.isolated / $0.local }.median))
    }
    guard !found.isEmpty else {
      BenchProgram.message("there are no frei0r filters that work: see FREI0R_PATH")
      return []
    }
    let highest = found.sorted { $0.ratio > $1.ratio }.prefix(5).map {
      "\($0.name) \(NumberText.decimal($0.ratio, 2)) of \(NumberText.time($0.medians.local))"
    }
    BenchProgram.message(
      "\(found.count) of \(names.count) filters work and take less than 3 s; the highest ratios: "
        + highest.joined(separator: ", "))
    let ratio = found.map(\.ratio).median
    return [
      line(
        "\(found.count) frei0r filters, 12 MP RGBA, isolated", found.map(\.medians), ratio: ratio,
        bars: [.ratio(ratio, atMost: 1.03)])
    ]
  }

  /// A script that uses no plugin, with and without a folder of plugins on the path.
  private func startUp(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let scratch = bench.scratch.path
    guard Folder.make(scratch + "/empty") else { throw .failed("folder \(scratch)/empty") }
    let script = TextFile.write(
      """
      local img = require "imghost"
      img.canvas(64, 48, { background = "teal" }):save("plain.png")
      """, scratch + "/plain.lua")
    let words = [Folder.sibling("imghost"), "run", "--out", scratch, script]
    // The standard folders hold the plugins in any case: what differs is one more folder of them.
    let contest = ProgramContest(
      ours: Command(words: words, environment: ["FREI0R_PATH": "/usr/lib/frei0r-1"]),
      peers: [
        PeerCommand(
          name: "imghost, an empty folder",
          command: Command(words: words, environment: ["FREI0R_PATH": scratch + "/empty"]))
      ], bench: bench.with(runs: 20 * bench.runs))
    return try contest.results().map {
      // Two digits are what such short times are known to.
      let ratio = $0.ratio ?? .infinity
      return ReportLine(
        work: "a script without plugins, frei0r's on the path", ours: $0.ours, peer: $0.peer, theirs: $0.theirs,
        ratio: ratio, bars: [Bar("time \u{2264} 1.00", isMet: ratio < 1.005)])
    }
  }

  private struct Pair {
    let isolated: Double
    let local: Double
  }

  private func line(_ work: String, _ pairs: [Pair], ratio: Double, bars: [Bar]) -> ReportLine {
    ReportLine(
      work: work, ours: Figures(seconds: pairs.map(\.isolated).median), peer: "in-process",
      theirs: Figures(seconds: pairs.map(\.local).median), ratio: ratio, bars: bars)
  }

  private func pairs(_ plugin: String, _ width: Int, _ height: Int, count: Int, _ bench: Bench)
    throws(BenchFailure) -> [Pair]
  {
    let output = bench.scratch.path + "/pairs.txt"
    let command = Subprocess.pluginCalls.command([plugin, "\(width)", "\(height)", "\(count)"])
    guard Measurement(command, output: output) != nil else { throw .failed("plugin \(plugin)") }
    let pairs = (TextFile.read(output) ?? "").split(separator: "\n").compactMap { line -> Pair? in
      let numbers = line.split(separator: " ").compactMap { Double($0) }
      guard numbers.count == 2 else { return nil }
      return Pair(isolated: numbers[0] / 1e9, local: numbers[1] / 1e9)
    }
    guard pairs.count == count else { throw .failed("plugin \(plugin): pairs are missing") }
    return pairs
  }
}
