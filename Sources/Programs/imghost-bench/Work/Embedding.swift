import BenchReport

/// Books of untouched JPEGs: time and memory against img2pdf, and the bytes that a page takes in addition to its
/// picture.
struct Embedding: Work {
  let name = "pdf"
  let summary = "JPEGs to a PDF as they are, bytes a page, against img2pdf; proving a book"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    var lines = try contest(photos, bench.inputs.photoFolder, bench, ratioAtMost: 0.5, megabytesAtMost: 24)
    let many = bench.scratch.path + "/many"
    try JPEGCopies.make(photos.count * 10, of: photos, in: many)
    lines += try contest(Folder.files(many, suffix: ".jpg"), many, bench, megabytesAtMost: 24)
    _ = Measurement(["rm", "-rf", many])
    let folder = bench.scratch.path + "/small"
    try JPEGCopies.make(10_000, of: try smallPhotos(photos, bench), in: folder)
    let small = Folder.files(folder, suffix: ".jpg")
    lines += try contest(small, folder, bench, ratioAtMost: 0.4, megabytesAtMost: 32)
    lines += try overhead(small, folder, bench)
    _ = Measurement(["rm", "-rf", folder])
    return lines + [try verification(photos, bench)]
  }

  /// Measures the verification of every pixel of a book of processed pages. Returns the median time and the largest
  /// peak of the runs.
  private func verification(_ photos: [String], _ bench: Bench) throws(BenchFailure) -> ReportLine {
    let batch = PhotoBook.batch(bench, photos.count)
    try batch.prepare()
    guard batch.command().run(output: "/dev/null") != nil else { throw .failed(batch.title) }
    let book = batch.out + "/book.pdf"
    try PDFPages.checkCount(book, photos.count, bench)
    let report = bench.scratch.path + "/report.json"
    var runs: [Measurement] = []
    for _ in 0..<max(1, bench.runs) {
      guard
        let run = Measurement(
          [Folder.sibling("imghost-verify"), "--json", book], output: report)
      else { throw .wrongResult("\(book) does not verify") }
      runs.append(run)
    }
    let compared =
      (TextFile.read(report) ?? "")
      .split(separator: "\"comparison\":\"pixels equal", omittingEmptySubsequences: false).count - 1
    guard compared == photos.count else {
      throw .wrongResult("\(compared) of \(photos.count) pages were compared pixel by pixel")
    }
    let middle = runs.sorted { $0.seconds < $1.seconds }[runs.count / 2]
    let peak = Double(runs.map(\.peakBytes).max() ?? 0)
    return ReportLine(
      work: "verify \(photos.count) pages of 2400x1800, pixels",
      ours: Figures(seconds: middle.seconds, peakBytes: peak),
      bars: [.seconds(middle.seconds, atMost: 2), .memory(peak, atMost: 250)])
  }

  private func contest(
    _ files: [String], _ folder: String, _ bench: Bench, ratioAtMost limit: Double? = nil,
    megabytesAtMost megabytes: Double
  ) throws(BenchFailure) -> [ReportLine] {
    let batch = Self.batch(files, folder, bench)
    try batch.prepare()
    let pdf = batch.peerOut + "/book.pdf"
    let peer = PassThrough.img2pdf([pdf] + files, bench)
    let results = try batch.contest([peer])
    try PDFPages.checkHolds(batch.out + "/book.pdf", files, bench)
    return results.map { ReportLine($0, work: batch.title, ratioAtMost: limit, megabytesAtMost: megabytes) }
  }

  private static func batch(_ files: [String], _ folder: String, _ bench: Bench) -> Batch {
    let bytes = files.reduce(0) { $0 + (RawFile.size($1) ?? 0) }
    return Batch(
      "\(files.count) JPEGs (\(NumberText.memory(Double(bytes)))) to a PDF", bench,
      "img.book(\"book.pdf\", img.glob(arg[1] .. \"/*.jpg\"), { compact = arg[2] == \"compact\" })", [folder])
  }

  /// Creates a thumbnail of each photograph, and returns the paths.
  private func smallPhotos(_ photos: [String], _ bench: Bench) throws(BenchFailure) -> [String] {
    let batch = Batch(
      "thumbnails", bench,
      "img.glob(arg[1] .. \"/*.jpg\"):map(function(p) return p:thumbnail(160) end)"
        + ":save(\"{stem}.jpg\", { metadata = \"none\" })", [bench.inputs.photoFolder])
    try batch.prepare()
    guard batch.command().run(output: "/dev/null") != nil else { throw .failed(batch.title) }
    let kept = bench.scratch.path + "/thumbnails"
    guard Measurement(["mv", batch.out, kept]) != nil else { throw .failed("folder \(kept)") }
    return Folder.files(kept, suffix: ".jpg")
  }

  /// Measures the bytes that a page takes in addition to its picture, in classic and compact books, and whether a book
  /// stores a repeated picture once.
  private func overhead(_ files: [String], _ folder: String, _ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let bytes = files.reduce(0) { $0 + (RawFile.size($1) ?? 0) }
    var lines: [ReportLine] = []
    for (kind, most) in [("classic", 450), ("compact", 300)] {
      var batch = Self.batch(files, folder, bench)
      batch.arguments.append(kind)
      try batch.prepare()
      guard let run = batch.command().run(output: "/dev/null"), let size = RawFile.size(batch.out + "/book.pdf")
      else { throw .failed(batch.title) }
      let cost = (size - bytes) / files.count
      lines.append(
        ReportLine(
          work: "bytes a page beside the picture, \(kind)",
          ours: Figures(seconds: run.seconds, peakBytes: Double(run.peakBytes)),
          bars: [Bar("\(cost) bytes \u{2264} \(most)", isMet: cost <= most)]))
    }
    let batch = Batch(
      "the same picture three times", bench,
      "local p = arg[1]\nimg.book(\"book.pdf\", { img.open(p), img.open(p), img.open(p) })", [files[0]])
    try batch.prepare()
    guard let run = batch.command().run(output: "/dev/null"),
      let size = RawFile.size(batch.out + "/book.pdf"), let one = RawFile.size(files[0])
    else { throw .failed(batch.title) }
    lines.append(
      ReportLine(
        work: batch.title, ours: Figures(seconds: run.seconds, peakBytes: Double(run.peakBytes)),
        bars: [Bar("stored once", isMet: size < 2 * one + 2_000 && size > one)]))
    return lines
  }
}
