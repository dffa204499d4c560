import BenchReport

/// The start of imghost with codec plugins beside it and without them.
enum FormatStartUp {
  static func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let scratch = bench.scratch.path
    let (with, without) = (scratch + "/with", scratch + "/without")
    let output = scratch + "/codecs.txt"
    guard Folder.make(with), Folder.make(without), Measurement(Subprocess.codecList.command([]), output: output) != nil
    else { throw .failed("the list of codec plugins") }
    let codecs = Set((TextFile.read(output) ?? "").split(separator: "\n").map { name(String($0)) })
    let programs = ["imghost", "imghost-plugin-worker"].map(Folder.sibling)
    let libraries = Folder.files(Folder.own, suffix: "Plugin.so")
    let others = libraries.filter { !codecs.contains(name($0)) }
    guard Measurement(["cp"] + programs + libraries + [with]) != nil,
      Measurement(["cp"] + programs + others + [without]) != nil
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
        result, work: "a script with one small JPEG, \(libraries.count - others.count) codec plugins installed",
        bars: result.ratio.map { [.ratio($0, atMost: 1.03)] } ?? [])
    }
  }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
