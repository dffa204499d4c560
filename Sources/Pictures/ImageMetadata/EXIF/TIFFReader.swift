/// Parses a TIFF structure (TIFF 6.0, section 2), the container of EXIF.
///
/// The block is untrusted: every offset is checked, and the number of entries is limited.
struct TIFFReader {
  let bytes: [UInt8]
  let isLittleEndian: Bool

  /// One 12-byte directory entry.
  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    /// The offset of the values in the block; all their bytes are inside the block.
    let offset: Int

    /// The size in bytes of one value of each type (TIFF 6.0, page 15; 13 from Adobe's TIFF Technical Note 1); 0 for a
    /// type that does not exist.
    static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
    var byteCount: Int { count * Self.sizes[type] }
  }

  /// The entries of a directory whose values are inside the block.
  typealias Directory = [Entry]

  /// Parses the header; nil if the block does not begin with a TIFF header.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    switch (bytes[0], bytes[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4d, 0x4d): isLittleEndian = false
    default: return nil
    }
    self.bytes = bytes
    guard unsigned16(2) == 42 else { return nil }
  }

  var firstDirectory: Directory? { unsigned32(4).flatMap(directory(at:)) }

  /// Parses a directory; nil if it does not begin inside the block, after the header. At most 1,000 entries are read.
  func directory(at offset: Int) -> Directory? {
    guard offset >= 8, let count = unsigned16(offset) else { return nil }
    return (0..<min(count, 1_000)).compactMap { entry(at: offset + 2 + $0 * 12) }
  }

  private func entry(at offset: Int) -> Entry? {
    guard let tag = unsigned16(offset), let type = unsigned16(offset + 2),
      let count = unsigned32(offset + 4), let pointer = unsigned32(offset + 8), (1..<Entry.sizes.count).contains(type)
    else { return nil }
    let size = count * Entry.sizes[type]
    let place = size <= 4 ? offset + 8 : pointer
    guard place + size <= bytes.count else { return nil }
    return Entry(tag: tag, type: type, count: count, offset: place)
  }

  func unsigned16(_ offset: Int) -> Int? {
    guard offset >= 0, offset + 2 <= bytes.count else { return nil }
    let (a, b) = (Int(bytes[offset]), Int(bytes[offset + 1]))
    return isLittleEndian ? b << 8 | a : a << 8 | b
  }

  func unsigned32(_ offset: Int) -> Int? {
    guard let first = unsigned16(offset), let second = unsigned16(offset + 2) else { return nil }
    return isLittleEndian ? second << 16 | first : first << 16 | second
  }
}

extension TIFFReader {
  /// Returns the first 256 numbers of an entry, without invalid fractions; empty for text, undefined bytes and DOUBLE.
  func numbers(_ entry: Entry) -> [Double] {
    let size = Entry.sizes[entry.type]
    return (0..<min(entry.count, 256)).compactMap { number(entry.type, entry.offset + $0 * size) }
  }

  private func number(_ type: Int, _ offset: Int) -> Double? {
    switch type {
    case 1: Double(bytes[offset])
    case 3: unsigned16(offset).map(Double.init)
    case 4, 13: unsigned32(offset).map(Double.init)
    case 5: ratio(unsigned32(offset), unsigned32(offset + 4))
    case 6: Double(Int8(bitPattern: bytes[offset]))
    case 8: unsigned16(offset).map { Double(Int16(truncatingIfNeeded: $0)) }
    case 9: signed32(offset).map(Double.init)
    case 10: ratio(signed32(offset), signed32(offset + 4))
    case 11: unsigned32(offset).map { Double(Float(bitPattern: UInt32($0))) }
    default: nil
    }
  }

  private func signed32(_ offset: Int) -> Int? { unsigned32(offset).map { Int(Int32(truncatingIfNeeded: $0)) } }

  /// Returns the fraction; nil if the denominator is 0, which cameras write for "unknown".
  private func ratio(_ numerator: Int?, _ denominator: Int?) -> Double? {
    guard let numerator, let denominator, denominator != 0 else { return nil }
    return Double(numerator) / Double(denominator)
  }

  /// Returns the text of an entry up to its first NUL, without the trailing spaces that cameras add. Text that is not
  /// valid UTF-8 is decoded as Latin-1, which older programs write.
  func text(_ entry: Entry) -> String {
    Self.text(bytes[entry.offset..<entry.offset + min(entry.byteCount, 65_536)])
  }

  /// Decodes the bytes of a text by the rules of the other `text`.
  static func text(_ raw: ArraySlice<UInt8>) -> String {
    var text = raw.prefix { $0 != 0 }
    while text.last == 0x20 { text = text.dropLast() }
    if let text = String(validating: text, as: UTF8.self) { return text }
    // 0x80 to 0x9f are control characters in Latin-1.
    return String(String.UnicodeScalarView(text.map { (0x80..<0xa0).contains($0) ? "\u{fffd}" : Unicode.Scalar($0) }))
  }
}
