import ImageCore
import Testing

@testable import ImageCodecs
@testable import ImageMetadata

/// Private facts in a written file: those about the original picture, its place and its owner.
@Suite struct PrivacyTests {
  /// A camera's file with all kinds of metadata, whose texts can be searched for in written files.
  static let camera: PictureMetadata = {
    var builder = EXIFBuilder()
    builder.main = [
      EXIFBuilder.text(0x010f, "NIKON MAKE"), EXIFBuilder.short(0x0112, 6),
      EXIFBuilder.text(0x0132, "2024:05:06 07:08:09"), EXIFBuilder.text(0x013b, "ARTIST"),
      EXIFBuilder.text(0x013c, "HOSTCOMPUTER"), EXIFBuilder.opaque(0x02bc, Array("XMP".utf8)),
      EXIFBuilder.text(0x8298, "COPYRIGHT"), EXIFBuilder.opaque(0x8649, Array("8BIMRES".utf8)),
      (0x9c9d, 1, Array("X\0P\0A\0\0\0".utf8)),
      EXIFBuilder.opaque(0xc634, Array("DNGPRIVATE".utf8)),
    ]
    builder.exif = [
      EXIFBuilder.text(0x9003, "2024:01:02 03:04:05"),
      EXIFBuilder.opaque(0x927c, Array("MAKERNOTE".utf8) + [UInt8](repeating: 7, count: 30_000)),
      EXIFBuilder.opaque(0x9286, Array("ASCII\0\0\0USERCOMMENT".utf8)),
      EXIFBuilder.long(0xa002, 6_000), EXIFBuilder.short(0xa003, 4_000),
      EXIFBuilder.text(0xa420, "UNIQUEID"), EXIFBuilder.text(0xa430, "CAMERAOWNER"),
      EXIFBuilder.text(0xa431, "BODYSERIAL"), EXIFBuilder.text(0xa434, "LENSMODEL"),
      EXIFBuilder.text(0xa435, "LENSSERIAL"),
    ]
    builder.gps = [
      EXIFBuilder.text(0x0001, "N"), (0x0002, 5, [52, 0, 0, 0, 1, 0, 0, 0]),
      EXIFBuilder.text(0x0012, "WGS-84 DATUM"),
    ]
    builder.thumbnail = [0xff, 0xd8] + Array("THUMBNAIL".utf8) + [0xff, 0xd9]
    return PictureMetadata(
      iccProfile: (try? MetadataTests.header(Fixture.bytes("exif-icc-444.jpg")))?.metadata.iccProfile ?? [],
      exifBlock: builder.block, resolution: Resolution(horizontal: 300, vertical: 300))
  }()

  /// Texts in fields about the original pixels, which are never written.
  static let neverWritten = ["MAKERNOTE", "THUMBNAIL", "8BIMRES", "DNGPRIVATE", "XMP"]
  static let personal = ["HOSTCOMPUTER", "UNIQUEID", "CAMERAOWNER", "BODYSERIAL", "LENSSERIAL", "WGS-84 DATUM"]
  static let harmless = [
    "NIKON MAKE", "2024:05:06 07:08:09", "ARTIST", "COPYRIGHT", "2024:01:02 03:04:05",
    "USERCOMMENT", "LENSMODEL", "X\0P\0A\0",
  ]

  private func written(_ codec: any PictureCodec, _ choice: String?, _ orientation: Orientation = .upright) throws
    -> [UInt8]
  {
    var metadata = Self.camera
    metadata.orientation = orientation
    return try encode(.waves(100, 80, .rgb8), codec, choice.map { [("metadata", .text($0))] } ?? [], metadata: metadata)
  }

  private func expect(
    _ texts: [String], present: Bool, in bytes: [UInt8], _ name: String, location: SourceLocation = #_sourceLocation
  ) {
    for text in texts {
      #expect(
        bytes.contains(Array(text.utf8)) == present, "\(name): \(text)", sourceLocation: location)
    }
  }

  /// The fixture contains the texts that the other tests search for and must not find.
  @Test func theCameraSaysItAll() throws {
    let block = Self.camera.exifBlock
    expect(
      Self.neverWritten + Self.personal + Self.harmless, present: true, in: block, "camera")
    let fields = try #require(EXIFBlock(block)).fields
    #expect(fields["BodySerialNumber"] == .text("BODYSERIAL"))
    #expect(fields["GPSLatitude"] == .number(52))
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name), [nil, "all"])
  func allIsWithoutMakerNoteAndThumbnail(_ name: String, _ choice: String?) throws {
    let bytes = try written(try #require(CodecList.codec(named: name)), choice)
    expect(Self.neverWritten, present: false, in: bytes, name)
    expect(Self.personal + Self.harmless, present: true, in: bytes, name)
    let read = try MetadataTests.header(bytes).metadata
    #expect(read.exif["GPSLatitude"] == .number(52))
    #expect(read.exif["Orientation"] == .integer(1))
    #expect(read.exif["PixelXDimension"] == .integer(100))
    #expect(read.exif["PixelYDimension"] == .integer(80))
    // The room of the maker note went too.
    #expect(read.exifBlock.count < 1_000)
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name))
  func privateKeepsWhatIsNotPersonal(_ name: String) throws {
    let bytes = try written(try #require(CodecList.codec(named: name)), "public", .rotated90)
    expect(Self.neverWritten + Self.personal, present: false, in: bytes, name)
    expect(Self.harmless, present: true, in: bytes, name)
    let read = try MetadataTests.header(bytes).metadata
    #expect(!read.exif.keys.contains { $0.hasPrefix("GPS") })
    #expect(read.orientation == .rotated90)
    #expect(read.iccProfile == Self.camera.iccProfile)
    #expect(read.resolution != nil)
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name), [Orientation.upright, .rotated270])
  func noneKeepsWhatPixelsNeed(_ name: String, _ orientation: Orientation) throws {
    let bytes = try written(try #require(CodecList.codec(named: name)), "none", orientation)
    expect(Self.neverWritten + Self.personal + Self.harmless, present: false, in: bytes, name)
    let read = try MetadataTests.header(bytes).metadata
    #expect(read.orientation == orientation)
    #expect(Set(read.exif.keys) == (orientation == .upright ? [] : ["Orientation"]))
    #expect(read.iccProfile.isEmpty)
    #expect(((read.resolution?.horizontal ?? 0) - 300).magnitude < 0.02)
  }

  @Test func formatsWithoutEXIFSayNothing() throws {
    let names = Fixture.codecsWithEXIF.map(\.name)
    for codec in CodecList.all.filter({ $0.writes && !names.contains($0.name) }) {
      let bytes = try written(codec, "all")
      expect(Self.neverWritten + Self.personal + Self.harmless, present: false, in: bytes, codec.name)
    }
  }

  @Test func otherChoicesAreRefused() {
    for codec in CodecList.all.filter(\.writes) {
      #expect(throws: ArgumentErrors.self) {
        try arguments(codec, [("metadata", .text("some"))])
      }
    }
  }
}
