import ImageCodecs
import ImageCore
import Testing

/// Metadata, read and carried over.
@Suite struct MetadataTests {
  static func header(_ bytes: [UInt8]) throws -> PictureHeader {
    bytes.first == 0xff ? try JPEGCodec().readHeader(bytes) : try PNGCodec().readHeader(bytes)
  }

  static let fields: [(String, MetadataValue)] = [
    ("Make", .text("Imghost")), ("Model", .text("Test Camera")), ("Orientation", .integer(6)),
    ("DateTime", .text("2024:05:06 07:08:09")), ("DateTimeOriginal", .text("2024:05:06 07:08:09")),
    ("ExposureTime", .number(0.004)), ("FNumber", .number(2.8)),
    ("PhotographicSensitivity", .integer(400)), ("ISOSpeedRatings", .integer(400)),
    ("FocalLength", .number(50)), ("LensModel", .text("Test Lens 50mm")),
    ("Artist", .text("A. Person")), ("Copyright", .text("public domain")),
    ("ImageDescription", .text("fixture")), ("Software", .text("imghost tests")),
    ("XResolution", .number(300)), ("ResolutionUnit", .integer(2)),
    ("PixelXDimension", .integer(67)), ("GPSAltitude", .number(58)),
  ]

  @Test(arguments: ["exif-icc-444.jpg", "exif-icc.png"])
  func exifFields(_ name: String) throws {
    let metadata = try Self.header(Fixture.bytes(name)).metadata
    for (field, value) in Self.fields { #expect(metadata.exif[field] == value, "\(field)") }
    #expect(metadata.orientation == .rotated90)
    guard case .number(let latitude)? = metadata.exif["GPSLatitude"],
      case .number(let longitude)? = metadata.exif["GPSLongitude"]
    else {
      Issue.record("no position")
      return
    }
    #expect((latitude + 33.8598333).magnitude < 1e-6)
    #expect((longitude - 151.2111111).magnitude < 1e-6)
    #expect(metadata.iccProfile.count > 128)
  }

  @Test(arguments: [
    ("baseline-420.jpg", 150.0), ("exif-icc-444.jpg", 300), ("exif-icc.png", 200),
  ])
  func resolution(_ name: String, _ expected: Double) throws {
    let resolution = try #require(try Self.header(Fixture.bytes(name)).metadata.resolution)
    #expect((resolution.horizontal - expected).magnitude < 0.05)
    #expect((resolution.vertical - expected).magnitude < 0.05)
  }

  @Test(arguments: [
    ("baseline-420.jpg", "YCbCr", "4:2:0", 0), ("progressive-422.jpg", "YCbCr", "4:2:2", 1),
    ("exif-icc-444.jpg", "YCbCr", "4:4:4", 0), ("cmyk-adobe.jpg", "CMYK", "4:4:4", 0),
    ("ycck-adobe.jpg", "YCCK", "4:4:4", 0),
  ])
  func jpegDetails(_ name: String, _ colour: String, _ subsampling: String, _ progressive: Int) throws {
    let header = try Self.header(Fixture.bytes(name))
    #expect(header.details["colour"] == .text(colour))
    #expect(header.details["subsampling"] == .text(subsampling))
    #expect(header.details["progressive"] == .integer(progressive))
    #expect(header.details["bits"] == .integer(8))
    #expect(header.shrinkFactors == [2, 4, 8])
  }

  @Test func grayJPEGIsGray() throws {
    let header = try Self.header(Fixture.bytes("gray.jpg"))
    #expect(header.layout.format == .gray8)
    #expect(header.details["colour"] == .text("gray"))
    #expect(header.details["subsampling"] == nil)
  }

  /// Patches of cyan, red and half black ink, with and without an Adobe segment, as Pillow 13 and libvips 8.14 read them.
  @Test(arguments: [
    ("cmyk-adobe.jpg", [[255, 0, 0, 0], [0, 255, 255, 0], [0, 0, 0, 128]]),
    ("cmyk-plain.jpg", [[255, 0, 0, 0], [0, 255, 255, 0], [0, 0, 0, 128]]),
    ("ycck-adobe.jpg", [[178, 0, 225, 0], [76, 255, 28, 0], [255, 121, 255, 128]]),
  ])
  func rowsAreInk(_ name: String, _ patches: [[Int]]) throws {
    let pixels = try decode(Fixture.bytes(name))
    #expect(pixels.layout.format == .cmyk8)
    for (index, patch) in patches.enumerated() {
      let start = 8 * pixels.layout.rowByteCount + (index * 16 + 8) * 4
      for band in 0..<4 {
        #expect((Int(pixels.bytes[start + band]) - patch[band]).magnitude <= 2, "\(name) \(index)")
      }
    }
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name))
  func metadataIsCarriedOver(_ name: String) throws {
    let codec = try #require(CodecList.codec(named: name))
    var metadata = try Self.header(Fixture.bytes("exif-icc-444.jpg")).metadata
    metadata.orientation = .upright
    metadata.resolution = Resolution(horizontal: 240, vertical: 120)
    let bytes = try encode(.waves(30, 20, .rgb8), codec, metadata: metadata)
    let read = try Self.header(bytes).metadata
    #expect(read.orientation == .upright)
    #expect(read.iccProfile == metadata.iccProfile)
    #expect(read.exif["Orientation"] == .integer(1))
    #expect(read.exif["PixelXDimension"] == .integer(30))
    #expect(read.exif["PixelYDimension"] == .integer(20))
    for (field, value) in Self.fields
    where !["Orientation", "PixelXDimension"].contains(field) {
      #expect(read.exif[field] == value, "\(field)")
    }
    let resolution = try #require(read.resolution)
    #expect((resolution.horizontal - 240).magnitude < 0.02)
    #expect((resolution.vertical - 120).magnitude < 0.02)
  }

