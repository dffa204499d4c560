/// Names the format of a file that imghost cannot read, by its first bytes, for error messages: "a WebP picture".
enum Signature {
  /// The number of bytes to examine. An SVG file may begin with a comment that contains a long licence text.
  static let byteCount = 4_096

  /// Returns the kind of a file, such as "a GIF picture"; nil if it is unknown.
  static func name(_ prefix: [UInt8]) -> String? {
    let row = table.first { row in
      row.parts.allSatisfy { part in
        prefix.dropFirst(part.offset).starts(with: part.bytes)
      }
    }
    return row?.name ?? MarkupSignature.name(prefix)
      ?? (isTGA(prefix) ? "a TGA picture" : nil)
  }

  /// Returns whether the values in the header are those of a TGA (Truevision TGA 2.0, "TGA file header"), which has no
  /// signature at its start.
  private static func isTGA(_ prefix: [UInt8]) -> Bool {
    guard prefix.count >= 18, [1, 2, 3, 9, 10, 11].contains(prefix[2]),
      [8, 15, 16, 24, 32].contains(prefix[16]), prefix[17] & 0xc0 == 0
    else { return false }
    let hasSize = prefix[12] | prefix[13] != 0 && prefix[14] | prefix[15] != 0
    let colours = prefix[3..<8]
    switch prefix[1] {
    case 0: return hasSize && colours.allSatisfy { $0 == 0 } && ![1, 9].contains(prefix[2])
    case 1: return hasSize && [15, 16, 24, 32].contains(colours.last!)
    default: return false
    }
  }

  private struct Part {
    let offset: Int
    let bytes: [UInt8]

    init(_ text: String, at offset: Int = 0) {
      self.offset = offset
      self.bytes = Array(text.utf8)
    }
    init(_ bytes: [UInt8], at offset: Int = 0) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  private static let table: [(name: String, parts: [Part])] =
    [
      ("a GIF picture", [Part("GIF87a")]),
      ("a GIF picture", [Part("GIF89a")]),
      ("a WebP picture", [Part("RIFF"), Part("WEBP", at: 8)]),
      // The formats are CR3, ORF, RW2, RAF and CRW. Other raw files look like TIFF.
      ("a raw file of a camera", [Part("ftypcrx ", at: 4)]),
      ("a raw file of a camera", [Part("IIRO")]),
      ("a raw file of a camera", [Part("IIRS")]),
      ("a raw file of a camera", [Part("MMOR")]),
      ("a raw file of a camera", [Part([0x49, 0x49, 0x55, 0])]),
      ("a raw file of a camera", [Part("FUJIFILMCCD-RAW")]),
      ("a raw file of a camera", [Part("HEAPCCDR", at: 6)]),
      ("a TIFF picture", [Part([0x49, 0x49, 42, 0])]),
      ("a TIFF picture", [Part([0x4d, 0x4d, 0, 42])]),
      ("a BigTIFF picture", [Part([0x49, 0x49, 43, 0])]),
      ("a BigTIFF picture", [Part([0x4d, 0x4d, 0, 43])]),
      ("a PDF document", [Part("%PDF-")]),
      ("an AVIF picture", [Part("ftypavif", at: 4)]),
      ("an AVIF picture", [Part("ftypavis", at: 4)]),
      ("a HEIC picture", [Part("ftyphei", at: 4)]),
      ("a HEIC picture", [Part("ftyphev", at: 4)]),
      ("a HEIF picture", [Part("ftypmif1", at: 4)]),
      ("a HEIF picture", [Part("ftypmsf1", at: 4)]),
      ("a JPEG XL picture", [Part([0xff, 0x0a])]),
      ("a JPEG XL picture", [Part([0, 0, 0, 12]), Part("JXL ", at: 4)]),
      ("a Photoshop document", [Part("8BPS"), Part([0], at: 4)]),
      ("an OpenEXR picture", [Part([0x76, 0x2f, 0x31, 0x01])]),
      ("a Radiance HDR picture", [Part("#?RADIANCE\n")]),
      ("a Radiance HDR picture", [Part("#?RADIANCE\r")]),
      ("a Radiance HDR picture", [Part("#?RGBE\n")]),
      ("a Radiance HDR picture", [Part("#?RGBE\r")]),
      ("a DDS texture", [Part("DDS "), Part([124, 0, 0, 0], at: 4)]),
      ("a ZIP archive", [Part([0x50, 0x4b, 3, 4])]),
    ]
}

/// Names documents in XML and HTML by their first element.
enum MarkupSignature {
  /// Returns the kind of the document; nil if the text is not markup.
  static func name(_ prefix: [UInt8]) -> String? {
    // The text may begin with a byte order mark.
    var rest = prefix.starts(with: [0xef, 0xbb, 0xbf]) ? prefix[3...] : prefix[...]
    var isXML = false
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) }
      if begins(rest, "<?xml") { isXML = true }
      if begins(rest, "<svg") || begins(rest, "<!doctype svg") { return "an SVG drawing" }
      if begins(rest, "<html") || begins(rest, "<!doctype html") { return "an HTML page" }
      let isComment = begins(rest, "<!--")
      guard isComment || begins(rest, "<?") || begins(rest, "<!"), let end = end(of: isComment ? "-->" : ">", in: rest)
      else { return isXML || isComment ? "an XML document" : nil }
      rest = rest[end...]
    }
  }

  private static func begins(_ text: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      text.prefix(word.count).map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }.elementsEqual(word)
    }
  }

  /// Returns the index after the first occurrence of `mark`; nil if there is none.
  private static func end(of mark: String, in text: ArraySlice<UInt8>) -> Int? {
    let mark = Array(mark.utf8)
    return text.indices.first { text[$0...].starts(with: mark) }.map { $0 + mark.count }
  }
}
