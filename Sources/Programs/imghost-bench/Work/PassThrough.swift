import BenchReport

/// JPEG files into a PDF, byte for byte.
struct PassThrough: Work {
  let name = "pass-through"
  let summary = "JPEGs to a PDF without re-encoding, against img2pdf and 'cat'"

  static func batch(_ bench: Bench, _ photos: [String]) -> Batch {
    let bytes = photos.reduce(0) { $0 + (RawFile.size($1) ?? 0) }
    return Batch(
      "\(photos.count) JPEGs (\(NumberText.memory(Double(bytes)))) to a PDF as they are", bench,
      """
      img.book("scans.pdf", img.glob(arg[1] .. "/*.jpg"), { lossless = true })
      """, [bench.inputs.photoFolder])
  }

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Self.batch(bench, photos)
    try batch.prepare()
    let pdf = batch.peerOut + "/scans.pdf"
    let peers = [
      Self.img2pdf([pdf] + photos, bench),
      PeerCommand(
        name: "cat to one file",
        command: Command(words: ["sh", "-c", "cat \"$@\" >'\(batch.peerOut)/all'", "sh"] + photos)),
    ]
    var results: [ProgramContest.Result] = []
    for (index, peer) in peers.enumerated() {
      results += try batch.contest([peer])
      try PDFPages.checkHolds(batch.out + "/scans.pdf", photos, bench)
      if index == 0, peer.command != nil { try PDFPages.checkHolds(pdf, photos, bench) }
    }
    return results.map { result in
      var line = ReportLine(result, work: batch.title)
      guard result.peer.hasPrefix("img2pdf") else { return line }
      line.bars =
        (result.ratio.map { [.ratio($0, atMost: 0.5)] } ?? [])
        + [.memory(line.ours.peakBytes ?? 0, atMost: 24)]
      return line
    }
  }

  static func img2pdf(_ arguments: [String], _ bench: Bench) -> PeerCommand {
    let peers = bench.peers
    guard let version = peers.version(of: "img2pdf", .main, bench.scratch) else {
      return PeerCommand(name: "img2pdf", command: nil)
    }
    return PeerCommand(
      name: "img2pdf \(version), internal engine",
      command: Command(
        words: [peers.interpreter(.main), peers.program("batch/bind_img2pdf.py")] + arguments,
        environment: peers.environment()))
  }
}
