import BenchReport
import Platform

struct FormatsWork: Work {
  let name = "formats"
  let summary = "formats of codec plugins, against libvips, Pillow and dcraw_emu"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for format in bench.formats { lines += try FormatThumbnails.lines(format, bench) }
    lines += try FormatExports.lines(bench)
    lines += try FormatIsolation.lines(bench)
    if bench.formats.count == BenchFormat.allCases.count { lines += try FormatStartUp.lines(bench) }
    return lines
  }
}

extension Bar {
  /// Returns the verdict on imghost's memory as a fraction of the peer's; nil if either is unknown.
  static func memory(_ line: ReportLine, atMost limit: Double) -> Bar? {
    guard let own = line.ours.peakBytes, let other = line.theirs?.peakBytes else { return nil }
    let part = own / other
    return Bar(
      "memory \(NumberText.decimal(part, 2)) \u{2264} \(NumberText.decimal(limit, 2))", isMet: part <= limit)
  }
}

extension Batch {
  /// Returns the command with options; its measured memory includes the plugin workers.
  func withWorkers(_ options: [String] = []) -> Command {
    var command = command(options)
    command.countsChildren = true
    return command
  }

  /// Measures against each peer, and checks that both sides write `count` files.
  func lines(_ peers: [PeerCommand], files count: Int, bars: (ReportLine) -> [Bar]) throws(BenchFailure) -> [ReportLine]
  {
    var lines: [ReportLine] = []
    for peer in peers {
      try prepare()
      let contest = ProgramContest(ours: withWorkers(), peers: [peer], folders: ([out], [peerOut]), bench: bench)
      for result in try contest.results() {
        for folder in peer.command == nil ? [out] : [out, peerOut] {
          let made = Folder.files(folder, suffix: "").count { !$0.hasSuffix("/.") && !$0.hasSuffix("/..") }
          guard made == count else { throw .wrongResult("\(made) files instead of \(count) in \(folder)") }
        }
        var line = ReportLine(result, work: title)
        line.bars = bars(line)
        lines.append(line)
      }
    }
    return lines
  }
}

/// Thumbnails of 12-megapixel files as 400-pixel JPEGs; raw files are developed at half their size.
private enum FormatThumbnails {
  static func lines(_ format: BenchFormat, _ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let files = try bench.files(format.folder, format.title)
    guard let first = files.first else { return [] }
    BenchProgram.message(format.title)
    var lines = format == .raw ? try raw(files, bench) : try thumbnails(format, files, bench)
    if !lines.isEmpty, let bar = FormatPixels.bar(format, first, bench) { lines[0].bars.append(bar) }
    return lines
  }

  private static func thumbnails(_ format: BenchFormat, _ files: [String], _ bench: Bench)
    throws(BenchFailure) -> [ReportLine]
  {
    let batch = Batch(
      "\(files.count) \(format.title) files of 12 MP to 400-pixel JPEGs", bench,
      """
      local pictures = {}
      for i, path in ipairs(arg) do pictures[i] = img.open(path):thumbnail(400, 400) end
      img.list(pictures):save("{stem}.jpg", { quality = 85 })
      """, files)
    let arguments = ["2", batch.peerOut, "400", "85"] + files
    var peers = [BatchPeer.debianVips("thumbnails").command(arguments, ", two threads", bench)]
    if format.isCommon {
      peers.append(BatchPeer.libvips("thumbnails").command(arguments, ", two threads", bench))
      peers.append(BatchPeer.plainPillow("thumbnails").command(arguments, ", two processes", bench))
    }
    return try batch.lines(peers, files: files.count) { line in
      // imghost and its peers decode LZW with the same libraries, libtiff and giflib, so the limit is higher.
      let limit = [.tiff, .gif].contains(format) ? 1.2 : format.isCommon ? 0.9 : 1
      let time = line.ratio.map { Bar.ratio($0, atMost: limit) }
      return [time, .memory(line, atMost: format.isCommon ? 0.5 : 0.8)].compactMap { $0 }
    }
  }

