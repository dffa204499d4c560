import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Files that were made to cost too much time or memory, and features that are refused by name.
@Suite struct HostileTests {
  /// Returns the index of a JPEG's frame header: its marker's second byte.
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
    (0xc1, 12, "a JPEG with 12 bits a sample is not supported"),
    (0xc2, 12, "a JPEG with 12 bits a sample is not supported"),
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
      "baseline-420.jpg", "progressive-422.jpg", "arithmetic.jpg",
    ], [false, true])
  func hugeSizesInSmallFiles(_ name: String, _ acceptsDamage: Bool) throws {
    var bytes = Fixture.bytes(name)
    let frame = try Self.frame(bytes)
    bytes.replaceSubrange(frame + 4..<frame + 8, with: [0xff, 0xdc, 0xff, 0xdc])
    let start = ContinuousClock.now
    #expect(throws: PictureError.codec(.truncated)) {
      try decode(bytes, DecodeOptions(acceptsDamage: acceptsDamage))
    }
    #expect(ContinuousClock.now - start < .seconds(60))
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
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  @Test(arguments: [
    ("GIF89a......", "a GIF picture"), ("RIFF....WEBPVP8 ", "a WebP picture"),
    ("II*\0....", "a TIFF picture"), ("%PDF-1.7", "a PDF document"),
    ("BMW and Audi are makers", nil), ("BM", nil),
    ("....ftypheic", "a HEIC picture"), ("....ftypavif", "an AVIF picture"), ("hello", nil),
    ("qoif is a format of four", nil), ("qoif", nil),
    ("DDS |\0\0\0", "a DDS texture"), ("DDS is a service", nil), ("DDS |...", nil),
    ("P3", nil),
    ("#?RADIANCE is old", nil), ("GIF8 is no GIF", nil), ("8BPS is four letters", nil),
    ("#?RADIANCE\nFORMAT=", "a Radiance HDR picture"), ("#?RGBE\n", "a Radiance HDR picture"),
    ("\0\0\u{2}\0\0\0\0\0\0\0\0\0\u{5}\0\u{5}\0\u{18}\u{20}...", "a TGA picture"),
    ("\u{4}\u{1}\u{1}\0\0\0\u{1}\u{18}\0\0\0\0\u{5}\0\u{5}\0\u{8}\0...", "a TGA picture"),
    ("\0\0\u{2}\0\0\0\0\0\0\0\0\0\0\0\u{5}\0\u{18}\u{20}...", nil),
    ("<svg xmlns=\"\">", "an SVG drawing"), ("\u{feff} <SVG>", "an SVG drawing"),
    ("<!-- Made by > hand -->\n<!-- twice --><svg>", "an SVG drawing"),
    ("<?xml version=\"1.0\"?>\n<!-- c -->\n<!DOCTYPE svg PUBLIC>\n<svg>", "an SVG drawing"),
    ("<!-- " + String(repeating: "licence ", count: 300) + "--><svg>", "an SVG drawing"),
    ("<?xml version=\"1.0\"?><kml>", "an XML document"), ("<!-- never closed", "an XML document"),
    ("<!DOCTYPE html><p>404", "an HTML page"), ("<html>", "an HTML page"), ("< svg", nil),
  ])
  func otherFormatsAreNamed(_ content: String, _ name: String?) throws {
    try withTemporaryFile(Array(content.utf8)) { path in
      let file = try InputFile(path: path)
      #expect(throws: PictureError.codec(.notRecognised(looksLike: name))) {
        _ = try CodecList.recognise(file)
      }
    }
  }

  /// Returns a JPEG header with this number of segments of a kind and size after its start.
  static func withManySegments(_ bytes: [UInt8], _ marker: UInt8, _ count: Int, _ body: [UInt8] = []) -> [UInt8] {
    let length = body.count + 2
    let segment = [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + body
    var result = Array(bytes[..<2])
    result.reserveCapacity(bytes.count + count * segment.count)
    for _ in 0..<count { result += segment }
    return result + bytes[2...]
  }

  /// libjpeg's list of saved segments made 200,000 empty ones take 52 s.
  @Test(arguments: sampled([0xe0, 0xe1, 0xe2, 0xe5, 0xee, 0xfe] as [UInt8]))
  func manySegmentsTakeLinearTime(_ marker: UInt8) throws {
    let plain = Fixture.bytes("exif-icc-444.jpg")
    let expected = try JPEGCodec().readHeader(plain)
    #expect(!expected.metadata.exif.isEmpty && !expected.metadata.iccProfile.isEmpty)
    let start = ContinuousClock.now
    for body in [[], Array("Exif\0".utf8), Array("ICC_PROFILE".utf8)] as [[UInt8]] {
      let header = try JPEGCodec().readHeader(Self.withManySegments(plain, marker, 250_000, body))
      #expect(header.metadata.exifBlock == expected.metadata.exifBlock)
      #expect(header.metadata.iccProfile == expected.metadata.iccProfile)
    }
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  /// Segments that are kept: the first EXIF block, and of a profile no more parts than it can have.
  @Test func keptSegmentsAreFew() throws {
    let plain = Fixture.bytes("exif-icc-444.jpg")
    let other = try JPEGCodec().readHeader(
      Self.withManySegments(plain, 0xe1, 1, Array("Exif\0\0II*\0\u{8}\0\0\0\0\0\0\0\0\0".utf8)))
    #expect(other.metadata.exif["Orientation"] == nil)
    let part = Array("ICC_PROFILE\0".utf8) + [9, 9] + [UInt8](repeating: 1, count: 60_000)
    let header = try JPEGCodec().readHeader(Self.withManySegments(plain, 0xe2, 400, part))
    #expect(header.metadata.iccProfile.isEmpty)
  }

  @Test func repeatedFieldsAreReadOnce() throws {
    let entries = 1_000
    var block: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 0xe8, 3]
    let place = 10 + entries * 12 + 4
    for _ in 0..<entries {
      // Tag 0x10e, text of 65,536 blanks.
      block += [0x0e, 1, 2, 0, 0, 0, 1, 0] + (0..<4).map { UInt8(truncatingIfNeeded: place >> ($0 * 8)) }
    }
    block += [0, 0, 0, 0] + [UInt8](repeating: 0x20, count: 65_536)
    let png = try encode(.waves(3, 3, .gray8), PNGCodec())
    let bytes = png[..<33] + PNGBuilder.chunk("eXIf", block) + png[33...]
    let start = ContinuousClock.now
    #expect(try PNGCodec().readHeader(Array(bytes)).metadata.exif["ImageDescription"] == nil)
    #expect(ContinuousClock.now - start < .seconds(5))
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
