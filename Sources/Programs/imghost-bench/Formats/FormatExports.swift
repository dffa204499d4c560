import BenchReport

/// Exports of photographs to web formats.
enum FormatExports {
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

  /// Measures exports to five sizes in three formats, for which each photograph is decoded once.
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
