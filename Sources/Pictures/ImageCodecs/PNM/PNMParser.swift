import ImageCore

/// Parses words and numbers in the headers and texts of Netpbm (pnm(5), pam(5)): they are separated by white space, and
/// comments extend from `#` to the end of the line.
struct PNMParser {
  private var window: ByteWindow
  /// The offset of the next byte.
  var offset: Int

  /// The largest number that is accepted, which is above every side and every sample.
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

  /// Returns the next number; nil at the end.
  ///
  /// - Throws: `CodecError.damaged` for anything else.
  mutating func number() throws(PictureError) -> Int? {
    guard try skip() != nil else { return nil }
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

  /// Returns the next word of at most 32 letters; nil at the end.
  mutating func word() throws(PictureError) -> String? {
    guard try skip() != nil else { return nil }
    var letters: [UInt8] = []
    while let byte = try window.byte(offset), !Self.isSpace(byte), letters.count < 32 {
      letters.append(byte)
      offset += 1
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Skips the single white space or the comment that ends a header.
  mutating func endHeader() throws(PictureError) {
    guard let byte = try byte() else { throw .codec(.truncated) }
    if byte == UInt8(ascii: "#") { return try skipLine() }
    guard Self.isSpace(byte) else { throw .codec(.damaged("it has a word instead of a number")) }
  }
}
