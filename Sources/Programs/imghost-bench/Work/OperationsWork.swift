import BenchReport

/// Operations that libvips also has, applied to one photograph. Whole programs with one worker are compared by
/// processor time. Both read and write uncompressed samples, libvips in its own format and imghost as PPM.
struct OperationsWork: Work {
  let name = "operations"
  let summary = "12 MP by one operation on one thread, against libvips: processor time"

  /// An operation and its counterpart.
  private struct Row {
    let call: String
    /// The words after `vips`. `IN` and `OUT` stand for files, `INDEX`, `LUT` and `MATRIX` for further files that
    /// libvips needs, and `MAP` for the numbers of an affine map.
    let peer: String

    init(_ call: String, _ peer: String) {
      self.call = call
      self.peer = peer
    }
  }

  // libvips' 'recomb' writes floats. Converting them to 8 bits would need another file, so its row measures only
  // 'recomb' itself.
  private static let rows = [
    Row("median(3)", "rank IN OUT 3 3 4"), Row("median(5)", "rank IN OUT 5 5 12"),
    Row("dilate(2)", "rank IN OUT 5 5 24"), Row("erode(2)", "rank IN OUT 5 5 0"),
    Row("levels(20, 230)", "linear IN OUT 1.2142857 --uchar -- -24.285714"),
    Row("curves{ { 0, 0 }, { 64, 40 }, { 192, 220 }, { 255, 255 } }", "maplut IN OUT LUT"),
    Row(
      "recomb{ { 0.39, 0.77, 0.19 }, { 0.35, 0.69, 0.17 }, { 0.27, 0.53, 0.13 } }", "recomb IN OUT MATRIX"),
    Row("affine{ 1, 0.3, 0.1, 0.8 }", "affine IN OUT MAP --interpolate bicubic"),
    Row("perspective{ 400, 200, 3600, 100, 3900, 2900, 200, 2800 }", "mapim IN OUT INDEX --interpolate bicubic"),
    Row("trim()", "find_trim IN"),
  ]

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let version = VipsPrograms.version(bench)
    let (ppm, files) = try inputs(bench, hasPeer: version != nil)
    var lines: [ReportLine] = []
    for row in Self.rows {
      let batch = Batch(
        "12 MP, \(row.call.prefix { $0 != "{" })", bench, "img.open(arg[1]):\(row.call):save(\"out.ppm\")", [ppm])
      try batch.prepare()
      let words = row.peer.split(separator: " ").map { files[String($0)] ?? String($0) }
      let command = Command(words: ["vips"] + words, environment: ["VIPS_CONCURRENCY": "1"])
      let contest = ProgramContest(
        ours: batch.command(["--jobs", "1"]),
        peers: [PeerCommand(name: "libvips \(version ?? "")", command: version == nil ? nil : command)],
        folders: (ours: [batch.out], peers: [batch.peerOut]), bench: bench, comparesProcessorTime: true)
      lines += try contest.results().map { ReportLine($0, work: batch.title, ratioAtMost: 0.8) }
    }
    return lines
  }

  /// Creates the picture as PPM, and the files that libvips reads. Returns the values of the placeholders in
  /// `Row.peer`.
  private func inputs(_ bench: Bench, hasPeer: Bool) throws(BenchFailure) -> (ppm: String, files: [String: String]) {
    let photo = try bench.inputs.neededPhotos()[0]
    let folder = bench.scratch.path
    let script = TextFile.write(
      "require \"imghost\".open(arg[1]):fill(4000, 3000):save(\"in.ppm\")", folder + "/ppm.lua")
    guard Measurement([Folder.sibling("imghost"), "run", "--out", folder, script, photo]) != nil else {
      throw .noInput("operations")
    }
    let ppm = folder + "/in.ppm"
    var files = ["OUT": folder + "/peer/out.v", "MAP": "1 0.3 0.1 0.8"]
    for (name, file) in [("IN", "in.v"), ("LUT", "lut.v"), ("INDEX", "index.v")] { files[name] = folder + "/" + file }
    files["MATRIX"] = TextFile.write("3 3\n0.39 0.77 0.19\n0.35 0.69 0.17\n0.27 0.53 0.13\n", folder + "/m.mat")
    guard hasPeer else { return (ppm, files) }
    for words in [
      ["copy", ppm, folder + "/in.v"], ["identity", folder + "/lut.v"], ["xyz", folder + "/index.v", "4000", "3000"],
    ] {
      guard Measurement(["vips"] + words) != nil else { throw .noInput("libvips") }
    }
    return (ppm, files)
  }
}
