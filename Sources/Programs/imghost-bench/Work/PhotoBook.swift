import BenchReport

/// Every photograph on a page of 2400x1800 pixels, in one PDF.
struct PhotoBook: Work {
  let name = "photo-book"
  let summary =
    "photographs to a PDF of 2400x1800 pages, against the same two with img2pdf"

  static func batch(_ bench: Bench, _ count: Int) -> Batch {
    Batch(
      "photo book of \(count) photographs of 12 MP, 2400x1800, quality 90", bench,
      """
      local pages = img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:fill(2400, 1800) end)
      img.book("book.pdf", pages, { quality = 90, subsampling = "4:2:0" })
      """, [bench.inputs.photoFolder])
  }

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Self.batch(bench, photos.count)
    let pdf = batch.peerOut + "/book.pdf"
    let arguments = ["2", pdf, "2400", "1800", "90"] + photos
    var peers = [
      (BatchPeer.libvips("book").command(arguments, " with img2pdf, two threads", bench), 0.6),
      (
        BatchPeer.pillow("book", keepsMemory: true).command(arguments, " with img2pdf, two processes", bench), 0.8
      ),
    ]
    if bench.usesImageMagick { peers.append((imageMagick(photos, pdf), 1)) }
    var lines: [ReportLine] = []
    for (peer, limit) in peers {
      // Removes the files of the previous peer, so that the check of a peer finds only that peer's files.
      try batch.prepare()
      guard let result = try batch.contest([peer]).first else { continue }
      var line = ReportLine(
        result, work: batch.title,
        bars: (result.ratio.map { [.ratio($0, atMost: limit)] } ?? [])
          + [.memory(result.ours.peakBytes ?? 0, atMost: 64)])
      line.ours.decibels = try PDFPages.check(batch.out + "/book.pdf", photos, size: (2400, 1800), bench)
      if peer.command != nil {
        line.theirs?.decibels = try PDFPages.check(pdf, photos, size: (2400, 1800), bench)
      }
      lines.append(line)
    }
    return lines
  }

  private func imageMagick(_ photos: [String], _ pdf: String) -> PeerCommand {
    PeerCommand(
      name: "ImageMagick",
      command: Command(
        words: ["convert"] + photos + ["-resize", "2400x1800", "-quality", "90", pdf]))
  }
}
