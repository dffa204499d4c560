import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Damaged files are decoded or throw an error, but never crash. A truncated file is only accepted if nothing but its
/// end marker is missing.
@Suite struct DamageTests {
  /// Files of our encoders in addition to the fixtures, so that all paths of the decoders are covered.
  static let files: [(name: String, bytes: [UInt8])] = {
    var files = (Fixture.jpegs + Fixture.pngs).map { ($0, Fixture.bytes($0)) }
    let rgb = Pixels.waves(61, 40, .rgb8)
    let deep = Pixels.waves(33, 29, PixelFormat(.u16, .rgb, alpha: true))
    let made: [(String, Pixels, any PictureCodec, [(String, ParameterValue)])] = [
      ("progressive", rgb, JPEGCodec(), [("progressive", .boolean(true))]),
      ("interlaced", rgb, PNGCodec(), [("interlaced", .boolean(true))]),
      ("rgba16", deep, PNGCodec(), []),
    ]
    for (name, pixels, codec, options) in made {
      if let bytes = try? encode(pixels, codec, options) { files.append((name, bytes)) }
    }
    return files
  }()

  @Test(arguments: files.indices)
  func truncatedFilesThrow(_ index: Int) throws {
    let (name, bytes) = Self.files[index]
    #expect(throws: Never.self, "\(name)") { try decode(bytes) }
    // The end marker or chunk is `EndlessTests`'. Before it our encoder writes the sum of the
    // pixels in a chunk of its own, which may be missing.
    let end = name.hasSuffix("jpg") || name == "progressive" ? 2 : 28
    let ends = Array(stride(from: 0, to: bytes.count - end, by: 47)) + (end + 1...end + 20).map { bytes.count - $0 }
    for end in ends {
      #expect(throws: PictureError.self, "\(name) of \(end) bytes") {
        try decode(Array(bytes[..<end]))
      }
    }
  }

  @Test(arguments: files.indices)
  func truncatedFilesGiveWhatThereIs(_ index: Int) throws {
    let (name, bytes) = Self.files[index]
    let whole = try decode(bytes)
    let options = DecodeOptions(acceptsDamage: true)
    let part = try decode(Array(bytes[..<(bytes.count - 14)]), options)
    #expect(part.layout == whole.layout, "\(name)")
    let rows = whole.layout.height / 4 * whole.layout.rowByteCount
    // Progressive and interlaced pictures lose detail everywhere rather than rows.
    let growing = ["progressive", "progressive-422.jpg", "interlaced"]
    if !growing.contains(name) { #expect(part.bytes[..<rows] == whole.bytes[..<rows], "\(name)") }
  }

  @Test(arguments: files.indices, [false, true])
  func flippedBitsNeverCrash(_ index: Int, _ acceptsDamage: Bool) {
    let bytes = Self.files[index].bytes
    var random = Xorshift(state: 0x9e37_79b9_7f4a_7c15 ^ UInt64(index))
    for _ in 0..<rounds(150) {
      var broken = bytes
      for _ in 0...Int(random.next() % 3) {
        broken[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      }
      _ = try? decode(broken, DecodeOptions(acceptsDamage: acceptsDamage))
    }
  }

  @Test func errorsNameWhatIsWrong() throws {
    let jpeg = Fixture.bytes("baseline-420.jpg")
    let half = Array(jpeg[..<(jpeg.count / 2)])
    #expect(throws: PictureError.codec(.truncated)) { try decode(half) }
    #expect(throws: PictureError.codec(.truncated), "closed off by whoever cut it") {
      try decode(half + [0xff, 0xd9])
    }
    #expect(throws: PictureError.codec(.empty)) { try JPEGCodec().readHeader([]) }
    #expect(throws: PictureError.codec(.empty)) { try PNGCodec().readHeader([]) }
    let png = Fixture.bytes("palette.png")
    #expect(throws: PictureError.codec(.truncated)) { try decode(Array(png[..<(png.count / 2)])) }
    var flipped = png
    flipped[png.count - 40] ^= 1
    let error = #expect(throws: PictureError.self) { try decode(flipped) }
    guard case .codec(.damaged)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Bytes after the end marker (video of a phone, an edit's leftovers) and padding are harmless.
  @Test func strayBytesAreHarmless() throws {
    let jpeg = Fixture.bytes("baseline-420.jpg")
    let whole = try decode(jpeg)
    #expect(try decode(jpeg + [1, 2, 3, 0xff, 0xd8]) == whole)
    #expect(try decode(Array(jpeg.dropLast(2)) + [0, 0, 0, 0xff, 0xd9]) == whole)
    let png = Fixture.bytes("palette.png")
    #expect(try decode(png + [1, 2, 3]) == (try decode(png)))
  }
}

/// Marsaglia's xorshift64: the same numbers on every machine.
struct Xorshift {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
