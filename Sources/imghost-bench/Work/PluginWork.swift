import BenchReport

/// What it costs that plugins run in processes of their own.
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
      lines.append(
        line(
          "\(plugin), 12 MP RGBA, isolated", pairs, ratio: ratio,
          bars: [.ratio(ratio, atMost: 1.03)]))
    }
    for plugin in plugins {
      let pairs = try pairs(plugin, 64, 64, count: 200 * bench.runs, bench)
      let cost = pairs.map { $0.isolated - $0.local }.median
      lines.append(
        line(
          "\(plugin), 64x64 RGBA, isolated", pairs,
          ratio: pairs.map { $0.isolated / $0.local }.median,
          bars: [
            Bar("\(NumberText.time(cost)) more \u{2264} 40 \u{b5}s", isMet: cost <= 40e-6)
          ]))
    }
    return lines
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
