import ImageCore

/// JPEG 2000 (ISO/IEC 15444-1). Only headers are read, so that a PDF can store such a file unchanged. Pixels are
/// neither decoded nor written.
public struct JPEG2000Codec: PictureCodec {
  public init() {}

  public var name: String { "jpeg2000" }
  public var extensions: [String] { ["jp2", "j2k", "j2c", "jpx", "jpf"] }
  public var saveParameters: [ParameterDescriptor] { [] }
  public var writes: Bool { false }
  public var cost: CodingCost { CodingCost(stored: 40, encoded: 120) }
  public var reasonNotToDecode: String? {
    "decoding JPEG 2000 needs libJPEG2000Plugin.so, of the package imghost; a book stores the file as it is when nothing is "
      + "done to it"
  }

  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.starts(with: [0xff, 0x4f, 0xff, 0x51]) || prefix.starts(with: [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20])
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    let header = try JPEG2000Header(file)
    var details: [String: MetadataValue] = [
      "bits": .integer(header.bits), "components": .integer(header.components),
      "codestream": .integer(header.isCodestream ? 1 : 0), "transparency": .integer(header.hasAlpha ? 1 : 0),
    ]
    if let unusual = header.unusual { details["unusual"] = .text(unusual) }
    return PictureHeader(
      codec: name,
      layout: try layout(header),
      metadata: PictureMetadata(
        orientation: .upright, iccProfile: [], exif: [:], exifBlock: [],
        resolution: header.resolution),
      details: details, isEmbeddable: !header.isInk && header.unusual == nil)
  }

  private func layout(_ header: JPEG2000Header) throws(PictureError) -> PictureLayout {
    let model: ColourModel = header.isGray ? .gray : header.isInk ? .cmyk : .rgb
    do throws(OperationError) {
      return try .checked(
        width: header.width, height: header.height,
        format: PixelFormat(header.bits > 8 ? .u16 : .u8, model, alpha: header.hasAlpha))
    } catch { throw .operation(error) }
  }

  public func endsProperly(_ file: InputFile) -> Bool { (try? JPEG2000Header(file).endsProperly) ?? false }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    throw .codec(.unsupported("decoding JPEG 2000"))
  }

  public func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    throw .codec(.cannotEncode("imghost cannot write JPEG 2000; save as JPEG or PNG"))
  }
}

/// The headers of a JPEG 2000 file: the codestream's SIZ marker segment (ISO/IEC 15444-1, A.5.1), and the boxes of a
/// JP2 around it (Annex I).
struct JPEG2000Header {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var components = 0
  /// The largest number of bits of a component; with a palette, the number of bits of its first column.
  private(set) var bits = 0
  private(set) var isCodestream = true
  /// Whether a channel definition box declares an opacity channel.
  private(set) var hasAlpha = false
  /// The number of the enumerated colour space (I.5.3.3); nil for a profile, and without a JP2 header.
  private(set) var colourNumber: Int?
  /// Whether the colour space is CMYK (ISO/IEC 15444-2).
  var isInk: Bool { colourNumber == 12 }
  private var hasColours = false
  /// Whether all components have a sample for each pixel, the same number of bits, and the same signedness.
  private var isEven = false
  private var isSigned = false
  /// The number of columns of a palette, and the number of bits of the first column; nil without a palette (I.5.3.4).
  private(set) var palette: (columns: Int, bits: Int)?
  private(set) var resolution: Resolution?
  /// The offset of the codestream's end.
  private(set) var end = 0

  private let file: InputFile
  /// The number of boxes that may still be read. A JP2 has about ten; with pages and metadata, a few hundred.
  private var boxesLeft = 10_000

  init(_ file: InputFile) throws(PictureError) {
    self.file = file
    if try bytes(0, 4) == [0xff, 0x4f, 0xff, 0x51] {
      try readCodestream(at: 0)
      end = file.byteCount
    } else {
      isCodestream = false
      try readBoxes(0..<file.byteCount, depth: 0)
    }
    guard width > 0, height > 0, components > 0 else { throw .codec(.damaged("it has no codestream")) }
    let colours = components - (hasAlpha ? 1 : 0)
    if let palette, components == 1 { bits = palette.bits }
    guard colours == 1 || colours == 3 || colours == 4 && isInk else {
      throw .codec(.unsupported("JPEG 2000 with \(components) components"))
    }
    guard bits <= 16 else { throw .codec(.unsupported("JPEG 2000 with \(bits) bits")) }
  }

  var isGray: Bool { components < 3 && palette.map { $0.columns < 3 } ?? true }

  /// The reason, as a clause, why PDF readers show the file in different ways; nil if there is none. Tested with
  /// poppler 22.12, MuPDF 1.21 and Ghostscript 10.0.
  var unusual: String? {
    if !isEven { return "its components differ in size or depth" }
    if hasAlpha { return "it has opacity inside its data" }
    if isSigned { return "its samples are signed" }
    if bits != 8 && bits != 16 { return "it has \(bits) bits a sample" }
    if let palette, ![1, 3].contains(palette.columns) || components != 1 {
      return "its palette has \(palette.columns) columns"
    }
    // 16 is sRGB, and 17 is gray with sRGB's curve.
    if let colourNumber, ![16, 17].contains(colourNumber) { return "its colours are neither sRGB nor gray" }
    return nil
  }

