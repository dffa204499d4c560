import BenchReport

/// Every photograph as a JPEG that fits into 600 pixels, averaged in linear light, which forbids both programs to
/// decode at a reduced size.
struct LinearThumbnails: Work {
  let name = "thumbnails-linear"
  let summary = "photographs to 600-pixel JPEGs in linear light, against libvips"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Batch(
      "\(photos.count) photographs of 12 MP to 600-pixel JPEGs in linear light", bench,
      """
      img.glob(arg[1] .. "/*.jpg")
        :map(function(p) return p:thumbnail(600, { light = "linear" }) end)
        :save("{stem}.jpg", { quality = 85 })
      """, [bench.inputs.photoFolder])
    try batch.prepare()
    return try batch.contest([peer(photos, batch)]).map { result in
      ReportLine(result, work: batch.title, bars: result.ratio.map { [.ratio($0, atMost: 0.40)] } ?? [])
    }
  }

  private func peer(_ photos: [String], _ batch: Batch) -> PeerCommand {
    guard let version = VipsPrograms.version(batch.bench) else {
      return PeerCommand(name: "vipsthumbnail --linear", command: nil)
    }
    let options = ["--linear", "--size", "600", "-o", batch.peerOut + "/%s.jpg[Q=85]"]
    return PeerCommand(
      name: "vipsthumbnail --linear \(version)", command: Command(words: ["vipsthumbnail"] + options + photos))
  }
}
