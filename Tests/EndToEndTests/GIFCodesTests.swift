import PictureTestSupport
import TestSupport
import Testing

/// The codes of GIF files: every number of bits, full dictionaries, long strings, and what damaged files have instead.
struct GIFCodesTests {
  private struct Frame {
    let name: String
    let encoder: GIFEncoder
    let width: Int
    let indices: [UInt8]
  }

  /// Noise fills dictionaries, runs make strings of hundreds of indices, and a lone index repeated names the entry that
  /// it completes.
  private static let frames: [Frame] = {
    var random = SplitMix(20)
    var frames: [Frame] = []
    for bits in [1, 2, 5, 8] {
      for (kind, clears) in [("early", 500), ("late", 6_000), ("never", Int.max)] {
        let width = 97 + 16 * bits
        var indices: [UInt8] = []
        while indices.count < width * 150 {
          let index = UInt8.random(in: 0...UInt8((1 << bits) - 1), using: &random)
          let isRun = UInt8.random(in: 0..<40, using: &random) == 0
          indices += [UInt8](repeating: index, count: isRun ? Int.random(in: 2...700, using: &random) : 1)
        }
        frames.append(
          Frame(
            name: "\(bits)-\(kind)", encoder: GIFEncoder(bits: bits, codesBetweenClears: clears), width: width,
            indices: Array(indices.prefix(width * 150))))
      }
    }
    return frames
  }()

  @Test func everyCodeIsExpanded() throws {
    let folder = try Folder()
    for frame in Self.frames {
      try folder.write(frame.name + ".gif", frame.encoder.file(width: frame.width, height: 150, frame.indices))
    }
    let outcome = try folder.run("img.glob(\"*.gif\"):save(\"{stem}.png\")")
    #expect(outcome.status == 0, "\(outcome)")
    for frame in Self.frames {
      let found = try Pixels(file: folder(frame.name + ".png"))
      #expect(found.width == frame.width && found.height == 150)
      #expect((found.bytes == frame.indices.flatMap(GIFEncoder.colour)) == true, "\(frame.name)")
    }
  }

  /// A code beyond the dictionary, the end before the last row, and a frame without codes.
  @Test(arguments: [
    ([0x07, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0], "has damaged pixels in frame 1"),
    ([0x02, 2, 0x44, 0x01, 0], "ends in the middle of frame 1"),
    ([0x02, 0], "ends in the middle of frame 1"),
    ([0x09, 2, 0x44, 0x01, 0], "frame 1"),
  ])
  func damagedCodesAreNamed(_ codes: [UInt8], _ words: String) throws {
    let folder = try Folder()
    let head: [UInt8] =
      Array("GIF89a".utf8) + [9, 0, 9, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + [0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0]
    try folder.write("a.gif", head + codes + [0x3b])
    let outcome = try folder.run("img.open(\"a.gif\"):save(\"a.png\")")
    #expect(outcome.status == 1 && outcome.messages.contains { $0.contains(words) }, "\(outcome)")
    #expect(!folder.exists("a.png"))
  }
}
