import ImageCore
import TestSupport
import Testing

@testable import ImageCodecs

/// Our own PNG reader compared with libspng and libpng, on pictures of noise.
@Suite struct PNGRowReaderTests {
  /// A picture of some size, with any filters and chunks.
  private static func builder(_ type: (Int, Int), _ random: inout Xorshift) -> PNGBuilder {
    func below(_ limit: Int) -> Int { Int(random.next() >> 20) % limit }
    var builder = PNGBuilder(width: 1 + below(70), height: 1 + below(70), bits: type.1, colourType: type.0)
    let filters = [[0], [1], [2], [3], [4], [4, 3], [0, 1, 2, 3, 4]][below(7)]
    builder.filters = filters.count < 3 ? filters.map(UInt8.init) : (0..<builder.height).map { _ in UInt8(below(5)) }
    builder.level = [0, 1, 6, 9][below(4)]
    builder.chunkSize = [1, 7, 100, 8_192, .max][below(5)]
    guard type.0 == 3 else { return builder }
    // Numbers beyond the palette occur, too.
    let entries = 1 + below(1 << type.1)
    builder.palette = (0..<entries * 3).map { _ in UInt8(below(256)) }
    if below(2) == 0 { builder.transparency = (0..<1 + below(entries)).map { _ in UInt8(below(256)) } }
    return builder
  }

  private static func file(_ builder: PNGBuilder, _ random: inout Xorshift) -> [UInt8] {
    // Few values compress, and give many ties.
    let coarse = random.next() % 2 == 0
    let noise = (0..<builder.rowByteCount * builder.height).map { _ in
      UInt8(truncatingIfNeeded: coarse ? random.next() >> 40 & 3 : random.next() >> 40)
    }
    return builder.file { noise[$0] }
  }

  private static func rows(_ bytes: [UInt8], mayBeFast: Bool, strip: Int) -> Result<
    Pixels, PictureError
  > {
    do throws(PictureError) {
      let reader = try PNGReader(.bytes(bytes), acceptsDamage: false)
      let decoder = try PNGDecoder(reader, options: DecodeOptions(), mayBeFast: mayBeFast)
      var pixels = Pixels(layout: decoder.layout, bytes: [])
      var row = 0
      while row < decoder.layout.height {
        let count = min(strip, decoder.layout.height - row)
        let buffer = PixelBuffer(decoder.layout.with(width: decoder.layout.width, height: count))
        try decoder.read(count, into: buffer.base, stride: buffer.stride)
        for index in 0..<count {
          pixels.bytes += UnsafeRawBufferPointer(start: buffer.row(index), count: decoder.layout.rowByteCount)
        }
        row += count
      }
      return .success(pixels)
    } catch { return .failure(error) }
  }

