import BenchReport

/// The merge of a book's page packs against `cat` of the packs, which writes as many bytes.
struct Merging: Work {
  let name = "merge"
  let summary = "merging a book of 10,000 pages from the packs of 8 shards, against cat"

  private static let (pages, shards) = (10_000, 8)

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let pages = bench.isQuick ? Self.pages / 10 : Self.pages
    let folder = bench.scratch.path + "/pages"
    try JPEGCopies.make(pages, of: try pagePhotos(bench), in: folder)
    let batch = Batch("book", bench, "img.book(\"book.pdf\", img.glob(arg[1] .. \"/*.jpg\"))", [folder])
    try batch.prepare()
    guard batch.command().run(output: "/dev/null") != nil else { throw .failed(batch.title) }
    let meant = bench.scratch.path + "/meant.pdf"
    guard Measurement(["mv", batch.out + "/book.pdf", meant]) != nil else { throw .failed("file \(meant)") }
    for number in 0..<Self.shards {
      guard batch.command(["--shard", "\(number)/\(Self.shards)"]).run(output: "/dev/null") != nil else {
        throw .failed("shard \(number)")
      }
    }
    let kept = bench.scratch.path + "/shards"
    guard Measurement(["mv", batch.out + "/.imghost", kept]) != nil else { throw .failed("folder \(kept)") }
    var (own, other): ([Measurement], [Measurement]) = ([], [])
    // The first pair does not count: it fills caches.
    for run in 0...bench.runs {
      try batch.prepare()
      guard Measurement(["cp", "-rl", kept, batch.out + "/.imghost"]) != nil else { throw .failed("folder \(kept)") }
      let merge = [Folder.sibling("imghost"), "merge", "--out", batch.out, batch.script, folder]
      guard let one = Measurement(merge) else { throw .failed("merge") }
      let copy = "cat '\(kept)'/*/*.pack >'\(batch.peerOut)/pages'"
      guard let two = Measurement(["sh", "-c", copy]) else { throw .failed("cat") }
      guard run > 0 else { continue }
      own.append(one)
      other.append(two)
    }
    guard Measurement(["cmp", "-s", meant, batch.out + "/book.pdf"]) != nil else {
      throw .wrongResult("the merged book has other bytes than that of one run")
    }
    for path in [folder, kept, meant, batch.out, batch.peerOut] { _ = Measurement(["rm", "-rf", path]) }
    let peak = own.map { Double($0.peakBytes) }.median
    let ratio = zip(own, other).map { $0.seconds / $1.seconds }.median
    BenchProgram.message(
      "processor time: \(NumberText.time(own.map(\.processorSeconds).median)), "
        + "cat \(NumberText.time(other.map(\.processorSeconds).median))")
    return [
      ReportLine(
        work: "merge \(pages) pages of a book from \(Self.shards) shards",
        ours: Figures(seconds: own.map(\.seconds).median, peakBytes: peak), peer: "cat of the page packs",
        theirs: Figures(seconds: other.map(\.seconds).median, peakBytes: 0), ratio: ratio,
        bars: [.ratio(ratio, atMost: 1.5), .memory(peak, atMost: 32)])
    ]
  }

  /// Creates each photograph at 1,600 pixels, as on a page of 13 cm at 300 dots per inch, and returns the paths.
  private func pagePhotos(_ bench: Bench) throws(BenchFailure) -> [String] {
    _ = try bench.inputs.neededPhotos()
    let batch = Batch(
      "pages", bench,
      "img.glob(arg[1] .. \"/*.jpg\"):map(function(p) return p:thumbnail(1600) end):save(\"{stem}.jpg\")",
      [bench.inputs.photoFolder])
    try batch.prepare()
    guard batch.command().run(output: "/dev/null") != nil else { throw .failed(batch.title) }
    let kept = bench.scratch.path + "/page-photos"
    guard Measurement(["mv", batch.out, kept]) != nil else { throw .failed("folder \(kept)") }
    return Folder.files(kept, suffix: ".jpg")
  }
}
