import ImageCore

/// The header of a picture in a Netpbm file: PBM, PGM, PPM, PAM or PFM.
struct PNMHeader {
  enum Storage: Equatable {
    /// Decimal numbers.
    case text
    /// One bit per pixel, with rows aligned to bytes.
    case bits
    /// Bytes, or two-byte numbers with the high byte first.
    case samples
    /// 32-bit floats, with the bottom row first.
    case floats(isLittleEndian: Bool)
  }

  let width: Int
  let height: Int
  let bands: Int
  /// The largest sample value, which is white, or black if `isInverted`; 1 for floats, which may exceed it.
  let maximum: Int
  let storage: Storage
  /// Whether 1 is black and 0 white.
  let isInverted: Bool
  let pixelOffset: Int

  /// Parses the header that begins at an offset with the format's letters.
  init(_ source: ByteSource, at offset: Int) throws(PictureError) {
    var parser = PNMParser(source, at: offset)
    guard let letter = try parser.byte(), let kind = try parser.byte() else { throw .codec(.truncated) }
    guard letter == UInt8(ascii: "P") else { throw .codec(.damaged("invalid header")) }
    isInverted = kind == UInt8(ascii: "1") || kind == UInt8(ascii: "4")
    switch kind {
    case UInt8(ascii: "7"):
      let map = try ArbitraryMap(&parser)
      (width, height, bands, maximum, storage) = (map.width, map.height, map.depth, map.maximum, .samples)
    case UInt8(ascii: "F"), UInt8(ascii: "f"):
      (width, height) = try (parser.number(), parser.number())
      guard let scale = try Double(parser.word()), scale.isFinite, scale != 0 else {
        throw .codec(.damaged("invalid scale"))
      }
      try parser.endHeader()
      (bands, maximum, storage) = (kind == UInt8(ascii: "F") ? 3 : 1, 1, .floats(isLittleEndian: scale < 0))
    case UInt8(ascii: "1")...UInt8(ascii: "6"):
      (width, height) = try (parser.number(), parser.number())
      bands = kind == UInt8(ascii: "3") || kind == UInt8(ascii: "6") ? 3 : 1
      storage = kind < UInt8(ascii: "4") ? .text : kind == UInt8(ascii: "4") ? .bits : .samples
      maximum = isInverted ? 1 : try parser.number()
      // In text formats, the decoder itself skips the white space and comments before the samples.
      if storage != .text { try parser.endHeader() }
    default: throw .codec(.damaged("invalid header"))
    }
    pixelOffset = parser.offset
    try check(source)
  }

  private func check(_ source: ByteSource) throws(PictureError) {
    guard width > 0, height > 0 else { throw .codec(.damaged("invalid size \(width)x\(height)")) }
    guard max(width, height) <= PictureLayout.maximumSide, width * height <= PictureLayout.maximumPixels else {
      throw .codec(.tooLarge(width: width, height: height))
    }
    guard (1...65_535).contains(maximum) else { throw .codec(.damaged("a largest sample of \(maximum)")) }
    // If damage is accepted, a truncated file is read up to its end, unless it is much too short.
    guard rowByteCount * height / 256 <= source.byteCount - pixelOffset else { throw .codec(.truncated) }
  }

  /// The size of a stored row in bytes; for text formats, the minimum size.
  var rowByteCount: Int {
    switch storage {
    case .text: width * bands * (isInverted ? 1 : 2)
    case .bits: (width + 7) / 8
    case .samples: width * bands * (maximum > 255 ? 2 : 1)
    case .floats: width * bands * 4
    }
  }

  /// The offset of the first byte after the pixels; nil for text formats, which contain one picture.
  var pixelEnd: Int? { storage == .text ? nil : pixelOffset + rowByteCount * height }

  var isFloat: Bool { if case .floats = storage { true } else { false } }

  var layout: PictureLayout {
    PictureLayout(
      width: width, height: height,
      format: PixelFormat(
        maximum > 255 || isFloat ? .u16 : .u8, bands < 3 ? .gray : .rgb, alpha: bands == 2 || bands == 4))
  }

  var sampleBits: Int { isFloat ? 32 : Int.bitWidth - maximum.leadingZeroBitCount }

  /// Returns a sample scaled to the full range of the layout's samples.
  func scaled(_ sample: Int) -> Int {
    let full = layout.format.sample.maximum
    let value = (min(sample, maximum) * full + maximum / 2) / maximum
    return isInverted ? full - value : value
  }
}

