/// Every photograph of the folder as a JPEG of at most 400 pixels a side.
enum Thumbnails: Work {
  static let name = "thumbnails"
  static let summary = "photographs to 400-pixel JPEGs, against vipsthumbnail"
  static let needsPhotos = true

  static func rows(photos: String, scratch: String) -> [Row] {
    let script = Scratch.write(
      """
      local img = require "imghost"
      img.glob(arg[1] .. "/*.jpg")
        :map(function(p) return p:thumbnail(400, 400) end)
        :save("ours/{stem}.jpg", { quality = 85 })
      """, scratch + "/thumbnails.lua")
    let files = Scratch.photos(in: photos)
    return [
      Row(
        name: "\(files.count) photographs to 400-pixel JPEGs",
        ours: [Scratch.sibling("imghost"), "run", "--out", scratch, script, photos],
        peerName: "vipsthumbnail",
        peer: ["vipsthumbnail", "--size", "400", "-o", scratch + "/%s-peer.jpg[Q=85]"] + files)
    ]
  }
}
