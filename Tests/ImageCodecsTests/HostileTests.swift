import ImageCodecs
import ImageCore
import Testing

/// Files made to cost more than they may, and features that are refused by name.
@Suite struct HostileTests {
  /// Where a JPEG's frame header begins: its marker's second byte.
  static func frame(_ bytes: [UInt8]) throws -> Int {
    var index = 2
    while ![0xc0, 0xc1, 0xc2, 0xc9].contains(bytes[index + 1]) {
      index += 2 + Int(bytes[index + 2]) << 8 + Int(bytes[index + 3])
    }
    return index + 1
  }

  static func reason(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing"
    } catch { return "\(error)" }
  }

  @Test(arguments: [
    (UInt8(0xc3), 8, "a lossless or hierarchical JPEG (SOF3) is not supported"),
    (0xc9, 12, "an arithmetic-coded JPEG with 12 bits a sample is not supported"),
  ])
  func unsupportedProcesses(_ marker: UInt8, _ bits: Int, _ words: String) throws {
    var bytes = Fixture.bytes("baseline-420.jpg")
    let frame = try Self.frame(bytes)
    bytes[frame] = marker
    bytes[frame + 3] = UInt8(bits)
    #expect(Self.reason { _ = try JPEGCodec().readHeader(bytes) } == words)
  }

  @Test(
    arguments: [
      "baseline-420.jpg", "progressive-422.jpg", "arithmetic.jpg", "twelve-ycc420.jpg",
      "twelve-progressive.jpg",
    ], [false, true])
  func hugeSizesInSmallFiles(_ name: String, _ acceptsDamage: Bool) throws {
    var bytes = Fixture.bytes(name)
    let frame = try Self.frame(bytes)
    bytes.replaceSubrange(frame + 4..<frame + 8, with: [0xff, 0xdc, 0xff, 0xdc])
    let start = ContinuousClock.now
    #expect(throws: PictureError.codec(.truncated)) {
      try decode(bytes, DecodeOptions(acceptsDamage: acceptsDamage))
    }
    #expect(ContinuousClock.now - start < .seconds(1))
  }

  @Test func hugePNGs() throws {
    let small = try encode(.waves(8, 8, .gray8), PNGCodec())
    func sized(_ width: UInt32, _ height: UInt32) -> [UInt8] {
      var chunk = Array("IHDR".utf8)
      for value in [width, height] {
        chunk += (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
      }
      chunk += [16, 6, 0, 0, 0]
      return Array(small[..<12]) + chunk + checksum(chunk) + small[33...]
    }
    #expect(throws: PictureError.codec(.truncated)) { try decode(sized(65_000, 65_000)) }
    #expect(throws: PictureError.codec(.tooLarge(width: 2_000_000, height: 1))) {
      try decode(sized(2_000_000, 1))
    }
    #expect(throws: PictureError.codec(.tooLarge(width: 900_000, height: 900_000))) {
      try decode(sized(900_000, 900_000))
    }
  }

  /// PNG, annex D: the checksum of a chunk's type and data.
  private func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var crc: UInt32 = 0xffff_ffff
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : 0xedb8_8320 ^ crc >> 1 }
    }
    crc ^= 0xffff_ffff
    return (0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * $0)) }
  }

  /// The last scan of a progressive file again and again: each visits every block.
  @Test func thousandsOfScans() throws {
    let bytes = try encode(
      .waves(800, 800, .gray8), JPEGCodec(), [("progressive", .boolean(true))])
    var scan = bytes.count - 2
    while !(bytes[scan] == 0xff && bytes[scan + 1] == 0xda) { scan -= 1 }
    var hostile = Array(bytes[..<scan])
    for _ in 0..<5_000 { hostile += bytes[scan..<min(scan + 30, bytes.count - 2)] }
    hostile += [0xff, 0xd9]
    let start = ContinuousClock.now
    let words = Self.reason { _ = try decode(hostile, DecodeOptions(acceptsDamage: true)) }
    #expect(words == "a progressive JPEG with that many scans is not supported")
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test(arguments: [
    ("GIF89a......", "a GIF picture"), ("RIFF....WEBPVP8 ", "a WebP picture"),
    ("II*\0....", "a TIFF picture"), ("%PDF-1.7", "a PDF document"), ("BM......", "a BMP picture"),
    ("....ftypheic", "a HEIC picture"), ("....ftypavif", "an AVIF picture"), ("hello", nil),
  ])
  func otherFormatsAreNamed(_ content: String, _ name: String?) throws {
    try withTemporaryFile(Array(content.utf8)) { path in
      let file = try InputFile(path: path)
      #expect(throws: PictureError.codec(.notRecognised(looksLike: name))) {
        _ = try CodecList.recognise(file)
      }
    }
  }

  @Test func recognisingGoesByContent() throws {
    for (name, codec) in [("gray.jpg", "jpeg"), ("palette.png", "png")] {
      #expect(try CodecList.recognise(InputFile(path: Fixture.path(name))).name == codec)
    }
    try withTemporaryFile([]) { path in
      #expect(throws: PictureError.codec(.empty)) {
        _ = try CodecList.recognise(InputFile(path: path))
      }
    }
    #expect(CodecList.codec(forExtension: "JPEG")?.name == "jpeg")
    #expect(CodecList.codec(forExtension: "gif") == nil)
    #expect(CodecList.codec(named: "png")?.name == "png")
  }
}
