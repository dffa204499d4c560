import ImageCodecs
import ImageCore
import Testing

@testable import ImageMetadata

/// The TIFF structure in EXIF blocks: invalid offsets, both byte orders, and rewriting.
@Suite struct EXIFBlockTests {
  static let block = (try? JPEGCodec().readHeader(Fixture.bytes("exif-icc-444.jpg")))?.metadata.exifBlock

  /// A little-endian directory with an orientation, followed by the directory of a thumbnail.
  static let withThumbnail: [UInt8] = {
    let header: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
    let first: [UInt8] =
      [1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0] + [26, 0, 0, 0]
    let second: [UInt8] =
      [2, 0] + [0x01, 0x02, 4, 0, 1, 0, 0, 0, 56, 0, 0, 0]
      + [0x02, 0x02, 4, 0, 1, 0, 0, 0, 4, 0, 0, 0] + [0, 0, 0, 0]
    return header + first + second + [0xff, 0xd8, 0xff, 0xd9]
  }()

  private func rewritten(_ block: [UInt8], _ orientation: Orientation, _ width: Int, _ height: Int) -> [UInt8] {
    EXIFBlock.rewritten(
      block, orientation: orientation, PictureLayout(width: width, height: height, format: .rgb8), profile: [])
  }

  @Test func thumbnailIsRemoved() throws {
    let block = Self.withThumbnail
    #expect(block.count == 60)
    #expect(EXIFBlock(block)?.orientation == .rotated90)
    for block in [block, block + [7]] {
      let written = rewritten(block, .upright, 3, 4)
      #expect(written == Array(block[..<18]) + [1] + [UInt8](repeating: 0, count: 7))
    }
  }

  /// Many entries that all claim the same bytes must not make the block many times larger.
  @Test func sharedValuesDoNotMultiply() {
    let tags = EXIFTags.carriedMain.sorted()
    var block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + EXIFBuilder.little(tags.count, 2)
    for tag in tags {
      block += EXIFBuilder.little(tag, 2) + [2, 0]
      block += EXIFBuilder.little(1_000_000, 4) + [8, 0, 0, 0]
    }
    block += [UInt8](repeating: 0x20, count: 1_000_100)
    #expect(rewritten(block, .upright, 3, 4).isEmpty)
  }

  @Test func minimalBlockSaysItsOrientation() {
    for orientation in Orientation.allCases {
      #expect(EXIFBlock(EXIFBlock.minimal(orientation))?.orientation == orientation)
    }
  }

  @Test(arguments: [
    [], [0x49], [0x49, 0x49, 42, 0], [0x4d, 0x4d, 0, 42, 0, 0, 0, 0],
    [0x49, 0x49, 42, 0, 0xff, 0xff, 0xff, 0xff], Array("not a TIFF header".utf8),
  ])
  func whatIsNoBlockIsNone(_ bytes: [UInt8]) {
    #expect(EXIFBlock(bytes) == nil)
    #expect(rewritten(bytes, .upright, 1, 1).isEmpty)
  }

  /// The offset of the EXIF directory may have the type LONG or IFD (13), and SHORT in some files.
  @Test(arguments: [3, 4, 13] as [UInt8])
  func directoriesOfAllTypesAreRead(type: UInt8) {
    let main: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x69, 0x87, type, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0]
    let exif: [UInt8] = [1, 0, 0x27, 0x88, 3, 0, 1, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0]
    #expect(EXIFBlock(main + exif)?.fields["PhotographicSensitivity"] == .integer(200))
  }

  /// A directory that names itself as its EXIF and GPS directory ends.
  @Test func loopsEnd() {
    var block: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0]
    block += [0x69, 0x87, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0]
    block += [0x25, 0x88, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0]
    block += [8, 0, 0, 0]
    #expect(EXIFBlock(block)?.fields.isEmpty == true)
    _ = rewritten(block, .upright, 1, 1)
  }

  @Test func truncatedAndFlippedBlocksNeverCrash() throws {
    let block = try #require(Self.block)
    for end in 0..<block.count {
      _ = EXIFBlock(Array(block[..<end]))
      _ = rewritten(Array(block[..<end]), .upright, 1, 1)
    }
    var random = Xorshift(state: 88_172_645_463_325_252)
    for _ in 0..<3_000 {
      var broken = block
      for _ in 0...Int(random.next() % 4) {
        broken[Int(random.next() % UInt64(block.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = EXIFBlock(broken)
      _ = rewritten(broken, .rotated90, 70_000, 1)
    }
  }
}
