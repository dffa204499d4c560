import PictureTestSupport
import Testing

/// Books with faults that only decoding a picture reveals: they are written, and the verifier reports them.
struct UnverifiedBookTests {
  /// Makes a truncated photograph with an end marker: its lower half is missing.
  private func mend(_ folder: Folder) throws {
    try folder.makeFolder("in")
    try folder.copy(Built.photos + "/rocket.jpg", to: "in/a.jpg")
    let bytes = folder.bytes("in/a.jpg")
    try folder.write("in/b.jpg", Array(bytes[..<(bytes.count / 2)]) + [0xff, 0xd9])
  }

  @Test func picturesAndAWayOutAreNamed() throws {
    let folder = try Folder()
    try mend(folder)
    let outcome = try folder.run("img.book(\"b.pdf\", img.glob(\"in/*.jpg\"), { verify = true })")
    outcome.expect(status: 4)
    #expect(
      outcome.messages.first?.hasPrefix(
        "  page 2: error: picture 1 (in/b.jpg) cannot be decoded: ") == true, "\(outcome)")
    #expect(
      outcome.messages.contains(
        "t.lua:2: book: b.pdf: did not verify: 2 pages, 1 error; the file is kept; correct or leave out what "
          + "is named above, and run the script again"), "\(outcome)")
    // No table of pages, which may be thousands.
    #expect(!outcome.error.contains("points"))
    #expect(folder.exists("b.pdf"))
  }

  /// The book itself does not say what files were called; a folder of them does.
  @Test func filesOfAFolderAreNamed() throws {
    let folder = try Folder()
    try mend(folder)
    _ = try folder.run("img.book(\"b.pdf\", img.glob(\"in/*.jpg\"))")
    let plain = try folder.imghost(["verify", "b.pdf"])
    #expect(plain.output.contains("b.pdf: page 2: error: picture 1 cannot be decoded: "))
    let against = try folder.imghost(["verify", "--against", "in", "b.pdf"])
    #expect(against.output.contains("b.pdf: page 2: error: picture 1 (b.jpg) cannot be decoded: "))
  }

  /// Noise in the lowest quality.
  @Test func lossesAreToldWithTheirFile() throws {
    let folder = try Folder()
    var pixels = Pixels.waves(64, 64)
    var state: UInt32 = 1
    for index in pixels.bytes.indices {
      state = state &* 1_664_525 &+ 1_013_904_223
      pixels.bytes[index] = UInt8(state >> 24)
    }
    try folder.write("in/n.png", pixels.png())
    let outcome = try folder.run("img.book(\"b.pdf\", img.open(\"in/n.png\"):flip(), { quality = 1, verify = true })")
    outcome.expect(status: 4)
    let start = "t.lua:2: book: b.pdf: did not verify: picture 1 of page 1 (in/n.png) lost too much in "
    let last = outcome.messages.first { $0.hasPrefix(start) }
    #expect(last?.hasSuffix("; raise 'quality'; the file is kept") == true, "\(outcome)")
  }
}
