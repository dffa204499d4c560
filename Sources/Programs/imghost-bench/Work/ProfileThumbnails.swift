import BenchReport
import ImageCore

/// Every photograph, with the profile Display P3, as an sRGB JPEG that fits into 400 pixels.
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
      vipsthumbnail(photos, batch), BatchPeer.libvips("thumbnails").command(arguments, ", two threads", bench),
      BatchPeer.plainPillow("thumbnails").command(arguments, ", two processes", bench),
    ]
    try batch.prepare()
    var lines = try batch.contest(peers).map { result in
      ReportLine(result, work: batch.title, bars: result.ratio.map { [.ratio($0, atMost: 0.5)] } ?? [])
    }
    try batch.prepare()
    let kept = TextFile.write(
      "local img = require \"imghost\"\n" + Self.script(profile: "keep"), bench.scratch.path + "/kept.lua")
    let plain = PeerCommand(
      name: "imghost, profiles kept",
      command: Command(words: [Folder.sibling("imghost"), "run", "--out", batch.peerOut, kept, folder]))
    lines += try batch.contest([plain]).map { result in
      ReportLine(result, work: batch.title, bars: result.ratio.map { [.ratio($0, atMost: 1.1)] } ?? [])
    }
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

  private func vipsthumbnail(_ photos: [String], _ batch: Batch) -> PeerCommand {
    guard let version = VipsPrograms.version(batch.bench) else {
      return PeerCommand(name: "vipsthumbnail", command: nil)
    }
    let options = ["--export-profile", "srgb", "--size", "400", "-o", batch.peerOut + "/%s.jpg[Q=85]"]
    return PeerCommand(
      name: "vipsthumbnail \(version)", command: Command(words: ["vipsthumbnail"] + options + photos))
  }
}
