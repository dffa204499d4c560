import CZlib
import ImageCore
import Testing

@testable import ImageCodecs
@testable import ImageMetadata

/// XMP and IPTC, read and written by the formats of this process.
@Suite struct CarriedMetadataTests {
  static let iptc: [UInt8] = {
    var record = IPTCRecord()
    record.set(5, to: ["Title"])
    record.set(25, to: ["one", "two"])
    record.set(90, to: ["Berlin"])
    return record.bytes
  }()

  static func xmp(_ inside: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
      <rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:tiff='http://ns.adobe.com/tiff/1.0/'
      xmlns:exif='http://ns.adobe.com/exif/1.0/' xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/'
      xmlns:aux='http://ns.adobe.com/exif/1.0/aux/' xmlns:GCamera='http://ns.google.com/photos/1.0/camera/'
      xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' xmlns:my='http://example.org/'>\(inside)</rdf:Description>
      </rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  static let packet = xmp(
    "<dc:subject><rdf:Bag><rdf:li>one</rdf:li></rdf:Bag></dc:subject><tiff:Orientation>6</tiff:Orientation>"
      + "<exif:GPSLatitude>52,30N</exif:GPSLatitude><photoshop:City>Berlin</photoshop:City>"
      + "<aux:SerialNumber>1234</aux:SerialNumber><photoshop:Credit>Agency</photoshop:Credit><my:word>w</my:word>")

  static let metadata = PictureMetadata(xmp: packet, iptc: iptc)

  private func read(_ name: String, _ metadata: PictureMetadata, _ choice: ParameterValue? = nil) throws
    -> PictureMetadata
  {
    let codec = try #require(CodecList.codec(named: name))
    let bytes = try encode(
      .waves(40, 30, .rgb8), codec, choice.map { [("metadata", $0)] } ?? [], metadata: metadata)
    return try MetadataTests.header(bytes).metadata
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name)) func allIsCarried(_ name: String) throws {
    let read = try read(name, Self.metadata)
    #expect(read.iptc == Self.iptc)
    let fields = try XMPPacket(read.xmp).fields
    #expect(fields["dc:subject"] == .texts(["one"]) && fields["my:word"] == .text("w"))
    // The pixels are upright: nothing says that they are not.
    #expect(fields["tiff:Orientation"] == .text("1"))
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name)) func publicHasNoPlaceAndNoSerialNumber(_ name: String) throws {
    let read = try read(name, Self.metadata, .text("public"))
    #expect(
      try XMPPacket(read.xmp).fields == [
        "dc:subject": .texts(["one"]), "tiff:Orientation": .text("1"), "photoshop:Credit": .text("Agency"),
      ])
    #expect(
      IPTCRecord(read.iptc)?.fields == ["ObjectName": .text("Title"), "Keywords": .texts(["one", "two"])])
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name)) func noneAndChosenFields(_ name: String) throws {
    let none = try read(name, Self.metadata, .text("none"))
    #expect(none.xmp.isEmpty && none.iptc.isEmpty)
    let kept = try read(name, Self.metadata, .fields(["keep": .list([.text("credit"), .text("title")])]))
    #expect(try XMPPacket(kept.xmp).fields == ["photoshop:Credit": .text("Agency")])
    #expect(IPTCRecord(kept.iptc)?.fields == ["ObjectName": .text("Title")])
  }

  @Test func wrongChoicesAreRefused() {
    let values: [ParameterValue] = [
      .fields(["keep": .list([.text("owner")])]), .fields(["keep": .list([])]),
      .fields(["drop": .list([.text("date")])]),
      .list([.text("date")]),
    ]
    for value in values {
      #expect(throws: ArgumentErrors.self) { try arguments(JPEGCodec(), [("metadata", value)]) }
    }
  }

  /// A packet of several segments, and IPTC of several segments.
  @Test(arguments: Fixture.codecsWithEXIF.map(\.name)) func largeBlocksAreCarried(_ name: String) throws {
    let large = String(repeating: "x", count: 300_000)
    let packet = Self.xmp("<my:large>\(large)</my:large><my:word>w</my:word>")
    var record = IPTCRecord()
    record.set(25, to: (0..<3_000).map { "keyword number \($0) \(String(repeating: "k", count: 20))" })
    let read = try read(name, PictureMetadata(xmp: packet, iptc: record.bytes))
    #expect(try XMPPacket(read.xmp).fields == ["my:large": .text(large), "my:word": .text("w")])
    #expect(read.iptc == record.bytes)
  }

  @Test func lossesAreNamed() throws {
    let codec = JPEGCodec(), arguments = try arguments(codec)
    let layout = PictureLayout(width: 4, height: 4, format: .rgb8)
    let cases: [(PictureMetadata, [MetadataLoss])] = [
      (Self.metadata, []),
      (
        PictureMetadata(xmp: Array("<!DOCTYPE a>".utf8), iptc: [0x1c, 2]),
        [.unreadable(.xmp, reason: "it has a document type"), .unreadable(.iptc, reason: "it is damaged")]
      ),
      (PictureMetadata(xmp: Self.xmp("<GCamera:MotionPhoto>1</GCamera:MotionPhoto>")), [.motionPhoto]),
      (
        PictureMetadata(xmp: Self.xmp("<hdrgm:Version>1.0</hdrgm:Version>"), losses: [.credentials, .gainMap]),
        [.credentials, .gainMap]
      ),
      (
        PictureMetadata(iccProfile: [UInt8](repeating: 0, count: 17 << 20)),
        [.tooLarge(.icc, byteCount: 17 << 20, format: "JPEG")]
      ),
    ]
    for (metadata, losses) in cases {
      #expect(codec.writtenMetadata(metadata, for: layout, arguments: arguments).losses == losses)
    }
  }

  @Test func manifestsAndGainMapsAreFound() throws {
    let jpeg = try encode(.waves(8, 8, .rgb8), JPEGCodec())
    let jumbf = jpeg[..<2] + [0xff, 0xeb, 0, 12] + Array("JP".utf8) + [0, 1, 0, 0, 0, 1, 0, 0] + jpeg[2...]
    #expect(try MetadataTests.header(Array(jumbf)).metadata.losses == [.credentials])
    let name = Array("urn:iso:std:iso:ts:21496:-1".utf8) + [0, 0, 0, 0, 0]
    let gain = jpeg[..<2] + [0xff, 0xe2, 0, UInt8(name.count + 2)] + name + jpeg[2...]
    #expect(try MetadataTests.header(Array(gain)).metadata.losses == [.gainMap])
    let png = try encode(.waves(8, 8, .rgb8), PNGCodec())
    let box = png[..<33] + PNGBuilder.chunk("caBX", [1, 2, 3]) + png[33...]
    #expect(try MetadataTests.header(Array(box)).metadata.losses == [.credentials])
    for bytes in [Array(jumbf), Array(box)] {
      try withTemporaryFile(bytes) { path in
        let found = FileContainer.hasManifest(try InputFile(path: path))
        #expect(found)
      }
    }
    let uuid: [UInt8] = [
      0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81,
    ]
    let others: [([UInt8], Bool)] = [
      ([0, 0, 0, 16] + Array("ftypavif".utf8) + [0, 0, 0, 0, 0, 0, 0, 24] + Array("uuid".utf8) + uuid, true),
      ([0, 0, 0, 16] + Array("ftypavif".utf8) + [0, 0, 0, 0, 0, 0, 0, 0] + Array("mdat".utf8), false),
      (
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8X".utf8) + [1, 0, 0, 0, 9, 0] + Array("C2PA".utf8)
          + [0, 0, 0, 0], true
      ),
      ([0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 13, 10, 0x87, 10, 0xff, 0xff, 0xff, 0xff], false),
    ]
    for (bytes, isMarked) in others {
      try withTemporaryFile(bytes) { path in
        let found = FileContainer.hasManifest(try InputFile(path: path))
        #expect(found == isMarked)
      }
    }
  }

  /// Texts as other programs write them: compressed, and behind the pixels.
  @Test func textsOfOtherProgramsAreRead() throws {
    let png = try encode(.waves(8, 8, .rgb8), PNGCodec())
    var deflated = [UInt8](repeating: 0, count: 100_000)
    var count = uLong(deflated.count)
    #expect(compress(&deflated, &count, Self.packet, uLong(Self.packet.count)) == Z_OK)
    let text = Array("XML:com.adobe.xmp\0\u{1}\0en\0name\0".utf8) + deflated[..<Int(count)]
    let profile = PNGText.iptcData(Self.iptc)
    let start = Int(profile.firstIndex(of: 0)!) + 1
    count = uLong(deflated.count)
    #expect(compress(&deflated, &count, Array(profile[start...]), uLong(profile.count - start)) == Z_OK)
    let packed = profile[..<start] + [0] + deflated[..<Int(count)]
    let chunks = PNGBuilder.chunk("iTXt", text) + PNGBuilder.chunk("zTXt", Array(packed))
    for position in [33, png.count - 12] {
      var bytes = png
      bytes.insert(contentsOf: chunks, at: position)
      let metadata = try MetadataTests.header(bytes).metadata
      #expect(metadata.xmp == Self.packet && metadata.iptc == Self.iptc)
      #expect(try decode(bytes) == (try decode(png)))
    }
    // A megabyte of the same letter takes a kilobyte.
    let bomb = [UInt8](repeating: 65, count: 8 << 20)
    count = uLong(deflated.count)
    #expect(compress(&deflated, &count, bomb, uLong(bomb.count)) == Z_OK)
    let large = Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + deflated[..<Int(count)]
    let read = try MetadataTests.header(Array(png[..<33] + PNGBuilder.chunk("iTXt", large) + png[33...])).metadata
    #expect(read.xmp.isEmpty)
    #expect(read.losses == [.unreadable(.xmp, reason: "its text chunk is damaged or too large")])
  }

  /// An extended packet without one of its parts, or of more than 1 MB; the main packet stays.
  @Test func incompletePacketsAreNamed() throws {
    let large = String(repeating: "x", count: 200_000)
    let packet = Self.xmp("<my:large>\(large)</my:large><my:word>w</my:word>")
    let bytes = try encode(.waves(8, 8, .rgb8), JPEGCodec(), metadata: PictureMetadata(xmp: packet))
    let identifier = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    let start = try #require(bytes.firstRange(of: identifier)).lowerBound - 4
    let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
    let cut = try MetadataTests.header(Array(bytes[..<start] + bytes[(start + 2 + length)...])).metadata
    #expect(cut.losses == [.unreadable(.extendedXMP, reason: "a part of it is missing")])
    #expect(try XMPPacket(cut.xmp).fields["my:word"] == .text("w"))
    var claimed = bytes
    // The length of the whole rest, in its first part.
    claimed.replaceSubrange(start + 4 + 35 + 32..<start + 4 + 35 + 36, with: [0x7f, 0, 0, 0])
    for part in bytes.indices.dropLast(identifier.count) where part > start + 10 {
      guard bytes[part] == identifier[0], bytes[part..<part + identifier.count].elementsEqual(identifier) else {
        continue
      }
      claimed.replaceSubrange(part + 35 + 32..<part + 35 + 36, with: [0x7f, 0, 0, 0])
    }
    let refused = try MetadataTests.header(claimed).metadata
    #expect(refused.losses == [.unreadable(.extendedXMP, reason: "it has 2130706432 bytes, more than 1 MB")])
  }
}
