/// What every call costs before it does anything: the version, and one small picture.
enum StartUp: Work {
  static let name = "startup"
  static let summary = "'--version' and a script with one small picture, against vips"
  static let needsPhotos = false

  static func rows(photos: String, scratch: String) -> [Row] {
    let imghost = Scratch.sibling("imghost")
    let small = scratch + "/small.jpg"
    let make = Scratch.write(
      """
      local img = require "imghost"
      img.canvas(64, 48, { background = "teal" }):save("small.jpg")
      """, scratch + "/small.lua")
    _ = Measurement([imghost, "run", "--out", scratch, make])
    let script = Scratch.write(
      """
      local img = require "imghost"
      img.open(arg[1]):fit(32, 32):save("one.jpg")
      """, scratch + "/one.lua")
    return [
      Row(
        name: "--version", ours: [imghost, "--version"], peerName: "vips --version",
        peer: ["vips", "--version"]),
      Row(
        name: "a script with one 64x48 JPEG",
        ours: [imghost, "run", "--out", scratch, script, small], peerName: "vipsthumbnail",
        peer: ["vipsthumbnail", "--size", "32", "-o", scratch + "/one-peer.jpg", small]),
    ]
  }
}
