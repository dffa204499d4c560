import COpenJPEG
import ImageCodecs
import ImageCore
@testable import PDFBook
import PDFTestSupport
import TestSupport
import Testing

@testable import PDFVerify

/// Every kind of stored picture, as shown by poppler, MuPDF and Ghostscript: its dictionary must be unambiguous.
@Suite(.wholeRuns) struct ViewersTests {
  /// A picture, its pixels in 8-bit RGB, and the mean difference that viewers may have.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var tolerance = 2.0
    let make: @Sendable (TestFolder) throws -> (picture: PDFPicture, pixels: [UInt8])
  }

  private static let (width, height) = (96, 64)
  private static let jfif: [UInt8] = [0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
  private static func adobe(_ transform: UInt8) -> [UInt8] {
    [0xff, 0xee, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]
  }

  /// A JPEG whose markers say what tests choose.
  ///
  /// - Parameters:
  ///   - ids: other identifiers of its components.
  ///   - markers: what follows its start.
  ///   - dropped: segments that are left out beside APP0 and APP14.
  private static func marked(
    _ jpeg: [UInt8], ids: [UInt8] = [], _ markers: [UInt8] = [], without dropped: Set<UInt8> = []
  ) -> [UInt8] {
    var (result, place) = (Array(jpeg[..<2]) + markers, 2)
    while true {
      let (code, length) = (jpeg[place + 1], Int(jpeg[place + 2]) << 8 | Int(jpeg[place + 3]))
      var segment = Array(jpeg[place..<place + 2 + length])
      if (0xc0...0xc2).contains(code) { for index in ids.indices { segment[10 + 3 * index] = ids[index] } }
      // Each scan of these files has all components in order, or one of the first.
      if code == 0xda, Int(segment[4]) == ids.count { for index in ids.indices { segment[5 + 2 * index] = ids[index] } }
      if code != 0xe0, code != 0xee, !dropped.contains(code) { result += segment }
      place += 2 + length
      if code == 0xda { return result + jpeg[place...] }
    }
  }

  private static func jpeg(_ bytes: [UInt8], _ folder: TestFolder) throws -> (PDFPicture, [UInt8]) {
    let file = try InputFile(path: folder.write(bytes, as: "picture.jpg"))
    // A frame of a webcam has no tables, which decoders know.
    return (try PDFPicture(jpegFile: file), try decoded(bytes))
  }

  private static func decoded(_ bytes: [UInt8]) throws -> [UInt8] {
    let source = try JPEGCodec().makeDecoder(bytes)
    let plain = source.layout.format.model == .cmyk ? PlainInkSource(source, isInverted: true) : source
    let rows = try plain.readAll(.serial)
    return (0..<height).flatMap { y in
      let row = rows.row(y).assumingMemoryBound(to: UInt8.self)
      let bands = rows.layout.bands
      return (0..<width).flatMap { x in (0..<3).map { row[x * bands + min($0, bands - 1)] } }
    }
  }

  private static let colour = TestPicture(1).jpeg(quality: 95)
  private static let ink = TestPicture(2, components: 4).jpeg(quality: 95)

  private static func jpegKind(_ name: String, _ tolerance: Double = 2, _ bytes: @escaping @Sendable () -> [UInt8])
    -> Kind
  {
    Kind(testDescription: name, tolerance: tolerance) { try jpeg(bytes(), $0) }
  }

  static let jpegs: [Kind] = [
    jpegKind("gray") { marked(TestPicture(1, components: 1).jpeg()) },
    jpegKind("gray, JFIF") { marked(TestPicture(1, components: 1).jpeg(), jfif) },
    jpegKind("YCbCr, JFIF") { marked(colour, jfif) }, jpegKind("YCbCr, no marker") { marked(colour) },
    jpegKind("YCbCr, Adobe") { marked(colour, adobe(1)) },
    jpegKind("YCbCr, an unknown transform") { marked(colour, adobe(2)) },
    jpegKind("YCbCr, JFIF and Adobe") { marked(colour, jfif + adobe(1)) },
    jpegKind("YCbCr, components from 0") { marked(colour, ids: [0, 1, 2]) },
    jpegKind("YCbCr, components of any name") { marked(colour, ids: [7, 200, 9]) },
    jpegKind("YCbCr, R, G and B by JFIF") { marked(colour, ids: Array("RGB".utf8), jfif) },
    jpegKind("YCbCr, R, G and B by Adobe") { marked(colour, ids: Array("RGB".utf8), adobe(1)) },
    jpegKind("RGB by its components") { marked(colour, ids: Array("RGB".utf8)) },
    jpegKind("RGB by Adobe") { marked(colour, adobe(0)) },
    jpegKind("RGB by both") { marked(colour, ids: Array("RGB".utf8), adobe(0)) },
    jpegKind("progressive") { TestPicture(3).jpeg(quality: 95, progressive: true) },
    jpegKind("restart markers") { TestPicture(3).jpeg(restartInterval: 3) },
    jpegKind("restart markers, RGB") { marked(TestPicture(3).jpeg(restartInterval: 3), ids: Array("RGB".utf8)) },
    jpegKind("no Huffman tables") { marked(colour, without: [0xc4]) },
    jpegKind("no Huffman tables, RGB") { marked(colour, ids: Array("RGB".utf8), without: [0xc4]) },
    jpegKind("no Huffman tables, gray") { marked(TestPicture(1, components: 1).jpeg(), jfif, without: [0xc4]) },
    // Viewers have other formulas for ink; inverted or transformed wrongly it is 60 off and more.
    jpegKind("CMYK, Adobe", 45) { marked(ink, adobe(0)) }, jpegKind("CMYK, no marker", 45) { marked(ink) },
    jpegKind("YCCK", 45) { marked(ink, adobe(2)) }, jpegKind("CMYK, JFIF", 45) { marked(ink, jfif) },
  ]

  private static func flate(_ format: PixelFormat, _ folder: TestFolder) throws -> (PDFPicture, [UInt8]) {
    let layout = PictureLayout(width: width, height: height, format: format)
    let encoder = FlateEncoder(layout)
    let source = TestPicture(5)
    var pixels: [UInt8] = []
    for y in 0..<height {
      var row: [UInt8] = []
      for x in 0..<width {
        let colours = (0..<3).map { source.pixels[(y * width + x) * 3 + $0] }
        let bands = format.model == .gray ? [colours[0]] : colours
        for band in bands { row += [UInt8](repeating: band, count: format.sample.byteCount) }
        let alpha: UInt8 = x < width / 2 ? 255 : 0
        if format.hasAlpha { row += [UInt8](repeating: alpha, count: format.sample.byteCount) }
        let shown = (0..<3).map { bands[min($0, bands.count - 1)] }
        pixels += format.hasAlpha && alpha == 0 ? [255, 255, 255] : shown
      }
      try row.withUnsafeBytes { try encoder.write(1, from: $0.baseAddress!, stride: row.count) }
    }
    try encoder.finish()
    return (encoder.picture, pixels)
  }

  private static func png(_ name: String, _ folder: TestFolder) throws -> (PDFPicture, [UInt8]) {
    let fixture = TestPNG(width: width, height: height)
    let file = try InputFile(path: folder.write(fixture.bytes, as: "picture.png"))
    let rows = try PNGCodec().makeDecoder(fixture.bytes).readAll(.serial)
    let pixels = (0..<height).flatMap { y in
      (0..<width).flatMap { x in [UInt8](repeating: rows.row(y).load(fromByteOffset: x, as: UInt8.self), count: 3) }
    }
    return (try PDFPicture(pngFile: file), pixels)
  }

  /// Samples of a few bits in one stream, as PNG files have them, gray or with colours of a palette.
  private static func packed(_ bits: Int, palette: [UInt8]?) -> (PDFPicture, [UInt8]) {
    let mask = (1 << bits) - 1
    func sample(_ x: Int, _ y: Int) -> Int { (x / 3 + y / 5) & mask }
    let perByte = 8 / bits
    let rows = (0..<height).map { y in
      [0]
        + stride(from: 0, to: width, by: perByte).map { x in
          (0..<perByte).reduce(UInt8(0)) { $0 << UInt8(bits) | UInt8(sample(x + $1, y)) }
        }
    }
    let pixels = (0..<height).flatMap { y in
      (0..<width).flatMap { x -> [UInt8] in
        let value = sample(x, y)
        return palette.map { Array($0[value * 3..<value * 3 + 3]) }
          ?? [UInt8](repeating: UInt8(value * 255 / mask), count: 3)
      }
    }
    let picture = PDFPicture(
      data: .bytes(TestPNG.zlib(rows.flatMap(\.self))), compression: .flate,
      format: PDFPicture.Format(
        width: width, height: height, colourSpace: palette.map { .indexed(palette: $0) } ?? .gray, bits: bits),
      iccProfile: [])
    return (picture, pixels)
  }

  private static let palette: [UInt8] = (0..<256).flatMap { (entry: Int) -> [UInt8] in
    let (red, green) = (UInt8(entry * 7 & 255), UInt8(entry * 31 & 255))
    return [red, green, UInt8(255 - entry)]
  }

  static let flates: [Kind] = [
    Kind(testDescription: "Flate, gray") { try flate(.gray8, $0) },
    Kind(testDescription: "Flate, RGB") { try flate(.rgb8, $0) },
    Kind(testDescription: "Flate, gray of 16 bits") { try flate(PixelFormat(.u16, .gray), $0) },
    Kind(testDescription: "Flate, RGB of 16 bits") { try flate(PixelFormat(.u16, .rgb), $0) },
    Kind(testDescription: "Flate, a soft mask") { try flate(.rgba8, $0) },
    Kind(testDescription: "PNG, in parts") { try png("gray", $0) },
  ]

  static let fewBits: [Kind] = [1, 2, 4, 8].flatMap { (bits: Int) -> [Kind] in
    [
      Kind(testDescription: "gray of \(bits) bits") { _ in packed(bits, palette: nil) },
      Kind(testDescription: "palette of \(bits) bits") { _ in packed(bits, palette: Array(palette[..<(3 << bits)])) },
    ]
  }

  static let others: [Kind] = [
    fax(isInverted: false), fax(isInverted: true),
    jpeg2000("JP2, RGB", TestJPEG2000(width: width, height: height)),
    jpeg2000("JP2, gray", TestJPEG2000(width: width, height: height, components: 1, colours: OPJ_CLRSPC_GRAY)),
    jpeg2000("JP2 of 16 bits", TestJPEG2000(width: width, height: height, bits: 16)),
    jpeg2000(
      "JP2, gray of 16 bits",
      TestJPEG2000(width: width, height: height, components: 1, bits: 16, colours: OPJ_CLRSPC_GRAY)),
    jpeg2000("JP2, tiles", TestJPEG2000(width: width, height: height, isTiled: true)),
    jpeg2000("codestream, RGB", TestJPEG2000(width: width, height: height, isCodestream: true)),
    jpeg2000("codestream, gray", TestJPEG2000(width: width, height: height, components: 1, isCodestream: true)),
    jpeg2000("codestream of 16 bits", TestJPEG2000(width: width, height: height, bits: 16, isCodestream: true)),
  ]

  private static func jpeg2000(_ name: String, _ source: TestJPEG2000) -> Kind {
    Kind(testDescription: name) { folder in
      let file = try InputFile(path: folder.write(source.encoded(), as: "picture.jp2"))
      let header = try JPEG2000Codec().readHeader(file)
      #expect(header.isEmbeddable)
      let picture = PDFPicture(
        jpeg2000File: file, width: width, height: height, components: source.components, bits: source.bits,
        isCodestream: source.isCodestream, hasAlpha: false)
      let pixels = (0..<height).flatMap { y in
        (0..<width).flatMap { x in
          (0..<3).map { UInt8(source.sample(x, y, min($0, source.components - 1)) >> (source.bits - 8)) }
        }
      }
      return (picture, pixels)
    }
  }

  /// Rows of 40 white pixels, 32 black and 24 white ones; inverted the other way round.
  private static func fax(isInverted: Bool) -> Kind {
    Kind(testDescription: isInverted ? "Group 4, inverted" : "Group 4") { _ in
      let digits = Array(
        "001" + "00101001" + "000001101010" + "1" + String(repeating: "111", count: height - 1)
          + "000000000001000000000001")
      let bytes = stride(from: 0, to: digits.count, by: 8).map { start in
        (start..<start + 8).reduce(UInt8(0)) { $0 << 1 | ($1 < digits.count && digits[$1] == "1" ? 1 : 0) }
      }
      let sink = PooledSink(reserving: bytes.count)
      try bytes.withUnsafeBytes { try sink.write($0) }
      let pixels = (0..<width * height).flatMap { index in
        let isBlack = (40..<72).contains(index % width) != isInverted
        return [UInt8](repeating: isBlack ? 0 : 255, count: 3)
      }
      return (try PDFPicture(fax: sink.bytes, width: width, height: height, isInverted: isInverted), pixels)
    }
  }

  /// Programs that show PDFs, and their arguments for a page of one pixel a point: as a PNG file for
  /// poppler, whose other renderer shifts pictures, and else as a PPM file.
  private static let viewers: [(program: String, arguments: @Sendable (_ from: String, _ to: String) -> [String])] = [
    ("pdftocairo", { ["-png", "-r", "72", "-singlefile", $0, String($1.dropLast(4))] }),
    ("mutool", { ["draw", "-q", "-r", "72", "-F", "ppm", "-o", $1, $0] }),
    ("gs", { ["-q", "-dNOSAFER", "-sDEVICE=ppmraw", "-r72", "-o", $1, $0] }),
  ]

  /// The samples of a PPM file, behind its head, or of a PNG file.
  private static func shown(_ file: [UInt8]) throws -> [UInt8] {
    guard file.first == 0x89 else { return file }
    let rows = try PNGCodec().makeDecoder(file).readAll(.serial)
    let bands = rows.layout.bands
    return (0..<rows.layout.height).flatMap { (y: Int) -> [UInt8] in
      let row = rows.row(y).assumingMemoryBound(to: UInt8.self)
      return (0..<rows.layout.width * 3).map { row[$0 / 3 * bands + min($0 % 3, bands - 1)] }
    }
  }

  @Test(arguments: [jpegs, flates, fewBits, others].flatMap(\.self)) func viewersAgree(kind: Kind) throws {
    let folder = TestFolder()
    let (picture, pixels) = try kind.make(folder)
    let book = try TestBook { writer, add in
      let place = PageRectangle(left: 0, bottom: 0, width: 96, height: 64)
      let made = PDFPage(
        size: PageSize(width: 96, height: 64), placements: [Placement(try writer.add(picture), in: place)])
      add(made, [nil])
      try writer.addPage(made)
    }
    #expect(try book.verify(expecting: false).lines == [])
    let path = folder.write(book.bytes, as: "book.pdf")
    for viewer in Self.viewers {
      let name = viewer.program + (viewer.program == "pdftocairo" ? ".png" : ".ppm")
      let shown = folder.file(name)
      guard try runTool(viewer.program, viewer.arguments(path, shown)) != nil else {
        print("viewersAgree: skipped \(viewer.program), which is not installed")
        continue
      }
      let rows = try Self.shown(folder.read(name)).suffix(pixels.count)
      let sum = zip(rows, pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      let mean = Double(sum) / Double(pixels.count)
      #expect(rows.count == pixels.count && mean < kind.tolerance, "\(viewer.program): \(mean) of 255 off on average")
    }
  }

  /// What no dictionary makes viewers agree on does not go into a book as it is.
  @Test func disputedJPEGsAreRefused() throws {
    let bytes = Self.marked(Self.colour, Self.jfif + Self.adobe(0))
    #expect(throws: JPEGFault.disputedColours) { try PDFPicture(jpeg: bytes) }
    #expect(try JPEGCodec().readHeader(bytes).isEmbeddable == false)
  }

  @Test(arguments: [
    TestJPEG2000(bits: 12), TestJPEG2000(bits: 4), TestJPEG2000(components: 4, hasAlpha: true),
    TestJPEG2000(colours: OPJ_CLRSPC_SYCC), TestJPEG2000(subsampling: 2, colours: OPJ_CLRSPC_SYCC),
    TestJPEG2000(subsampling: 2, isCodestream: true), TestJPEG2000(bits: 10, isCodestream: true),
  ])
  func unusualJPEG2000IsEncodedAgain(picture: TestJPEG2000) throws {
    let folder = TestFolder()
    let header = try JPEG2000Codec().readHeader(InputFile(path: folder.write(picture.encoded(), as: "a.jp2")))
    #expect(!header.isEmbeddable && header.details["unusual"] != nil)
  }

  /// The dictionary must say what the data says, whatever poppler makes of it.
  @Test(arguments: [
    ("/ColorTransform 0", "/ColorTransform 1", "has another ColorTransform"),
    ("/BitsPerComponent 8", "/BitsPerComponent 4", "states 4 bits for each colour component; its data has 8"),
    ("/DeviceRGB", "/DeviceCMYK", "states 4 colour components; its data has 3"),
    ("/DeviceRGB", "/DeviceGray", "states 1 colour component; its data has 3"),
  ])
  func changedDictionariesAreTold(old: String, new: String, words: String) throws {
    let book = try TestBook { writer, add in
      let bytes = Self.marked(Self.colour, ids: Array("RGB".utf8))
      let page = try PageSetup().page(try writer.add(PDFPicture(jpeg: bytes)), orientation: .upright)
      add(page, [nil])
      try writer.addPage(page)
    }
    #expect(try book.verify(expecting: false).lines == [])
    var pieces = BookPieces(book.bytes)
    pieces.replace(old, new)
    let lines = try book.verify(pieces.bytes, expecting: false, as: "changed").lines
    #expect(lines.contains { $0.contains("error: ") && $0.contains(words) }, "\(lines)")
  }
}
