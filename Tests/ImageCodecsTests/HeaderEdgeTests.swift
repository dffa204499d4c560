import ImageCodecs
import ImageCore
import Testing

/// Headers are read in two steps: most end within the first.
@Suite struct HeaderEdgeTests {
  /// A comment behind the start of the file moves what follows, segments and scan, over the edge.
  @Test(arguments: ["baseline-420.jpg", "exif-icc-444.jpg", "progressive-422.jpg"])
  func ofJPEG(_ name: String) throws {
    let bytes = Fixture.bytes(name)
    let whole = try decode(bytes)
    let profile = try JPEGCodec().readHeader(bytes).metadata.iccProfile
    let edges = [8_192, 8_192 + 65_536]
    for edge in edges {
      for end in [edge - 4, edge - 3, edge - 2, edge - 1, edge, edge + 1, edge - 700, edge - 300] {
        var padded = Array(bytes[..<2])
        // At most 65,533 bytes a comment.
        while padded.count < end {
          let length = min(end - padded.count, 60_000)
          guard length >= 4 else { break }
          padded += [0xff, 0xfe, UInt8((length - 2) >> 8), UInt8((length - 2) & 255)]
          padded += Array(repeating: 0x20, count: length - 4)
        }
        padded += bytes[2...]
        try withTemporaryFile(padded) { path in
          let file = try InputFile(path: path)
          #expect(try JPEGCodec().readHeader(file).metadata.iccProfile == profile, "\(end)")
          #expect(try decode(path).bytes == whole.bytes, "\(end)")
        }
      }
    }
  }
}
