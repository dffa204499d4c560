import ImageCore
import TestSupport
import Testing

@testable import ImageCodecs
@testable import ImageMetadata

/// Files with XMP and IPTC, cut and changed: they are read or refused, and what is read can be written.
@Suite struct HostileMetadataTests {
  /// Files with all blocks: a JPEG with an extended packet, a PNG with texts before the pixels.
  private static func files() throws -> [(PictureCodec, [UInt8])] {
    let large = CarriedMetadataTests.xmp(
      (0..<40).map { "<my:p\($0)>\(String(repeating: "x", count: 2_000))</my:p\($0)>" }.joined())
    var metadata = PrivacyTests.camera
    (metadata.xmp, metadata.iptc) = (large, CarriedMetadataTests.iptc)
    return try Fixture.codecsWithEXIF.map { ($0, try encode(.waves(16, 16, .rgb8), $0, metadata: metadata)) }
  }

  private func use(_ codec: any PictureCodec, _ bytes: [UInt8]) throws {
    guard let header = try? MetadataTests.header(bytes) else { return }
    let arguments = try arguments(codec, [("metadata", .text("public"))])
    let layout = PictureLayout(width: 4, height: 4, format: .rgb8)
    let (metadata, _) = codec.writtenMetadata(header.metadata, for: layout, arguments: arguments)
    var edit = MetadataEdit()
    (edit.title, edit.removesPlace) = ("x", true)
    let edited = edit.applied(to: metadata)
    #expect((try? XMPPacket(edited.xmp)) != nil)
    #expect(IPTCRecord(edited.iptc) != nil)
  }

  @Test func cutFiles() throws {
    for (codec, bytes) in try Self.files() {
      for part in 1..<64 { try use(codec, Array(bytes[..<(bytes.count * part / 64)])) }
    }
  }

  @Test func changedFiles() throws {
    var random = SplitMix(23)
    for (codec, bytes) in try Self.files() where codec.name == "jpeg" {
      for _ in 0..<400 {
        var broken = bytes
        for _ in 0..<4 { broken[random.below(broken.count)] = UInt8(truncatingIfNeeded: random.next()) }
        try use(codec, broken)
      }
    }
  }

  /// The directories of a RAW file, read from anywhere in it.
  @Test func filesInTIFFsStructure() throws {
    let block = PrivacyTests.camera.exifBlock
    func reading(_ bytes: [UInt8]) -> TIFFFileMetadata? {
      TIFFFileMetadata { offset, count in
        offset < bytes.count ? Array(bytes[offset..<min(bytes.count, offset + count)]) : []
      }
    }
    let read = try #require(reading(block))
    let fields = try #require(EXIFBlock(read.exifBlock)).fields
    #expect(fields["Make"] == .text("NIKON MAKE") && fields["GPSLatitude"] == .number(52))
    #expect(fields["DateTimeOriginal"] == .text("2024:01:02 03:04:05"))
    #expect(read.xmp == Array("XMP".utf8) && read.iptc.isEmpty && !read.hasManifest)
    #expect(!read.exifBlock.contains(Array("MAKERNOTE".utf8)))
    var random = SplitMix(24)
    for end in stride(from: 0, to: 1_200, by: 7) { _ = reading(Array(block[..<end])) }
    for _ in 0..<2_000 {
      var broken = block
      for _ in 0..<4 { broken[random.below(600)] = UInt8(truncatingIfNeeded: random.next()) }
      if let read = reading(broken) { _ = EXIFBlock(read.exifBlock) }
    }
  }
}
