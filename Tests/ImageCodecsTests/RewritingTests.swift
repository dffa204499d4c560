import ImageCore
import Testing

@testable import ImageCodecs
@testable import ImageMetadata

/// Files whose metadata was replaced equal those that are encoded with that metadata. Metadata is distinguished from
/// pixels.
@Suite struct RewritingTests {
  private static let exif: [UInt8] = {
    var builder = EXIFBuilder()
    builder.main = [EXIFBuilder.text(0x010f, "Imghost"), EXIFBuilder.text(0x8298, "© A. Person")]
    builder.exif = [EXIFBuilder.long(0xa002, 67), EXIFBuilder.short(0xa001, 1)]
    return builder.block
  }()

  private static func packet(_ count: Int) -> [UInt8] {
    CarriedMetadataTests.xmp(
      "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>\(String(repeating: "words ", count: count))</rdf:li>"
        + "</rdf:Alt></dc:description><my:word>\(String(repeating: "more ", count: count))</my:word>")
  }

  private static let variants: [(name: String, metadata: PictureMetadata)] = {
    var whole = PictureMetadata(
      orientation: .rotated90, exifBlock: exif, xmp: packet(3), iptc: CarriedMetadataTests.iptc,
      resolution: Resolution(horizontal: 300, vertical: 150))
    whole.iccProfile = StandardProfile.displayP3.bytes
    return [
      ("none", PictureMetadata()), ("all", whole),
      ("EXIF", PictureMetadata(exifBlock: exif)), ("odd XMP", PictureMetadata(xmp: packet(1))),
      ("XMP in several segments", PictureMetadata(xmp: packet(7_000))),
      ("IPTC", PictureMetadata(iptc: CarriedMetadataTests.iptc)),
      ("large IPTC", PictureMetadata(iptc: [UInt8](repeating: 0x1c, count: 200_000))),
      ("profile", PictureMetadata(iccProfile: StandardProfile.displayP3.bytes)),
      ("resolution", PictureMetadata(resolution: Resolution(horizontal: 72, vertical: 72))),
      ("orientation", PictureMetadata(orientation: .rotated270)),
    ]
  }()

  private static let formats: [(any PictureCodec, [(String, ParameterValue)], PixelFormat)] = [
    (JPEGCodec(), [], .rgb8), (JPEGCodec(), [("progressive", .boolean(true))], .rgb8),
    (JPEGCodec(), [("optimise", .boolean(true)), ("quality", .integer(30))], .gray8),
    (JPEGCodec(), [("subsampling", .text("4:2:2"))], PixelFormat(.u8, .cmyk)),
    (PNGCodec(), [], .rgb8), (PNGCodec(), [], .rgba8), (PNGCodec(), [("interlaced", .boolean(true))], .gray8),
    (PNGCodec(), [("palette", .integer(16))], .rgba8),
    (PNGCodec(), [("palette", .integer(4)), ("interlaced", .boolean(true))], .gray8),
  ]

  private func file(_ bytes: [UInt8]) throws -> InputFile {
    let sink = PooledSink(reserving: 1 << 16)
    try bytes.withUnsafeBytes { try sink.write($0) }
    return try InputFile(sink.bytes, label: "test")
  }

  private func rewritten(_ bytes: [UInt8], _ codec: any PictureCodec, _ layout: PictureLayout, _ new: PictureMetadata)
    throws -> [UInt8]?
  {
    let sink = PooledSink(reserving: 1 << 16)
    let arguments = try arguments(codec)
    let isDone = try codec.rewrite(
      file(bytes), to: sink, layout: layout,
      metadata: codec.writtenMetadata(new, for: layout, arguments: arguments).metadata, arguments: arguments,
      context: .serial)
    return isDone ? sink.bytes.withUnsafeBytes { Array($0) } : nil
  }

  @Test(arguments: formats.indices) func rewritesAsEncoded(_ index: Int) throws {
    let (codec, options, format) = Self.formats[index]
    let pixels = Pixels.waves(41, 30, format)
    let files = try Self.variants.map { try encode(pixels, codec, options, metadata: $0.metadata) }
    for (first, old) in files.enumerated() {
      for (second, new) in files.enumerated() {
        let made = try rewritten(old, codec, pixels.layout, Self.variants[second].metadata)
        #expect(made == new, "\(Self.variants[first].name) to \(Self.variants[second].name)")
      }
    }
  }

  /// The bytes that are no metadata are the same in all files of the same pixels, colours and resolution.
  @Test(arguments: formats.indices) func tellsMetadataFromPixels(_ index: Int) throws {
    let (codec, options, format) = Self.formats[index]
    func pixelBytes(_ metadata: PictureMetadata, _ number: Int = 0) throws -> [UInt8] {
      let bytes = try encode(.waves(40 + number, 30, format), codec, options, metadata: metadata)
      let places = try #require(codec.metadataPlaces(in: file(bytes))).places
      #expect(places.isEmpty == (metadata.exifBlock + metadata.xmp + metadata.iptc).isEmpty)
      return bytes.indices.filter { index in !places.contains { $0.contains(index) } }.map { bytes[$0] }
    }
    let plain = try pixelBytes(PictureMetadata())
    for name in ["EXIF", "odd XMP", "IPTC", "XMP in several segments"] {
      #expect(try pixelBytes(Self.variants.first { $0.name == name }!.metadata) == plain, "\(name)")
    }
    #expect(try pixelBytes(PictureMetadata(), 1) != plain)
    if format == .rgb8 {
      #expect(try pixelBytes(PictureMetadata(iccProfile: StandardProfile.displayP3.bytes)) != plain)
    }
  }

  /// A gain map behind a picture is left out with other metadata, so its file is not rewritten.
  @Test func refusesGainMaps() throws {
    let pixels = Pixels.waves(41, 30, .rgb8)
    let picture = try encode(pixels, JPEGCodec())
    let map = GainMap(jpeg: picture, xmp: Self.packet(1), iso: [])
    #expect(try rewritten(JPEGCodec().joining(picture, map), JPEGCodec(), pixels.layout, PictureMetadata()) == nil)
  }

  /// Files of another kind are left alone.
  @Test func refusesOtherFiles() throws {
    let layout = Pixels.waves(8, 8, .rgb8).layout
    for codec in [JPEGCodec(), PNGCodec()] as [any PictureCodec] {
      for bytes in [[], [0xff, 0xd8], Array("no picture at all".utf8), [0xff, 0xd8, 0xff, 0xe0, 0, 9, 1]] {
        let made = try? rewritten(bytes, codec, layout, PictureMetadata())
        #expect(made ?? nil == nil)
      }
    }
  }
}
