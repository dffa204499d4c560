import ImageCodecs
import ImageCore
import Testing

/// Our own messages about files that cannot be written or read; messages about damage come from the libraries.
@Suite("Messages of codecs") struct CodecMessageTests {
  private static let deep = PixelFormat(.u16, .rgb)

  static let writing: [(codec: any PictureCodec, pixels: Pixels, options: [String], text: String)] =
    [
      (
        PNGCodec(), .waves(9, 9, deep), ["palette"],
        "a palette holds 8-bit colours, but the picture has 16 bits; leave out palette = true"
      ),
      (
        PNGCodec(), .waves(40, 40, .rgb8), ["palette"],
        "the picture has more than 256 colours; leave out palette = true"
      ),
      (
        JPEGCodec(), .waves(65_501, 1, .gray8), [], "a JPEG has at most 65500 pixels a side, not 65501x1; use PNG"
      ),
      (
        JPEG2000Codec(), .waves(9, 9, .gray8), [], "imghost cannot write JPEG 2000; save as JPEG or PNG"
      ),
      (
        ICOCodec(), .waves(257, 9, .rgba8), [],
        "an icon has at most 256 pixels a side, not 257x9; resize the picture first"
      ),
    ]

  @Test(arguments: writing.indices)
  func cannotBeWritten(_ index: Int) {
    let row = Self.writing[index]
    let text = HostileTests.reason {
      _ = try encode(row.pixels, row.codec, row.options.map { ($0, .boolean(true)) })
    }
    #expect(text == row.text)
  }

  @Test(arguments: [
    ("GIF89a", "unsupported file format (a GIF picture); no installed plugin reads it, see 'imghost plugins'"),
    ("a text", "unrecognized file format; see 'imghost plugins' for those it reads"),
    ("", "empty file"),
  ])
  func cannotBeRecognised(_ content: String, _ text: String) throws {
    try withTemporaryFile(Array(content.utf8)) { path in
      let file = try InputFile(path: path)
      #expect(HostileTests.reason { _ = try CodecList.recognise(file) } == text)
    }
  }
}
