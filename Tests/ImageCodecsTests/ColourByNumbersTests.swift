import ImageCodecs
import ImageCore
import Testing

@testable import ImageMetadata

/// Colours that a file tells without an ICC profile: PNG's chunks, EXIF, the header of a BMP, that of QOI.
@Suite struct ColourByNumbersTests {
  private static let adobe = CalibratedColour.adobeRGB.profile(isGray: false)
  private static let linear = CalibratedColour(curves: [.gamma(1)])

  // MARK: PNG

  private static func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] { PNGBuilder.chunk(type, data) }

  /// A PNG with chunks behind its header.
  private static func png(_ chunks: [UInt8], colourType: Int = 2) -> [UInt8] {
    let file = PNGBuilder(width: 5, height: 4, bits: 8, colourType: colourType).file {
      UInt8(truncatingIfNeeded: $0 * 7)
    }
    return Array(file[..<33]) + chunks + file[33...]
  }

  private static func gamma(_ value: Int) -> [UInt8] { chunk("gAMA", big(value)) }
  private static func chromaticities(_ values: [Int]) -> [UInt8] { chunk("cHRM", values.flatMap(big)) }
  private static let adobeChromaticities = chromaticities([
    31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000,
  ])
  private static let exif: [UInt8] = r03(space: 0xffff, index: "R03")

  private static func profile(_ chunks: [UInt8], colourType: Int = 2) throws -> [UInt8] {
    try PNGCodec().readHeader(png(chunks, colourType: colourType)).metadata.iccProfile
  }

  @Test func chunksBecomeProfiles() throws {
    let (linear, gray) = (Self.linear.profile(isGray: false), Self.linear.profile(isGray: true))
    #expect(try Self.profile(Self.gamma(100_000)) == linear)
    #expect(try Self.profile(Self.gamma(100_000), colourType: 6) == linear)
    #expect(try Self.profile(Self.gamma(100_000), colourType: 0) == gray)
    #expect(try Self.profile(Self.gamma(100_000), colourType: 4) == gray)
    #expect(try Self.profile(Self.gamma(45_455)).isEmpty && Self.profile([]).isEmpty)
    #expect(
      try Self.profile(Self.adobeChromaticities)
        == CalibratedColour(
          primaries: [0.64, 0.33, 0.21, 0.71, 0.15, 0.06]).profile(isGray: false))
    #expect(
      try Self.profile(Self.gamma(45_455) + Self.adobeChromaticities)
        == CalibratedColour(
          primaries: [0.64, 0.33, 0.21, 0.71, 0.15, 0.06], curves: [.gamma(100_000.0 / 45_455)]
        ).profile(isGray: false))
  }

  @Test func otherChunksPrevail() throws {
    let gamma = Self.gamma(100_000)
    #expect(try Self.profile(gamma + Self.chunk("sRGB", [0])).isEmpty)
    #expect(try Self.profile(gamma + Self.chunk("cICP", [1, 13, 0, 1])).isEmpty)
    #expect(try Self.profile(gamma + Self.chunk("cICP", [12, 13, 0, 1])) == StandardProfile.displayP3.bytes)
    // Of narrow range, which counts as none.
    #expect(try Self.profile(gamma + Self.chunk("cICP", [12, 13, 0, 0])) == Self.linear.profile(isGray: false))
    #expect(try Self.profile(gamma + Self.chunk("eXIf", Self.exif)) == Self.linear.profile(isGray: false))
    #expect(try Self.profile(Self.chunk("eXIf", Self.exif)) == Self.adobe)
    #expect(try Self.profile(Self.chunk("sRGB", [0]) + Self.chunk("eXIf", Self.exif)).isEmpty)
  }

  @Test func nonsenseInChunksIsIgnored() throws {
    for chunks in [
      Self.gamma(0), Self.gamma(1), Self.gamma(0xffff_ffff), Self.chromaticities([Int](repeating: 0, count: 8)),
      Self.chromaticities([Int](repeating: 30_000, count: 8)), Self.chunk("gAMA", [0, 1, 0x86]),
      Self.chunk("cHRM", [1, 2]),
    ] {
      #expect(try Self.profile(chunks).isEmpty)
    }
  }

  // MARK: EXIF

  /// A block with ColorSpace and an index of interoperability behind it, little-endian.
  private static func r03(
    space: UInt16?, index: String?, main: [EXIFBuilder.Entry] = [], exif: [EXIFBuilder.Entry] = []
  )
    -> [UInt8]
  {
    var builder = EXIFBuilder()
    builder.main = [EXIFBuilder.text(0x010f, "Maker")] + main
    builder.exif = exif
    if let space { builder.exif.append(EXIFBuilder.short(0xa001, space)) }
    guard let index else { return builder.block }
    builder.exif.append(EXIFBuilder.long(0xa005, 0))
    let place = builder.block.count
    builder.exif[builder.exif.count - 1] = EXIFBuilder.long(0xa005, place)
    return builder.block + EXIFBuilder.little(1, 2) + [1, 0, 2, 0] + EXIFBuilder.little(index.utf8.count + 1, 4)
      + Array((index + "\0").utf8) + EXIFBuilder.little(0, 4)
  }

  private static func rationals(_ tag: UInt16, _ values: [Double]) -> EXIFBuilder.Entry {
    (tag, 5, values.flatMap { EXIFBuilder.little(Int(($0 * 100_000).rounded()), 4) + EXIFBuilder.little(100_000, 4) })
  }

  @Test func exifTellsAdobeRGB() {
    func colour(_ space: UInt16?, _ index: String?) -> CalibratedColour? {
      EXIFBlock(Self.r03(space: space, index: index))?.colour
    }
    #expect(colour(0xffff, "R03") == .adobeRGB && colour(2, nil) == .adobeRGB)
    #expect(EXIFBlock(Self.exif)?.fields["InteroperabilityIndex"] == .text("R03"))
    for (space, index) in [(1, "R03"), (1, nil), (0xffff, "R98"), (0xffff, "THM"), (0xffff, nil), (nil, "R03")]
      as [(UInt16?, String?)]
    {
      #expect(colour(space, index) == nil, "\(space ?? 0) \(index ?? "")")
    }
  }

  @Test func exifTellsPrimariesAndCurves() {
    let primaries = [0.64, 0.33, 0.21, 0.71, 0.15, 0.06]
    let (places, white) = (Self.rationals(0x013f, primaries), Self.rationals(0x013e, [0.3127, 0.329]))
    let gamma = Self.rationals(0xa500, [1.8])
    #expect(
      EXIFBlock(Self.r03(space: 0xffff, index: nil, main: [white, places], exif: [gamma]))?.colour
        == CalibratedColour(primaries: primaries, white: [0.3127, 0.329], curves: [.gamma(1.8)]))
    #expect(EXIFBlock(Self.r03(space: 1, index: nil, main: [white, places], exif: [gamma]))?.colour == nil)
    // A table of four steps, and one that falls, for pictures whose least value is white.
    for table in [[0, 100, 1_000, 65_535], [65_535, 1_000, 100, 0]] {
      let entry: EXIFBuilder.Entry = (0x012d, 3, table.flatMap { EXIFBuilder.little($0, 2) })
      #expect(
        EXIFBlock(Self.r03(space: nil, index: nil, main: [entry]))?.colour
          == CalibratedColour(curves: [.table([0, 100, 1_000, 65_535])]))
    }
    let broken: EXIFBuilder.Entry = (0x012d, 3, [UInt8](repeating: 0, count: 10))
    #expect(EXIFBlock(Self.r03(space: nil, index: nil, main: [broken]))?.colour == nil)
  }

  @Test func picturesGetTheProfile() throws {
    let pixels = Pixels.waves(16, 8, .rgb8)
    for codec in Fixture.codecsWithEXIF {
      let metadata = PictureMetadata(exifBlock: Self.exif)
      // Written tags agree with the file, which is sRGB without a profile.
      let plain = try FormatChecks.header(try encode(pixels, codec, metadata: metadata)).metadata
      #expect(plain.iccProfile.isEmpty && plain.exif["ColorSpace"] == .integer(1))
      #expect(plain.exif["InteroperabilityIndex"] == .text("R98"))
    }
  }

  // MARK: Written tags

  private static let written: [(StandardProfile?, Int, String?)] = [
    (nil, 1, "R98"), (.srgb, 1, "R98"), (.adobeRGB, 0xffff, "R03"), (.displayP3, 0xffff, nil), (.rec2020, 0xffff, nil),
  ]

  @Test(arguments: written)
  func tagsAgreeWithTheProfile(_ profile: StandardProfile?, _ space: Int, _ index: String?) throws {
    let layout = PictureLayout(width: 3, height: 2, format: .rgb8)
    let calibration = [
      Self.rationals(0x013e, [0.3127, 0.329]), Self.rationals(0x013f, [0.64, 0.33, 0.21, 0.71, 0.15, 0.06]),
    ]
    for (old, mark) in [(0xffff, "R03"), (1, "R98")] as [(UInt16, String)] {
      let block = Self.r03(space: old, index: mark, main: calibration, exif: [Self.rationals(0xa500, [2.2])])
      let metadata = PictureMetadata(iccProfile: profile?.bytes ?? [], exifBlock: block)
      let written = try #require(EXIFBlock(EXIFBlock.forWriting(metadata, layout)))
      #expect(written.fields["ColorSpace"] == .integer(space))
      #expect(written.fields["InteroperabilityIndex"] == index.map { .text($0) })
      let keeps = profile == .adobeRGB
      #expect((written.fields["Gamma"] != nil) == keeps && (written.fields["WhitePoint"] != nil) == keeps)
    }
  }

  @Test func propertiesAgreeWithTheProfile() throws {
    func packet(_ profile: StandardProfile?) throws -> XMPPacket {
      let xmp = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
        exif:ColorSpace="65535" photoshop:ICCProfile="compatible with Adobe RGB (1998)"/></rdf:RDF></x:xmpmeta>
        """
      let metadata = PictureMetadata(iccProfile: profile?.bytes ?? [], xmp: Array(xmp.utf8))
      let layout = PictureLayout(width: 3, height: 2, format: .rgb8)
      let arguments = try arguments(JPEGCodec())
      return try XMPPacket(MetadataChoice(arguments).applied(to: metadata, layout).metadata.xmp)
    }
    func text(_ packet: XMPPacket, _ name: XMPName) -> String? { packet[name]?.texts.first }
    let (space, name) = (XMPName(XMPSpace.exif, "ColorSpace"), XMPName(XMPSpace.photoshop, "ICCProfile"))
    let (srgb, adobe, p3) = (try packet(nil), try packet(.adobeRGB), try packet(.displayP3))
    #expect(text(srgb, space) == "1" && text(srgb, name) == "sRGB IEC61966-2.1")
    #expect(text(adobe, space) == "65535" && text(adobe, name) == "compatible with Adobe RGB (1998)")
    #expect(text(p3, space) == "65535" && text(p3, name) == nil)
  }

  // MARK: BMP and QOI

  /// A BMP of 2 x 1 pixels with a V4 or V5 header.
  private static func bmp(space: Int, ends: [Double], gammas: [Double], length: Int = 108) -> [UInt8] {
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] { EXIFBuilder.little(value, count) }
    var header = number(length) + number(2) + number(1) + number(1, 2) + number(24, 2) + number(0) + number(8)
    header += [UInt8](repeating: 0, count: 16 + 16) + number(space)
    header += ends.flatMap { number(Int($0 * Double(1 << 30))) } + gammas.flatMap { number(Int($0 * 65_536)) }
    header += [UInt8](repeating: 0, count: length - header.count)
    return Array("BM".utf8) + number(22 + length) + number(0) + number(14 + length) + header + [1, 2, 3, 4, 5, 6, 0, 0]
  }

  @Test func calibratedBitmaps() throws {
    let srgb = [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505]
    func profile(_ space: Int, _ ends: [Double], _ gammas: [Double]) throws -> [UInt8] {
      try FormatChecks.header(Self.bmp(space: space, ends: ends, gammas: gammas)).metadata.iccProfile
    }
    #expect(try profile(0, srgb, [2.2, 2.2, 2.2]).isEmpty)
    #expect(try !profile(0, srgb, [1, 1, 1]).isEmpty && !profile(0, srgb, [1.8, 2, 1]).isEmpty)
    // Headers of zeros, and those of sRGB.
    #expect(try profile(0, [Double](repeating: 0, count: 9), [0, 0, 0]).isEmpty)
    #expect(try profile(0x7352_4742, srgb, [1, 1, 1]).isEmpty)
  }

  /// A profile that is linked, or damaged, is ignored with a note.
  @Test func profilesOfBitmapsThatAreIgnored() throws {
    for space in [0x4c49_4e4b, 0x4d42_4544] {
      let file = Self.bmp(space: space, ends: [Double](repeating: 0, count: 9), gammas: [0, 0, 0], length: 124)
      #expect(try FormatChecks.header(file).metadata.losses == [.unreadable(.icc, reason: "it is damaged")])
    }
  }

  @Test(arguments: [0, 1])
  func linearQOI(_ space: UInt8) throws {
    let file = Array("qoif".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 3, space, 0xfe, 1, 2, 3] + [0, 0, 0, 0, 0, 0, 0, 1]
    #expect(try FormatChecks.header(file).metadata.iccProfile.isEmpty == (space == 0))
  }
}
