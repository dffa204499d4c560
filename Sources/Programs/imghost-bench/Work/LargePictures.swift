import BenchReport

/// One large picture, reduced to a JPEG that fits into 1000 pixels.
struct LargePicture: Work {
  let name: String
  let summary: String
  let picture: LargeInput
  /// The maximum ratio of imghost's time to that of each peer.
  let limit: Double
  let megabytes: Double

  static let jpeg = LargePicture(
    name: "large-jpeg", summary: "a JPEG of 300 MP to 1000 pixels, against libvips and Pillow-SIMD", picture: .jpeg,
    limit: 1.0, megabytes: 32)
  static let png = LargePicture(
    name: "large-png", summary: "a PNG of 48 MP to 1000 pixels, against libvips and Pillow-SIMD", picture: .png,
    limit: 0.9, megabytes: 48)

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let source = try picture.path(bench)
    let batch = Batch(
      picture.title + " to 1000 pixels", bench,
      """
      img.open(arg[1]):thumbnail(1000, 1000):save("{stem}.jpg", { quality = 85 })
      """, [source])
    let arguments = [batch.peerOut, "1000", "85", source]
    let peers = [
      BatchPeer.libvips("thumbnails", threads: 2).command(
        ["1"] + arguments, ", two threads", bench),
      BatchPeer.pillow("thumbnails").command(["1"] + arguments, "", bench),
    ]
    var lines: [ReportLine] = []
    for peer in peers {
      // Removes the files of the previous peer, so that the check of a peer finds only that peer's files.
      try batch.prepare()
      guard let result = try batch.contest([peer]).first else { continue }
      lines.append(ReportLine(result, work: batch.title, ratioAtMost: limit, megabytesAtMost: megabytes))
      guard peer.command != nil else { continue }
      let agreement = try FileJudge.agreement(batch.out, batch.peerOut, bench)
      guard agreement >= 25 else {
        throw .wrongResult("\(peer.name) and imghost agree to \(agreement) dB only")
      }
    }
    return lines
  }
}

/// Two workers against one, on a JPEG whose restart markers let several workers decode it.
struct RestartMarkers: Work {
  let name = "restarts"
  let summary = "two workers against one, on a JPEG of 300 MP with restart markers"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let source = try LargeInput.restarts.path(bench)
    let batch = Batch(
      LargeInput.restarts.title + " to 1000 pixels", bench,
      """
      img.open(arg[1]):thumbnail(1000, 1000):save("{stem}.jpg", { quality = 85 })
      """, [source])
    try batch.prepare()
    let contest = ProgramContest(
      ours: batch.command(["--jobs", "2"]),
      peers: [PeerCommand(name: "imghost --jobs 1", command: batch.command(["--jobs", "1"]))],
      folders: (ours: [batch.out], peers: [batch.out]), bench: bench)
    return try contest.results().map { result in
      let gain = result.ratio.map { 1 / $0 } ?? 0
      return ReportLine(
        result, work: batch.title + ", --jobs 2",
        bars: [
          Bar("\(NumberText.decimal(gain, 2)) times as fast \u{2265} 1.5", isMet: gain >= 1.5),
          .memory(result.ours.peakBytes ?? 0, atMost: 32),
        ])
    }
  }
}
