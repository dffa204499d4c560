import Testing

/// The codes of damaged GIF files.
struct GIFCodesTests {
  /// A code beyond the dictionary, the end before the last row, and a frame without codes.
  @Test(arguments: [
    ([0x07, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0], "has damaged pixels in frame 1"),
    ([0x02, 2, 0x44, 0x01, 0], "ends in the middle of frame 1"),
    ([0x02, 0], "frame 1"),
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
