/// Checks that an embedded font program is complete, as far as its outer structure shows.
enum FontProgram {
  private static let maximumBytes = 256 << 20

  /// Returns why the font program cannot be used; nil if it can.
  static func problem(with object: PDFFile.Object, key: String, _ file: PDFFile) -> String? {
    let filter = file.resolve(object.dictionary["Filter"])
    guard let bytes = file.decoded(object, limit: maximumBytes) else {
      // Other filters are allowed, though no writer uses them.
      let isFlate = filter == .null || filter == .name("FlateDecode")
      return isFlate ? "its compressed program is damaged" : nil
    }
    return bytes.withUnsafeBytes { bytes in
      switch key {
      case "FontFile": type1(bytes, object, file)
      case "FontFile2": sfnt(bytes, outlines: [0x0001_0000, 0x7472_7565])
      default:
        file.resolve(object.dictionary["Subtype"]).name == "OpenType"
          ? sfnt(bytes, outlines: [0x0001_0000, 0x4f54_544f]) : compact(bytes)
      }
    }
  }

  /// Checks the start of a Type 1 font: `%!` (Adobe Type 1 Font Format).
  private static func type1(_ bytes: UnsafeRawBufferPointer, _ object: PDFFile.Object, _ file: PDFFile) -> String? {
    guard bytes.starts(with: Array("%!".utf8)) else { return "it is not a Type 1 font" }
    let clear = file.resolve(object.dictionary["Length1"]).integer ?? 0
    return clear > bytes.count ? "its program is cut off" : nil
  }

  /// Checks the table directory (OpenType specification 1.9, "Organization of an OpenType font").
  private static func sfnt(_ bytes: UnsafeRawBufferPointer, outlines: [UInt32]) -> String? {
    guard bytes.count >= 12, outlines.contains(word(bytes, 0)) else {
      return "it is not a TrueType or OpenType font"
    }
    let count = Int(word(bytes, 4) >> 16)
    guard count > 0, bytes.count >= 12 + count * 16 else { return "its program is cut off" }
    for table in 0..<count {
      let entry = 12 + table * 16
      let end = UInt64(word(bytes, entry + 8)) + UInt64(word(bytes, entry + 12))
      if end > UInt64(bytes.count) { return "its program is cut off" }
    }
    return nil
  }

  /// Checks for a header of major version 1 and an index (Adobe Technical Note 5176, section 6).
  private static func compact(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count > 4, bytes[0] == 1, Int(bytes[2]) < bytes.count else { return "it is not a CFF font" }
    return nil
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
