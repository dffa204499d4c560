import BenchReport

/// Compares decoded pixels with those of a peer that uses the same library: Debian's libvips, LibRaw's program for RAW,
/// and Pillow for AVIF, because libvips reads AVIF with libheif.
enum FormatPixels {
  /// Returns the verdict on one file; nil if the peer is not installed or does not read it.
  static func bar(_ format: BenchFormat, _ file: String, _ bench: Bench) -> Bar? {
    let scratch = bench.scratch.path
    let script = TextFile.write(
      """
      local img = require "imghost"
      img.open(arg[1], \(format.options)):save("pixels.png")
      """, scratch + "/pixels.lua")
    let (own, other) = (scratch + "/pixels.png", scratch + "/pixels-peer.v")
    guard Measurement([Folder.sibling("imghost"), "run", "--out", scratch, script, file]) != nil else {
      return Bar("pixels: imghost fails on \(file)", isMet: false)
    }
    guard VipsPrograms.version(bench) != nil, peer(format, file, other, bench) else { return nil }
    guard let difference = difference(own, other, scratch) else {
      return Bar("pixels: another size than the peer's", isMet: false)
    }
    return Bar("pixels differ by \(difference) \u{2264} 1", isMet: difference <= 1)
  }

  /// Decodes a file with the peer, and writes the pixels to the file `result`. Returns false on failure.
  private static func peer(_ format: BenchFormat, _ file: String, _ result: String, _ bench: Bench) -> Bool {
    let (peers, scratch) = (bench.peers, bench.scratch.path)
    if format == .avif {
      let png = scratch + "/pixels-pillow.png"
      let words = [peers.interpreter(.main), peers.program("batch/pixels_pillow.py"), file, png]
      return Measurement(words, environment: peers.environment()) != nil
        && Measurement(["vips", "copy", png, result]) != nil
    }
    guard format == .raw else {
      let options = format == .pdf ? "[dpi=96]" : ""
      return Measurement(["vips", "copy", file + options, result]) != nil
    }
    let ppm = scratch + "/pixels.ppm"
    // A shell writes the picture to a file. If it were the command's output, this process would read all of it to find
    // a line `peak-bytes`, and grow.
    let command = ["sh", "-c", "dcraw_emu -w -Z - \"$0\" >\"$1\"", file, ppm]
    return Measurement(command, environment: ["OMP_NUM_THREADS": "1"]) != nil
      && Measurement(["vips", "copy", ppm, result]) != nil
  }

  /// Returns the largest difference between the colours of two pictures; nil if their sizes differ.
  private static func difference(_ one: String, _ other: String, _ scratch: String) -> Int? {
    let steps = ["a", "b", "difference", "absolute"].map { "\(scratch)/pixels-\($0).v" }
    let commands = [
      ["extract_band", one, steps[0], "0", "--n", "3"], ["extract_band", other, steps[1], "0", "--n", "3"],
      ["subtract", steps[0], steps[1], steps[2]], ["abs", steps[2], steps[3]],
    ]
    for words in commands where Measurement(["vips"] + words) == nil { return nil }
    let output = scratch + "/difference.txt"
    let sizes = ["width", "height"].map { field in
      steps.prefix(2).map { file in
        Measurement(["vipsheader", "-f", field, file], output: output).flatMap { _ in TextFile.read(output) }
      }
    }
    guard sizes.allSatisfy({ $0[0] != nil && $0[0] == $0[1] }),
      Measurement(["vips", "max", steps[3]], output: output) != nil
    else { return nil }
    return TextFile.read(output).flatMap { Double($0.prefix { $0 != "\n" }) }.map { Int($0) }
  }
}

/// The start-up time of imghost with and without plugins in its folder.
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
    // Many pairs are measured, because each takes only a few milliseconds.
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
