import Foundation
import ImageCodecs
import ImageCore
import PictureTestSupport
import Testing

/// Pictures with any of the eight EXIF orientations look the same after `open`.
struct OrientationTests {
  /// Opens each picture and writes it as PNG; with `orient = false` in the stored orientation.
  private func upright(_ folder: Folder, _ options: String = "{}", _ steps: String = "") throws -> [Pixels] {
    let outcome = try folder.run(
      """
      for i, p in ipairs(img.glob("in/*.jpg", \(options))) do
        p\(steps):save("out/" .. string.format("%02d", i) .. ".png")
      end
      """)
    outcome.expect(status: 0)
    return try folder.files.filter { $0.hasPrefix("out/") }.map { try Pixels(file: folder($0)) }
  }

  @Test func synthetic() throws {
    let folder = try Folder()
    let meant = Pixels.waves(60, 40)
    for orientation in Orientation.allCases {
      let stored = meant.stored(orientation)
      var metadata = PictureMetadata()
      metadata.orientation = orientation
      let bytes = try stored.encoded(
        JPEGCodec(), [("quality", .integer(98)), ("subsampling", .text("4:4:4"))],
        metadata: metadata)
      try folder.write("in/\(orientation.rawValue).jpg", bytes)
    }
    let pictures = try upright(folder)
    #expect(pictures.count == 8)
    for (index, picture) in pictures.enumerated() {
      #expect(picture.psnr(meant) > 38, "orientation \(index + 1)")
    }
    try FileManager.default.removeItem(atPath: folder("out"))
    let stored = try upright(folder, "{ orient = false }")
    #expect(stored.map(\.width) == [60, 60, 60, 60, 40, 40, 40, 40])
  }

  /// `Landscape_1` to `_8` and `Portrait_1` to `_8`; `_0` has no orientation and is like `_1`.
  @Test(.enabled(if: Shared.folder != nil), arguments: ["Landscape", "Portrait"])
  func corpus(_ kind: String) throws {
    let folder = try Folder()
    try folder.makeFolder("in")
    for number in 1...8 {
      try folder.copy(Shared.path("corpus/orientation/\(kind)_\(number).jpg"), to: "in/\(number).jpg")
    }
    // They were compressed one by one, after turning: seen small, they are the same.
    let pictures = try upright(folder, "{}", ":fit(150, 150)")
    #expect(pictures.count == 8)
    for (index, picture) in pictures.enumerated() {
      #expect(picture.psnr(pictures[0]) > 30, "\(kind)_\(index + 1)")
    }
  }
}

extension Pixels {
  /// Returns the pixels that a camera in this orientation would store.
  fileprivate func stored(_ orientation: Orientation) -> Pixels {
    let (w, h) = (width, height)
    let swaps = orientation.swapsSides
    return Pixels(swaps ? h : w, swaps ? w : h, layout.format) { x, y in
      // The place where the stored pixel is seen: Exif 2.32, tag 0x0112.
      switch orientation {
      case .upright: self[x, y]
      case .mirrored: self[w - 1 - x, y]
      case .rotated180: self[w - 1 - x, h - 1 - y]
      case .flipped: self[x, h - 1 - y]
      case .transposed: self[y, x]
      case .rotated90: self[w - 1 - y, x]
      case .transversed: self[w - 1 - y, h - 1 - x]
      case .rotated270: self[y, h - 1 - x]
      }
    }
  }
}
