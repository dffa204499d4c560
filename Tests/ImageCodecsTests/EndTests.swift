import ImageCodecs
import ImageCore
import Testing

/// Whether a file's last bytes show that it is complete.
@Suite struct EndTests {
  private static let head: [UInt8] = [0xff, 0xd8] + Array(repeating: 0x55, count: 70_000)
  private static let end: [UInt8] = [0xff, 0xd9]

  @Test(arguments: [
    ("at the end", head + end, true),
    ("before what a camera adds", head + end + Array(repeating: 0, count: 60_000), true),
    ("64 KB before the end", head + end + Array(repeating: 0, count: 65_534), true),
    ("further away", head + end + Array(repeating: 0, count: 65_535), false),
    ("cut in half", head + [0xff], false),
    ("nowhere", head, false),
    ("the other half alone", head + [0xd9], false),
    ("in a small file", [0xff, 0xd8, 0xff, 0xd9], true),
    ("in a small file, not at its end", [0xff, 0xd8, 0xff, 0xd9, 0], true),
    ("in none of a byte", [0xff], false),
    ("in nothing", [], false),
  ])
  func ofJPEG(_ place: String, _ bytes: [UInt8], _ isWhole: Bool) throws {
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      #expect(JPEGCodec().endsProperly(file) == isWhole, "\(place)")
    }
  }
}
