import BenchReport

/// Thumbnails of 12-megapixel files as 400-pixel JPEGs; raw files are developed at half their size.
enum FormatThumbnails {
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
    let paths = files.map { $0.hasPrefix("/") ? $0 : "\(Folder.working)/\($0)" }
    let peer = PeerCommand(
      name: "dcraw_emu -h, two processes",
      command: isInstalled
        ? Command(
          words: ["sh", "-c", program, batch.peerOut] + paths, environment: ["OMP_NUM_THREADS": "1"],
          countsChildren: true) : nil)
    return try batch.lines([peer], files: files.count) { line in line.ratio.map { [.ratio($0, atMost: 1)] } ?? [] }
  }
}
