/// Text strings (PDF 32000-1:2008, 7.9.2.2).
enum PDFTextString {
  /// UTF-16BE or UTF-8 after their marks; else PDFDocEncoding, of which only what it has in common with ISO 8859-1
  /// is told apart.
  static func decoded(_ bytes: [UInt8]) -> String {
    if bytes.starts(with: [0xfe, 0xff]) {
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(decoding: units, as: UTF16.self)
    }
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
      return String(decoding: bytes.dropFirst(3), as: UTF8.self)
    }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