  @Test(arguments: Fixture.codecsWithEXIF.map(\.name))
  func profilesOfOtherColourSpacesAreLeftOut(_ name: String) throws {
    let codec = try #require(CodecList.codec(named: name))
    let metadata = try Self.header(Fixture.bytes("exif-icc-444.jpg")).metadata
    let bytes = try encode(.waves(8, 8, .gray8), codec, metadata: metadata)
    #expect(try Self.header(bytes).metadata.iccProfile.isEmpty)
  }

  /// Pixels that were left as the camera stored them keep their orientation.
  @Test(arguments: Orientation.allCases)
  func orientationIsWritten(_ orientation: Orientation) throws {
    for block in [[], try Self.header(Fixture.bytes("exif-icc.png")).metadata.exifBlock] {
      let metadata = PictureMetadata(orientation: orientation, exifBlock: block)
      for codec in Fixture.codecsWithEXIF {
        let bytes = try encode(.waves(9, 5, .rgb8), codec, metadata: metadata)
        #expect(try Self.header(bytes).metadata.orientation == orientation)
      }
    }
  }

  @Test(arguments: [1, 2, 4, 8])
  func shrunkSizesAreRoundedUp(_ shrink: Int) throws {
    for name in Fixture.jpegs {
      let whole = try decode(Fixture.bytes(name)).layout
      let small = try decode(Fixture.bytes(name), DecodeOptions(shrink: shrink)).layout
      #expect(small.width == (whole.width + shrink - 1) / shrink)
      #expect(small.height == (whole.height + shrink - 1) / shrink)
    }
  }

  /// The standard lets eXIf follow the pixels.
  @Test func exifBehindThePixels() throws {
    let bytes = Fixture.bytes("exif-icc.png")
    var chunks: [[UInt8]] = []
    var offset = 8
    while offset < bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      chunks.append(Array(bytes[offset..<offset + 12 + length]))
      offset += 12 + length
    }
    let index = try #require(
      chunks.firstIndex { Array($0[4..<8]) == Array("eXIf".utf8) })
    let chunk = chunks.remove(at: index)
    chunks.insert(chunk, at: chunks.count - 1)
    let moved = Array(bytes[..<8]) + chunks.flatMap(\.self)
    let metadata = try Self.header(moved).metadata
    #expect(metadata.orientation == .rotated90)
    #expect(metadata.exif["Make"] == .text("Imghost"))
    try withTemporaryFile(moved) { path in
      let header = try PNGCodec().readHeader(InputFile(path: path))
      #expect(header.metadata == metadata)
    }
    #expect(try decode(moved) == (try decode(bytes)))
  }
}