  /// Measures raw files that both sides develop at half the size and write as PPM.
  private static func raw(_ files: [String], _ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let batch = Batch(
      "\(files.count) raw files of 12 MP developed at half the size", bench,
      """
      local pictures = {}
      for i, path in ipairs(arg) do pictures[i] = img.open(path, { raw = "develop" }):thumbnail(2000, 2000) end
      img.list(pictures):save("{stem}.ppm")
      """, files)
    let program = """
      cd "$0" && for file; do ln -s "$file" . && basename "$file"; done >names
      xargs -P 2 -n \((files.count + 1) / 2) dcraw_emu -h <names && rm names && find . -type l -delete
      """
    let isInstalled = Measurement(["sh", "-c", "command -v dcraw_emu"]) != nil
    let paths = files.map { $0.hasPrefix("/") ? $0 : "\(currentFolder())/\($0)" }
    let peer = PeerCommand(
      name: "dcraw_emu -h, two processes",
      command: isInstalled
        ? Command(
          words: ["sh", "-c", program, batch.peerOut] + paths, environment: ["OMP_NUM_THREADS": "1"],
          countsChildren: true) : nil)
    return try batch.lines([peer], files: files.count) { line in line.ratio.map { [.ratio($0, atMost: 1)] } ?? [] }
  }
}

/// Exports of photographs to web formats.
private enum FormatExports {
  static func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    if bench.formats.contains(.webp) {
      lines += try single("WebP", "webp", "{ quality = 80 }", "Q=80,effort=4", limit: 1, bench)
    }
    if bench.formats.contains(.avif) {
      lines += try single(
        "AVIF", "avif", "{ quality = 50, speed = 6 }", "Q=50,effort=3,compression=av1", limit: 0.7, bench)
    }
    if bench.formats.contains(.webp), bench.formats.contains(.avif) { lines += try many(bench) }
    return lines
  }

  /// - Parameters:
  ///   - options: the options of imghost, as Lua text.
  ///   - peerOptions: the options of libvips, which follow the file's name in brackets.
  private static func single(
    _ title: String, _ suffix: String, _ options: String, _ peerOptions: String, limit: Double, _ bench: Bench
  ) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.somePhotos(48)
    BenchProgram.message("photographs to \(title)")
    let batch = Batch(
      "\(photos.count) photographs of 12 MP to 1600-pixel \(title)", bench,
      """
      local pictures = {}
      for i, path in ipairs(arg) do pictures[i] = img.open(path):thumbnail(1600, 1600) end
      img.list(pictures):save("{stem}.\(suffix)", \(options))
      """, photos)
    let arguments = ["2", batch.peerOut, "1600", ".\(suffix)[\(peerOptions)]"] + photos
    return try batch.lines(vips("exports", arguments, bench), files: photos.count) { line in
      var bars = line.ratio.map { [Bar.ratio($0, atMost: limit)] } ?? []
      let sizes = [batch.out, batch.peerOut].map { folder in
        Folder.files(folder, suffix: "." + suffix).reduce(0) { $0 + (RawFile.size($1) ?? 0) }
      }
      guard sizes[1] > 0 else { return bars }
      let part = Double(sizes[0]) / Double(sizes[1])
      // Only the settings of WebP mean the same on both sides, so only the sizes of WebP files are checked.
      bars.append(
        Bar("bytes \(NumberText.decimal(part, 3)) of its", isMet: suffix != "webp" || (0.99...1.01).contains(part)))
      return bars
    }
  }

  /// Measures exports to five sizes in three formats. Each photograph must be decoded only once.
  private static func many(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.somePhotos(20)
    BenchProgram.message("photographs to five sizes in three formats")
    let batch = Batch(
      "\(photos.count) photographs of 12 MP to five sizes as JPEG, WebP and AVIF", bench,
      """
      for _, path in ipairs(arg) do
        local photo = img.open(path)
        for _, side in ipairs { 2000, 1600, 1200, 800, 400 } do
          local small = photo:thumbnail(side, side)
          small:save("{stem}-" .. side .. ".jpg", { quality = 85 })
          small:save("{stem}-" .. side .. ".webp", { quality = 80 })
          small:save("{stem}-" .. side .. ".avif", { quality = 50, speed = 6 })
        end
      end
      """, photos)
    var lines = try batch.lines(vips("sizes", ["2", batch.peerOut] + photos, bench), files: 15 * photos.count) { line in
      line.ratio.map { [.ratio($0, atMost: 0.9)] } ?? []
    }
    let decodings = Double(try decodings(batch)) / Double(photos.count)
    lines[0].bars.append(
      Bar("each decoded \(NumberText.decimal(decodings, 1)) times \u{2264} 1", isMet: decodings <= 1))
    return lines
  }

  /// Returns the number of JPEG decodings in a run, counted in the run's trace.
  private static func decodings(_ batch: Batch) throws(BenchFailure) -> Int {
    let scratch = batch.bench.scratch.path
    let (trace, output) = (scratch + "/trace.json", scratch + "/decodings.txt")
    try batch.prepare()
    guard batch.command(["--trace", trace]).run(output: "/dev/null") != nil,
      Measurement(["grep", "-c", "\"open jpeg\"", trace], output: output) != nil,
      let count = TextFile.read(output).flatMap({ Int($0.prefix { $0 != "\n" }) })
    else { throw .failed("a trace of \(batch.title)") }
    return count
  }

  private static func vips(_ program: String, _ arguments: [String], _ bench: Bench) -> [PeerCommand] {
    [
      BatchPeer.debianVips(program).command(arguments, ", two threads", bench),
      BatchPeer.libvips(program).command(arguments, ", two threads", bench),
    ]
  }
}

