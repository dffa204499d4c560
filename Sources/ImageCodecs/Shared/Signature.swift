/// Names files of formats that are not read, by their first bytes: an error that says "is a WebP picture"
/// needs no second look.
enum Signature {
  /// Bytes from the start that tell: a drawing may begin with a licence.
  static let byteCount = 4_096

  /// What a file seems to be, such as "a GIF picture"; nil if nothing known.
  static func name(_ prefix: [UInt8]) -> String? {
    let row = table.first { row in
      row.parts.allSatisfy { part in
        prefix.dropFirst(part.offset).starts(with: part.bytes)
      }
    }
    return row?.name ?? MarkupSignature.name(prefix) ?? (isTGA(prefix) ? "a TGA picture" : nil)
  }

  /// TGA has no signature at its start; its header (Truevision TGA 2.0, "TGA file header") leaves little room.
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
    init(_ bytes: [UInt8]) {
      self.offset = 0
      self.bytes = bytes
    }
  }

  private static let table: [(name: String, parts: [Part])] =
    [
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
      ("an OpenEXR picture", [Part([0x76, 0x2f, 0x31, 0x01])]),
      ("a Radiance HDR picture", [Part("#?RADIANCE")]),
      ("a Radiance HDR picture", [Part("#?RGBE")]),
      ("a QOI picture", [Part("qoif")]),
      ("a DDS texture", [Part("DDS ")]),
      ("an icon", [Part([0, 0, 1, 0])]),
      ("a BMP picture", [Part("BM")]),
      ("a ZIP archive", [Part([0x50, 0x4b, 3, 4])]),
    ] + netpbm + cursors

  /// The number of the format, and white space or a comment (netpbm's pnm(5)).
  private static let netpbm = (Array("1234567Ff".utf8)).flatMap { kind in
    [0x20, 0x0a, 0x0d, 0x09, 0x23].map { space in
      (name: kind > 0x39 ? "a PFM picture" : "a PNM picture", parts: [Part([0x50, kind, space])])
    }
  }

  /// As icons are; the number of cursors, which is not 0, tells them from TGA pictures.
  private static let cursors = (UInt8(1)...255).map { count in
    (name: "a cursor (CUR)", parts: [Part([0, 0, 2, 0, count, 0])])
  }
}