extension PNMHeader {
  /// The maximum number of pages counted in a file. Opening a page parses the headers of all pages.
  static let pageLimit = 10_000

  /// Parses the header of a page, and counts the pages, which follow one another. Other data after the last page is not
  /// an error.
  static func read(_ source: ByteSource, page: Int) throws(PictureError) -> (header: PNMHeader, pageCount: Int) {
    var header = try PNMHeader(source, at: 0)
    var found = header
    var count = 1
    while count < pageLimit, let end = header.pixelEnd, end < source.byteCount {
      guard let next = try? PNMHeader(source, at: end) else { break }
      header = next
      count += 1
      if count == page { found = next }
    }
    guard page <= count else { throw .codec(.noPage(page, count: count)) }
    return (found, count)
  }
}

/// The lines of a PAM's header.
private struct ArbitraryMap {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var depth = 0
  private(set) var maximum = 0

  private static let types = ["BLACKANDWHITE", "GRAYSCALE", "RGB"]

  init(_ parser: inout PNMParser) throws(PictureError) {
    while true {
      switch try parser.word() {
      case "WIDTH": width = try parser.number()
      case "HEIGHT": height = try parser.number()
      case "DEPTH": depth = try parser.number()
      case "MAXVAL": maximum = try parser.number()
      case "TUPLTYPE":
        let type = try parser.word()
        let colours = type.hasSuffix("_ALPHA") ? String(type.dropLast(6)) : type
        guard Self.types.contains(colours) else {
          throw .codec(.unsupported("a PAM of other pixels than gray and RGB"))
        }
      case "ENDHDR":
        try parser.endHeader()
        guard (1...4).contains(depth) else { throw .codec(.unsupported("a PAM with \(depth) bands")) }
        return
      default: throw .codec(.damaged("invalid header"))
      }
    }
  }
}

/// Parses words and numbers in headers and text formats of Netpbm (pnm(5), pam(5)). They are separated by white space,
/// and comments extend from `#` to the end of the line.
struct PNMParser {
  private var window: ByteWindow
  /// The offset of the next byte.
  var offset: Int

  /// The value to which larger numbers are reduced, so that none overflows. It exceeds every valid side and sample.
  static let numberLimit = 1_000_000_000

  init(_ source: ByteSource, at offset: Int) {
    window = ByteWindow(source)
    self.offset = offset
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  /// Returns the next byte and advances past it; nil at the end.
  mutating func byte() throws(PictureError) -> UInt8? {
    guard let byte = try window.byte(offset) else { return nil }
    offset += 1
    return byte
  }

  /// Skips white space and comments, and returns the byte after them without consuming it; nil at the end.
  mutating func skip() throws(PictureError) -> UInt8? {
    while let byte = try window.byte(offset) {
      if byte == UInt8(ascii: "#") {
        try skipLine()
      } else if Self.isSpace(byte) {
        offset += 1
      } else {
        return byte
      }
    }
    return nil
  }

  /// Skips the rest of the line, including its end.
  mutating func skipLine() throws(PictureError) {
    while let byte = try byte() {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return }
    }
  }

  /// Returns the next number.
  ///
  /// - Throws: `CodecError.truncated` at the end, `.damaged` for anything else.
  mutating func number() throws(PictureError) -> Int {
    guard try skip() != nil else { throw .codec(.truncated) }
    var value = 0
    var digits = 0
    while let byte = try window.byte(offset), (0x30...0x39).contains(byte) {
      value = min(value * 10 + Int(byte - 0x30), Self.numberLimit)
      digits += 1
      offset += 1
    }
    guard digits > 0 else { throw .codec(.damaged("it has a word instead of a number")) }
    return value
  }

  /// Returns the next word of at most 32 letters.
  ///
  /// - Throws: `CodecError.truncated` at the end.
  mutating func word() throws(PictureError) -> String {
    guard try skip() != nil else { throw .codec(.truncated) }
    var letters: [UInt8] = []
    while let byte = try window.byte(offset), !Self.isSpace(byte), letters.count < 32 {
      letters.append(byte)
      offset += 1
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Skips the single white-space character, or the comment, that ends a header.
  mutating func endHeader() throws(PictureError) {
    guard let byte = try byte() else { throw .codec(.truncated) }
    if byte == UInt8(ascii: "#") { return try skipLine() }
    guard Self.isSpace(byte) else { throw .codec(.damaged("it has a word instead of a number")) }
  }
}