/// The cost of running codecs in processes of their own.
private enum FormatIsolation {
  static func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for format in bench.formats {
      lines += try large(format.folder, format.title, options: format.options, limit: 1.05, bench)
      guard format == .tiff else { continue }
      lines += try large("tiff-plain", "uncompressed TIFF", options: "{}", limit: 1.1, bench)
    }
    return try bench.formats.contains(.webp) ? lines + small(bench) : lines
  }

  /// Measures reading all pixels of up to twelve different files, isolated and in-process.
  private static func large(_ folder: String, _ title: String, options: String, limit: Double, _ bench: Bench)
    throws(BenchFailure) -> [ReportLine]
  {
    let files = Array(try bench.files(folder, title).prefix(12))
    guard !files.isEmpty else { return [] }
    let batch = Batch(
      "\(files.count) files of \(title), 12 MP, all pixels read, isolated", bench,
      """
      for _, path in ipairs(arg) do img.open(path, \(options)):stats() end
      """, files)
    return try IsolationContest(batch: batch).lines(limit: limit)
  }

  /// Measures the time that each further small file takes, isolated and in-process.
  private static func small(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let count = 1000
    let scratch = bench.scratch.path
    let folder = scratch + "/small"
    let make = TextFile.write(
      """
      local img = require "imghost"
      img.canvas(64, 64, { background = "teal" }):save("small.webp")
      """, scratch + "/small.lua")
    guard Folder.make(folder), Measurement([Folder.sibling("imghost"), "run", "--out", scratch, make]) != nil else {
      BenchProgram.message("the fixed cost is left out: imghost does not write WebP")
      return []
    }
    for index in 0..<2 * count { symlink(scratch + "/small.webp", "\(folder)/\(index).webp") }
    let batch = Batch(
      "one WebP of 64x64 more, isolated", bench,
      """
      for i = 0, tonumber(arg[2]) - 1 do img.open(arg[1] .. "/" .. i .. ".webp"):stats() end
      """, [folder])
    try batch.prepare()
    return try IsolationContest(batch: batch).lines(ofEach: count) { isolated, _ in
      Bar("\(NumberText.decimal(isolated * 1e3, 3)) ms \u{2264} 0.2 ms", isMet: isolated <= 0.2e-3)
    }
  }
}

/// Compares decoded pixels with those of a peer that uses the same library: Debian's libvips, LibRaw's program for RAW,
/// and Pillow for AVIF, because libvips reads AVIF with libheif.
private enum FormatPixels {
  /// Returns the verdict on one file; nil if libvips is not installed, or if the peer does not read the file.
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

  /// Returns the largest difference between the colours of two pictures; nil if their sizes differ, or if libvips
  /// fails.
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
private enum FormatStartUp {
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
    return try contest.results().map {
      ReportLine($0, work: "a script with one small JPEG, \(libraries.count) plugins installed", ratioAtMost: 1.03)
    }
  }
}