  /// Whether the codestream ends with its end marker.
  var endsProperly: Bool { (try? bytes(end - 2, 2)) == [0xff, 0xd9] }

  private mutating func readBoxes(_ range: Range<Int>, depth: Int) throws(PictureError) {
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound {
      boxesLeft -= 1
      guard boxesLeft >= 0 else { throw .codec(.unsupported("JPEG 2000 with so many boxes")) }
      let head = try bytes(offset, 8)
      var length = Self.number(head[..<4])
      var start = offset + 8
      if length == 1 {
        length = Self.number(try bytes(offset + 8, 8)[...])
        start += 8
      } else if length == 0 {
        length = range.upperBound - offset
      }
      guard length >= start - offset, offset <= range.upperBound - length else { throw .codec(.truncated) }
      let end = offset + length
      switch String(decoding: head[4...], as: UTF8.self) {
      case "jp2h" where depth == 0, "res " where depth == 1:
        try readBoxes(start..<end, depth: depth + 1)
      case "cdef": try readChannels(start..<end)
      // The first colour box counts, but CMYK (12) in a later one takes precedence. With method 1, a box contains the
      // number of an enumerated colour space (I.5.3.3).
      case "colr" where depth == 1 && end - start >= 7:
        let body = try bytes(start, 7)
        let number = body[0] == 1 ? Self.number(body[3...]) : nil
        if !hasColours || number == 12 { colourNumber = number }
        hasColours = true
      case "pclr" where depth == 1 && end - start >= 4:
        let body = try bytes(start, 4)
        palette = (Int(body[2]), Int(body[3] & 0x7f) + 1)
      case "resc" where resolution == nil, "resd": try readResolution(start..<end)
      case "jp2c" where width == 0:
        self.end = end
        try readCodestream(at: start)
      default: break
      }
      offset = end
    }
  }

  private mutating func readCodestream(at offset: Int) throws(PictureError) {
    let size = try bytes(offset, 42)
    guard size[..<4].elementsEqual([0xff, 0x4f, 0xff, 0x51]) else {
      throw .codec(.damaged("it has no codestream"))
    }
    func number(_ place: Int) -> Int { Self.number(size[place..<place + 4]) }
    width = number(8) - number(16)
    height = number(12) - number(20)
    components = Self.number(size[40..<42])
    guard width > 0, height > 0, (1...5).contains(components) else {
      throw .codec(.damaged("invalid size \(width)x\(height) with \(components) components"))
    }
    let parts = try bytes(offset + 42, components * 3)
    isSigned = (0..<components).contains { parts[$0 * 3] & 0x80 != 0 }
    bits = (0..<components).map { Int(parts[$0 * 3] & 0x7f) + 1 }.max()!
    isEven = (0..<components).allSatisfy {
      parts[$0 * 3] == parts[0] && parts[$0 * 3 + 1] == 1 && parts[$0 * 3 + 2] == 1
    }
  }

  /// Reads the channel definition box (I.5.3.6): type 1 is opacity, 2 premultiplied opacity.
  private mutating func readChannels(_ range: Range<Int>) throws(PictureError) {
    let body = try bytes(range.lowerBound, min(range.count, 200))
    guard body.count >= 2 else { return }
    let count = min(Self.number(body[..<2]), (body.count - 2) / 6)
    hasAlpha = (0..<count).contains { [1, 2].contains(Self.number(body[$0 * 6 + 4..<$0 * 6 + 6])) }
  }

  /// Reads a resolution box (I.5.3.7): vertical, then horizontal, in grid points per metre.
  private mutating func readResolution(_ range: Range<Int>) throws(PictureError) {
    guard range.count >= 10 else { return }
    let body = try bytes(range.lowerBound, 10)
    func value(_ place: Int, _ exponent: Int) -> Double {
      let parts = Double(Self.number(body[place..<place + 2]))
      let of = Double(max(1, Self.number(body[place + 2..<place + 4])))
      var scale = 1.0
      let power = Int(Int8(bitPattern: body[exponent]))
      for _ in 0..<abs(power) { scale *= power < 0 ? 0.1 : 10 }
      return parts / of * scale * 0.0254
    }
    resolution = Resolution(horizontal: value(4, 9), vertical: value(0, 8))
  }

  private func bytes(_ offset: Int, _ count: Int) throws(PictureError) -> [UInt8] {
    guard offset >= 0 else { throw .codec(.truncated) }
    let result = try ByteSource.file(file).bytes(at: offset, upTo: count)
    guard result.count == count else { throw .codec(.truncated) }
    return result
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { ($0 & (Int.max >> 9)) << 8 | Int($1) }
  }
}
