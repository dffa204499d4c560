import BenchReport

/// The start of imghost with and without plugins in its folder.
enum FormatStartUp {
  static func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let scratch = bench.scratch.path
    let (with, without) = (scratch + "/with", scratch + "/without")
    let programs = ["imghost", "imghost-plugin-worker"].map(Folder.sibling)
    let libraries = Folder.files(Folder.own, suffix: "Plugin.so")
    guard Folder.make(with), Folder.make(without), Measurement(["cp"] + programs + libraries + [with]) != nil,
      Measurement(["cp"] + programs + [without]) != nil
    else { throw .failed("copying imghost") }
    let script = TextFile.write(
      """
      local img = require "imghost"
      img.canvas(64, 48, { background = "teal" }):save("plain.jpg")
      """, scratch + "/plain.lua")
    func command(_ folder: String) -> Command {
      Command(words: [folder + "/imghost", "run", "--out", scratch, script])
    }
    // Pairs of a few milliseconds: many of them.
    let contest = ProgramContest(
      ours: command(with), peers: [PeerCommand(name: "imghost without them", command: command(without))],
      bench: bench.with(runs: 20 * bench.runs))
    return try contest.results().map { result in
      ReportLine(
        result, work: "a script with one small JPEG, \(libraries.count) plugins installed",
        bars: result.ratio.map { [.ratio($0, atMost: 1.03)] } ?? [])
    }
  }
}
