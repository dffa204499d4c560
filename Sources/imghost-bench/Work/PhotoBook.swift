/// Every photograph of the folder on a page of 2400x1800 pixels, in one PDF.
///
/// The peer makes the same pictures as files and no PDF: there is no single program to compare with.
enum PhotoBook: Work {
  static let name = "photobook"
  static let summary = "photographs to a PDF of 2400x1800 pages, against vipsthumbnail's pictures"
  static let needsPhotos = true

  static func rows(photos: String, scratch: String) -> [Row] {
    let script = Scratch.write(
      """
      local img = require "imghost"
      local pages = img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:fill(2400, 1800) end)
      img.book("book.pdf", pages, { quality = 90 })
      """, scratch + "/photobook.lua")
    let files = Scratch.photos(in: photos)
    return [
      Row(
        name: "photo book of \(files.count) pages, 2400x1800, quality 90",
        ours: [Scratch.sibling("imghost"), "run", "--out", scratch, script, photos],
        peerName: "vipsthumbnail (pictures only)",
        peer: [
          "vipsthumbnail", "--size", "2400x1800", "--smartcrop", "centre", "-o",
          scratch + "/%s-peer.jpg[Q=90]",
        ] + files)
    ]
  }
}
