import Foundation
import ImageCodecs
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Resized crops are decoded at a reduced size, and must look as if they were not.
struct CropTests {
  /// A crop of a picture with a given size, and the width that it is resized to. The same seed gives the same crops.
  private struct Crop: CustomStringConvertible {
    let region: Region
    let width: Int
    var description: String {
      "crop(\(region.left), \(region.top), \(region.width), \(region.height)):resize(\(width))"
    }

    /// Shrinks by 4 at least, anything from single pixels to what is as large as the picture, every fourth at
    /// a corner.
    static func random(_ count: Int, width: Int, height: Int, seed: UInt64) -> [Crop] {
      var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
      func below(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % max(1, limit)
      }
      return (0..<count).map { index in
        let wide = 4 + below(width - 3)
        let high = 4 + below(height - 3)
        let (spareX, spareY) = (width - wide, height - high)
        let corner = index % 4 == 3
        let left = corner ? below(2) * spareX : below(spareX + 1)
        let top = corner ? below(2) * spareY : below(spareY + 1)
        let shrink = 4 + below(40)
        return Crop(region: Region(left: left, top: top, width: wide, height: high), width: max(1, wide / shrink))
      }
    }
  }

  /// Compares crops of `in/a.jpg` with those of its pixels as a PNG, which no decoder reduces. Returns the lowest PSNR.
  private func compare(_ folder: Folder, count: Int, seed: UInt64) throws -> Double {
    let whole = try folder.run("img.open(\"in/a.jpg\"):save(\"in/a.png\")")
    whole.expect(status: 0)
    let size = try Pixels(file: folder("in/a.png"))
    let crops = Crop.random(count, width: size.width, height: size.height, seed: seed)
    var script = "local fast, full = img.open(\"in/a.jpg\"), img.open(\"in/a.png\")\n"
    for (index, crop) in crops.enumerated() {
      for name in ["fast", "full"] { script += "\(name):\(crop):save(\"\(name)/\(index).png\")\n" }
    }
    let outcome = try folder.run(script, seconds: 60)
    outcome.expect(status: 0)
    var worst = Double.infinity
    for (index, crop) in crops.enumerated() {
      let fast = try Pixels(file: folder("fast/\(index).png"))
      let psnr = fast.psnr(try Pixels(file: folder("full/\(index).png")))
      #expect(psnr >= 40, "\(crop)")
      worst = min(worst, psnr)
    }
    return worst
  }

  @Test(arguments: ["rocket.jpg", "retina.jpg", "hubble_deep_field.jpg"])
  func photographs(_ name: String) throws {
    let folder = try Folder()
    try folder.makeFolder("in")
    try folder.copy(Built.photos + "/" + name, to: "in/a.jpg")
    let worst = try compare(folder, count: 24, seed: 7)
    // A lowest PSNR of 70 or more means that nothing was shrunk, and so nothing was tested.
    #expect(worst < 70)
  }

  /// `IMGHOST_CROPS` sets the number of crops of each photograph.
  @Test(.thorough, .enabled(if: Shared.folder != nil)) func sharedPhotographs() throws {
    let count =
      ProcessInfo.processInfo.environment["IMGHOST_CROPS"].flatMap { Int($0) } ?? 12
    for kind in ["camera", "free"] {
      for name in Built.files(in: Shared.path("photos/\(kind)")) where name.hasSuffix(".jpg") {
        let folder = try Folder()
        try folder.makeFolder("in")
        try folder.copy(Shared.path("photos/\(kind)/\(name)"), to: "in/a.jpg")
        let worst = try compare(folder, count: count, seed: 11)
        if count > 12 { print(name, worst) }
      }
    }
  }

  @Test(arguments: sampled(Orientation.allCases)) func orientations(_ orientation: Orientation) throws {
    let folder = try Folder()
    let source = try Pixels(file: Built.photos + "/rocket.jpg")
    var metadata = PictureMetadata()
    metadata.orientation = orientation
    try folder.write("in/a.jpg", source.encoded(JPEGCodec(), [("quality", .integer(92))], metadata: metadata))
    _ = try compare(folder, count: 16, seed: 40 + UInt64(orientation.rawValue))
  }

  /// Whether a picture's crops are made together or alone, the bytes are the same.
  @Test func severalCropsOfOnePicture() throws {
    let folder = try Folder()
    let name = Built.photos + "/rocket.jpg"
    let crops = [
      "crop(33, 41, 301, 203):resize(70)", "flip():crop(205, 7, 333, 332):resize(80)",
      "crop(33, 41, 301, 203)", "rotate(90):crop(10, 20, 300, 400):fill(60, 60)",
      "crop(1, 1, 600, 400):crop(30, 30, 500, 350):resize(49)", "resize(100)",
    ]
    let together = crops.enumerated().map { "p:\($1):save(\"together/\($0).png\")\n" }.joined()
    let outcome = try folder.run("local p = img.open(arg[1])\n" + together, arguments: [name])
    outcome.expect(status: 0)
    for (index, crop) in crops.enumerated() {
      let alone = try folder.run(
        "img.open(arg[1]):\(crop):save(\"alone/\(index).png\")", "--jobs", "1", arguments: [name])
      alone.expect(status: 0)
      let bytes = folder.bytes("alone/\(index).png")
      #expect(!bytes.isEmpty && bytes == folder.bytes("together/\(index).png"), "\(crop)")
    }
  }

  /// The plan tells what the decoder leaves out, and its memory is that of what remains.
  @Test func plans() throws {
    let folder = try Folder()
    let large = Pixels.waves(2400, 1600)
    try folder.write("a.jpg", large.jpeg())
    func plan(_ steps: String) throws -> String {
      let outcome = try folder.run("img.open(\"a.jpg\"):\(steps):save(\"b.png\")", "--dry-run")
      outcome.expect(status: 0)
      return outcome.outputLines.first { $0.contains(" <- ") } ?? ""
    }
    let cut = try plan("crop(1001, 402, 800, 603):resize(100)")
    #expect(
      cut.hasPrefix(
        "b.png <- a.jpg 2400x1600 jpeg decoded at 1/4, rows 400..1007 and columns 1000..1803 only"
          + " > resize width=100 100x75; about "), "\(cut)")
    let full = try plan("crop(1001, 402, 800, 603):blur(1)")
    #expect(
      full.hasPrefix(
        "b.png <- a.jpg 2400x1600 jpeg decoded, rows 402..1004 and columns 1001..1800 only > blur"),
      "\(full)")
    let both = try folder.run(
      """
      local p = img.open("a.jpg")
      p:crop(0, 0, 800, 800):resize(100):save("b.png") p:crop(400, 0, 800, 800):resize(100):save("c.png")
      """, "--dry-run", "--jobs", "1")
    #expect(
      both.output.contains(
        "c.png <- a.jpg 2400x1600 jpeg decoded at 1/4, rows 0..799 and columns 0..1199 only"
          + " > crop left=400 top=0 width=800 height=800 200x200 > resize width=100"), "\(both)")
  }
}