  @Test(.thorough, arguments: PNGBuilder.types.indices)
  func rowsAreLibspngs(_ index: Int) throws {
    var random = Xorshift(state: 0x1234_5678_9abc_def1 &+ UInt64(index))
    for turn in 0..<rounds(60) {
      let builder = Self.builder(PNGBuilder.types[index], &random)
      let bytes = Self.file(builder, &random)
      let strip = [1, 3, 4, 8, 13, 70][turn % 6]
      let expected = try Self.rows(bytes, mayBeFast: false, strip: strip).get()
      #expect(try Self.rows(bytes, mayBeFast: true, strip: strip).get() == expected, "\(builder)")
      // A number beyond the palette is an error for libpng.
      if builder.colourType != 3 { #expect(reference(bytes) == expected, "\(builder)") }
    }
  }

  /// Without libspng to fall back on, to the end of the file.
  @Test(arguments: PNGBuilder.types.indices)
  func usualFilesAreReadWithoutLibspng(_ index: Int) throws {
    var random = Xorshift(state: 0xfeed_5678_9abc_def1 &+ UInt64(index))
    var builder = Self.builder(PNGBuilder.types[index], &random)
    builder.trailing = [("tEXt", Array("Comment\0none".utf8)), ("tIME", [7, 234, 1, 2, 3, 4, 5])]
    let bytes = Self.file(builder, &random)
    let reader = try PNGReader(.bytes(bytes), acceptsDamage: false)
    let fast = try #require(try PNGRowReader(reader))
    let buffer = PixelBuffer(reader.layout)
    try fast.read(reader.layout.height, into: buffer.base, stride: buffer.stride)
    #expect(fast.row == reader.layout.height)
  }

  /// Damage ends in what libspng says of it: the same error, or the same rows.
  @Test(.thorough, arguments: PNGBuilder.types.indices)
  func damageIsLibspngsToJudge(_ index: Int) {
    var random = Xorshift(state: 0xabcd_5678_9abc_def1 &+ UInt64(index))
    for turn in 0..<rounds(120) {
      let builder = Self.builder(PNGBuilder.types[index], &random)
      var bytes = Self.file(builder, &random)
      if turn % 3 == 0 {
        bytes.removeLast(1 + Int(random.next() % UInt64(bytes.count - 1)))
      } else {
        for _ in 0...Int(random.next() % 3) {
          bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
        }
      }
      let strip = [1, 8, 70][turn % 3]
      let expected = Self.rows(bytes, mayBeFast: false, strip: strip)
      #expect(Self.rows(bytes, mayBeFast: true, strip: strip) == expected, "\(builder), \(turn)")
    }
  }

  /// The same where the chunks' checksums are those of the damaged bytes.
  @Test(.thorough, arguments: PNGBuilder.types.indices)
  func damagedStreamsAreLibspngsToJudge(_ index: Int) {
    var random = Xorshift(state: 0x5555_5678_9abc_def1 &+ UInt64(index))
    for turn in 0..<rounds(120) {
      var builder = Self.builder(PNGBuilder.types[index], &random)
      let flips = (0...Int(random.next() % 3)).map { _ in random.next() }
      builder.spoil = { data in
        for flip in flips { data[Int(flip % UInt64(data.count))] ^= 1 << UInt8(flip >> 60 & 7) }
        if turn % 4 == 0 { data.removeLast(Int(flips[0] >> 8) % data.count) }
      }
      let bytes = Self.file(builder, &random)
      let strip = [1, 8, 70][turn % 3]
      let expected = Self.rows(bytes, mayBeFast: false, strip: strip)
      #expect(Self.rows(bytes, mayBeFast: true, strip: strip) == expected, "\(builder), \(turn)")
    }
  }

  /// Damage that no chunk's checksum tells of, and what is odd but not damage.
  @Test func oddFilesAreLibspngsToJudge() throws {
    typealias Change = (inout PNGBuilder) -> Void
    let changes: [(String, Bool, Change)] = [
      ("wrong Adler-32", false, { $0.spoil = { $0[$0.count - 1] ^= 1 } }),
      ("no Adler-32", true, { $0.spoil = { $0.removeLast(4) } }),
      ("no end of the stream", false, { $0.spoil = { $0.removeLast($0.count / 2) } }),
      ("bytes behind the stream", true, { $0.spoil = { $0 += [1, 2, 3, 4, 5, 6, 7, 8, 9] } }),
      ("an invalid block", false, { $0.spoil = { $0[2] |= 6 } }),
      ("another method", false, { $0.spoil = { $0[0] = 0x77 } }),
      ("a preset dictionary", false, { $0.spoil = { $0[1] = 0xbb } }),
      ("an unknown filter", false, { $0.filters = [4, 4, 4, 4, 4, 5, 4] }),
      ("text", true, { $0.trailing = [("tEXt", Array("Comment\0none".utf8))] }),
      ("compressed text", true, { $0.trailing = [("zTXt", [65, 0, 0, 1, 2])] }),
      (
        "much text", true, { $0.trailing = [("tEXt", [65, 0] + Array(repeating: 66, count: 70_000))] }
      ),
      ("a private chunk", true, { $0.trailing = [("prIv", [1, 2, 3])] }),
      ("an unknown critical chunk", false, { $0.trailing = [("CriT", [1, 2, 3])] }),
      ("pixels after text", false, { $0.trailing = [("tEXt", [65, 0, 66]), ("IDAT", [1])] }),
      ("an empty IDAT at the end", true, { $0.trailing = [("IDAT", [])] }),
    ]
    var random = Xorshift(state: 77)
    for (name, isGood, change) in changes {
      var builder = PNGBuilder(width: 37, height: 29, bits: 8, colourType: 2, filters: [4])
      change(&builder)
      let bytes = Self.file(builder, &random)
      let expected = Self.rows(bytes, mayBeFast: false, strip: 5)
      #expect(Self.rows(bytes, mayBeFast: true, strip: 5) == expected, "\(name)")
      #expect(((try? expected.get()) != nil) == isGood, "\(name)")
    }
  }

  /// Blocks of rows, and rows longer than a block.
  @Test(.thorough, arguments: [(1_000, 700), (90_000, 19), (3, 3_000)])
  func largePictures(width: Int, height: Int) throws {
    var random = Xorshift(state: 99)
    var builder = PNGBuilder(width: width, height: height, bits: 8, colourType: 2, filters: [4, 3, 1])
    builder.level = 1
    builder.chunkSize = 8_192
    let bytes = Self.file(builder, &random)
    let expected = try #require(reference(bytes))
    for strip in [1, 20, 4_000] {
      #expect(try Self.rows(bytes, mayBeFast: true, strip: strip).get() == expected)
    }
  }

  @Test func someAreLeftToLibspng() throws {
    var builder = PNGBuilder(width: 9, height: 9, bits: 8, colourType: 2)
    builder.transparency = [0, 1, 0, 2, 0, 3]
    let bytes = builder.file { UInt8(truncatingIfNeeded: $0 / 9) }
    #expect(try PNGRowReader(PNGReader(.bytes(bytes), acceptsDamage: false)) == nil)
    #expect(try decode(bytes) == reference(bytes))
  }
}
