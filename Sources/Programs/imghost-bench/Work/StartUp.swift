import BenchReport

/// The fixed cost of every start of imghost, measured with `--version` and with one small picture.
struct StartUp: Work {
  let name = "start-up"
  let summary = "'--version', and a script with one small JPEG, against libvips' programs"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let imghost = Folder.sibling("imghost")
    let scratch = bench.scratch.path
    let small = scratch + "/small.jpg"
    let make = TextFile.write(
      """
      local img = require "imghost"
      img.canvas(64, 48, { background = "teal" }):save("small.jpg")
      """, scratch + "/small.lua")
    guard Measurement([imghost, "run", "--out", scratch, make]) != nil else { throw .failed("imghost run") }
    let script = TextFile.write(
      """
      local img = require "imghost"
      img.open(arg[1]):save("one.jpg", { quality = 85 })
      """, scratch + "/one.lua")
    return try line(
      "imghost --version", Command(words: [imghost, "--version"]), limit: 0.005,
      peer: "vips", ["vips", "--version"], bench)
      + line(
        "a script that opens a small JPEG and saves it",
        Command(words: [imghost, "run", "--out", scratch, script, small]), limit: 0.010,
        peer: "vipsthumbnail",
        ["vipsthumbnail", "--size", "64", "-o", scratch + "/one-peer.jpg[Q=85]", small], bench)
  }

  private func line(
    _ work: String, _ ours: Command, limit: Double, peer: String, _ theirs: [String],
    _ bench: Bench
  ) throws(BenchFailure) -> [ReportLine] {
    let version = VipsPrograms.version(bench)
    let contest = ProgramContest(
      ours: ours,
      peers: [
        PeerCommand(
          name: peer + (version.map { " (\($0))" } ?? ""),
          command: version == nil ? nil : Command(words: theirs))
      ], bench: bench)
    return try contest.results().map {
      ReportLine($0, work: work, bars: [.seconds($0.ours.seconds, atMost: limit)])
    }
  }
}
