import BenchReport
import ImageCore

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
      batch.vipsthumbnail(photos, ["--size", "400"]),
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
}

extension Batch {
  /// Returns the command that makes thumbnails with libvips' program.
  ///
  /// - Parameter name: the peer's name without its version.
  fileprivate func vipsthumbnail(_ photos: [String], _ options: [String], name: String = "vipsthumbnail") -> PeerCommand
  {
    guard let version = VipsPrograms.version(bench) else { return PeerCommand(name: name, command: nil) }
    let words = ["vipsthumbnail"] + options + ["-o", peerOut + "/%s.jpg[Q=85]"] + photos
    return PeerCommand(name: "\(name) \(version)", command: Command(words: words))
  }
}

extension ReportLine {
  /// - Parameters:
  ///   - limit: the maximum of imghost's time divided by the peer's; nil for none.
  ///   - megabytes: the maximum of imghost's memory; nil for none.
  ///   - bars: further limits.
  init(
    _ result: ProgramContest.Result, work: String, ratioAtMost limit: Double? = nil,
    megabytesAtMost megabytes: Double? = nil, bars: [Bar] = []
  ) {
    let time = limit.flatMap { limit in result.ratio.map { Bar.ratio($0, atMost: limit) } }
    let memory = megabytes.map { Bar.memory(result.ours.peakBytes ?? 0, atMost: $0) }
    self.init(
      work: work, ours: result.ours, peer: result.peer, theirs: result.theirs, ratio: result.ratio,
      bars: [time, memory].compactMap(\.self) + bars)
  }
}

/// Every photograph as a JPEG that fits into 600 pixels, averaged in linear light, so that neither program can decode
/// at a reduced size.
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
    let peer = batch.vipsthumbnail(photos, ["--linear", "--size", "600"], name: "vipsthumbnail --linear")
    return try batch.contest([peer]).map { ReportLine($0, work: batch.title, ratioAtMost: 0.40) }
  }
}

/// 48 photographs with the profile Display P3 as sRGB JPEGs that fit into 400 pixels.
struct ProfileThumbnails: Work {
  let name = "thumbnails-p3"
  let summary = "Display P3 photographs to 400-pixel sRGB JPEGs, against libvips and Pillow"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let folder = bench.scratch.path + "/p3"
    let sources = try bench.inputs.neededPhotos()
    let profile = bench.scratch.path + "/p3.icc"
    let bytes = StandardProfile.displayP3.bytes
    guard RawFile.write(bytes, count: bytes.count, to: profile) else { throw .failed("writing \(profile)") }
    try JPEGCopies.make(48, of: sources, in: folder, profile: profile)
    let photos = Folder.files(folder, suffix: ".jpg")
    let batch = Batch(
      "48 photographs of 12 MP, Display P3, to 400-pixel sRGB JPEGs", bench, Self.script(profile: "srgb"), [folder])
    let arguments = ["--srgb", "2", batch.peerOut, "400", "85"] + photos
    let peers = [
      batch.vipsthumbnail(photos, ["--export-profile", "srgb", "--size", "400"]),
      BatchPeer.libvips("thumbnails").command(arguments, ", two threads", bench),
      BatchPeer.plainPillow("thumbnails").command(arguments, ", two processes", bench),
    ]
    try batch.prepare()
    var lines = try batch.contest(peers).map { ReportLine($0, work: batch.title, ratioAtMost: 0.5) }
    try batch.prepare()
    let kept = TextFile.write(
      "local img = require \"imghost\"\n" + Self.script(profile: "keep"), bench.scratch.path + "/kept.lua")
    let plain = PeerCommand(
      name: "imghost, profiles kept",
      command: Command(words: [Folder.sibling("imghost"), "run", "--out", batch.peerOut, kept, folder]))
    lines += try batch.contest([plain]).map { ReportLine($0, work: batch.title, ratioAtMost: 1.1) }
    _ = Measurement(["rm", "-rf", folder])
    return lines
  }

  private static func script(profile: String) -> String {
    """
    img.glob(arg[1] .. "/*.jpg")
      :map(function(p) return p:thumbnail(400, 400) end)
      :save("{stem}.jpg", { quality = 85, profile = "\(profile)" })
    """
  }
}
