/// Names files of formats that are not read, by their first bytes: an error that says "is a WebP picture"
/// needs no second look.
enum Signature {
  /// What a file seems to be, such as "a GIF picture"; nil if nothing known.
  static func name(_ prefix: [UInt8]) -> String? {
    table.first { row in
      row.parts.allSatisfy { part in
        prefix.dropFirst(part.offset).starts(with: part.bytes)
      }
    }?.name
  }

  private struct Part {
    let offset: Int
    let bytes: [UInt8]

    init(_ text: String, at offset: Int = 0) {
      self.offset = offset
      self.bytes = Array(text.utf8)
    }
    init(_ bytes: [UInt8]) {
      self.offset = 0
      self.bytes = bytes
    }
  }

  private static let table: [(name: String, parts: [Part])] = [
    ("a GIF picture", [Part("GIF8")]),
    ("a WebP picture", [Part("RIFF"), Part("WEBP", at: 8)]),
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
    ("a Photoshop document", [Part("8BPS")]),
    ("an SVG drawing", [Part("<svg")]),
    ("an XML document", [Part("<?xml")]),
    ("an OpenEXR picture", [Part([0x76, 0x2f, 0x31, 0x01])]),
    ("an icon", [Part([0, 0, 1, 0])]),
    ("a BMP picture", [Part("BM")]),
    ("a ZIP archive", [Part([0x50, 0x4b, 3, 4])]),
  ]
}
