import BenchReport

/// Every photograph as a JPEG that fits into 400 pixels.
struct Thumbnails: Work {
  let name = "thumbnails"
  let summary = "photographs to 400-pixel JPEGs, against libvips and Pillow-SIMD"

  static func batch(_ bench: Bench, _ count: Int) -> Batch {
    Batch(
      "\(count) photographs of 12 MP to 400-pixel JPEGs", bench,
      """
      img.glob(arg[1] .. "/*.jpg")
        :map(function(p) return p:thumbnail(400, 400) end)
        :save("{stem}.jpg", { quality = 85 })
      """, [bench.inputs.photoFolder])
  }

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Self.batch(bench, photos.count)
    let arguments = ["2", batch.peerOut, "400", "85"] + photos
    let peers = [
      BatchPeer.libvips("thumbnails").command(arguments, ", two threads", bench),
      BatchPeer.pillow("thumbnails").command(arguments, ", two processes", bench),
      vipsthumbnail(photos, batch),
    ]
    var lines: [ReportLine] = []
    for peer in peers {
      try batch.prepare()
      guard let result = try batch.contest([peer]).first else { continue }
      let judged = try FileJudge.judge(
        photos, ours: batch.out, peers: peer.command == nil ? nil : batch.peerOut,
        size: (400, 300), bench)
      lines.append(line(batch.title, result, judged.ours, judged.peer))
    }
    return lines
  }

  private func line(_ title: String, _ result: ProgramContest.Result, _ own: Double, _ other: Double?) -> ReportLine {
    var line = ReportLine(result, work: title)
    line.ours.decibels = own
    line.theirs?.decibels = other
    guard line.peer.hasPrefix("libvips") else { return line }
    if let ratio = line.ratio, let other {
      line.bars = [
        .ratio(ratio, atMost: 0.80),
        Bar("PSNR at least its", isMet: own >= other - 0.005),
      ]
    }
    line.bars.append(.memory(line.ours.peakBytes ?? 0, atMost: 40))
    return line
  }

  private func vipsthumbnail(_ photos: [String], _ batch: Batch) -> PeerCommand {
    guard let version = VipsPrograms.version(batch.bench) else {
      return PeerCommand(name: "vipsthumbnail", command: nil)
    }
    return PeerCommand(
      name: "vipsthumbnail \(version)",
      command: Command(
        words: ["vipsthumbnail", "--size", "400", "-o", batch.peerOut + "/%s.jpg[Q=85]"] + photos))
  }
}

extension ReportLine {
  init(_ result: ProgramContest.Result, work: String, bars: [Bar] = []) {
    self.init(work: work, ours: result.ours, peer: result.peer, theirs: result.theirs, ratio: result.ratio, bars: bars)
  }
}
