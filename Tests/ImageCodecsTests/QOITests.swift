import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// QOI files made from chunks by hand, after qoiformat.org.
@Suite struct QOITests {
  private static func file(_ width: Int, _ height: Int, channels: UInt8, _ chunks: [UInt8]) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return Array("qoif".utf8) + number(width) + number(height) + [channels, 0] + chunks + [0, 0, 0, 0, 0, 0, 0, 1]
  }

  private static func decoded(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws -> Pixels {
    var result: Pixels?
    try withTemporaryFile(bytes) { path in result = try decode(path, options) }
    return result!
  }

  @Test(
    arguments: [
      ("colour", 3, [0xfe, 1, 2, 3], [1, 2, 3]),
      ("colour with alpha", 4, [0xff, 1, 2, 3, 4], [1, 2, 3, 4]),
      ("alpha stays", 4, [0xff, 1, 2, 3, 4, 0xfe, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7, 4]),
      ("run of the first pixel", 4, [0xc2], [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]),
      ("small differences", 3, [0xfe, 9, 9, 9, 0b01_00_10_11], [9, 9, 9, 7, 9, 10]),
      ("wraps around", 3, [0b01_00_01_11], [254, 255, 1]),
      ("luma", 3, [0xfe, 99, 99, 99, 0x80 | 42, 0x5c], [99, 99, 99, 106, 109, 113]),
      ("pixel seen before", 3, [0xfe, 1, 0, 0, 0xfe, 5, 5, 5, 56], [1, 0, 0, 5, 5, 5, 1, 0, 0]),
      ("pixel never seen", 4, [1], [0, 0, 0, 0]),
    ] as [(String, UInt8, [UInt8], [UInt8])])
  func chunks(_ name: String, _ channels: UInt8, _ chunks: [UInt8], _ pixels: [UInt8]) throws {
    let bytes = Self.file(pixels.count / Int(channels), 1, channels: channels, chunks)
    #expect(try Self.decoded(bytes).bytes == pixels, "\(name)")
  }

  static var noises: [(name: String, bytes: [UInt8])] { [3, 4].map { ("qoi \($0)", noise($0)) } }

  /// A picture of 40x30 pixels from random chunks.
  private static func noise(_ channels: UInt8) -> [UInt8] {
    var random = SplitMix(7)
    var chunks: [UInt8] = []
    for _ in 0..<1_200 {
      switch random.below(4) {
      case 0: chunks += [0xfe] + (0..<3).map { _ in UInt8(random.below(256)) }
      case 1: chunks += [0x80 | UInt8(random.below(64)), UInt8(random.below(256))]
      case 2 where channels == 4: chunks += [0xff] + (0..<4).map { _ in UInt8(random.below(256)) }
      default: chunks.append(UInt8(random.below(128)))
      }
    }
    return file(40, 30, channels: channels, chunks)
  }

  @Test(arguments: [UInt8(3), 4])
  func regionsEqualThoseOfTheWhole(_ channels: UInt8) throws {
    let whole = try Self.decoded(Self.noise(channels))
    let part = try Self.decoded(
      Self.noise(channels), DecodeOptions(region: Region(left: 7, top: 11, width: 9, height: 13)))
    let size = Int(channels)
    var rows: [UInt8] = []
    for row in 11..<24 {
      let start = (row * 40 + 7) * size
      rows += whole.bytes[start..<start + 9 * size]
    }
    #expect(part.bytes == rows)
  }

  @Test(arguments: [UInt8(3), 4])
  func truncatedFiles(_ channels: UInt8) throws {
    let bytes = Self.noise(channels)
    let whole = try Self.decoded(bytes)
    for part in 1..<64 {
      let short = Array(bytes[..<(bytes.count * part / 64)])
      #expect(throws: PictureError.codec(.truncated)) { _ = try Self.decoded(short) }
      guard short.count > 60 else { continue }
      let pixels = try Self.decoded(short, DecodeOptions(acceptsDamage: true)).bytes
      let same = zip(pixels, whole.bytes).prefix { $0 == $1 }.count
      #expect(pixels.count == whole.bytes.count && pixels[same...].allSatisfy { $0 == 0 }, "\(part)")
    }
  }

  @Test func flippedBits() throws {
    let bytes = Self.noise(4)
    var random = SplitMix(20)
    for _ in 0..<3_000 {
      var damaged = bytes
      // The size stays: otherwise nearly all runs end with it.
      let place = random.chance(5) ? random.below(14) : 14 + random.below(bytes.count - 14)
      damaged[place] ^= 1 << UInt8(random.below(8))
      do { _ = try Self.decoded(damaged) } catch is PictureError {}
    }
  }

  @Test(arguments: [
    (0, 5, "damaged file (invalid size 0x5)"), (5_000, 5_000, "truncated file"),
    (0xffff_ffff, 0xffff_ffff, "4294967295x4294967295 pixels are too many"),
  ])
  func sizes(_ width: Int, _ height: Int, _ words: String) throws {
    do {
      _ = try Self.decoded(Self.file(width, height, channels: 3, [0xc0]))
      Issue.record("no error")
    } catch PictureError.codec(let error) {
      #expect(error.description == words)
    }
  }

  @Test func header() throws {
    try withTemporaryFile(Self.noise(4)) { path in
      let file = try InputFile(path: path)
      let codec = try CodecList.recognise(file)
      let header = try codec.readHeader(file)
      #expect(header.codec == "qoi" && codec.isLossless && codec.endsProperly(file))
      #expect(header.details == ["bits": .integer(8), "transparency": .integer(1)])
    }
  }
}
