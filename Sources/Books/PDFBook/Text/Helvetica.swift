/// The metrics of Helvetica, one of the 14 fonts that every reader has (PDF 32000-1:2008, 9.6.2.2).
enum Helvetica {
  /// Returns the advance of WinAnsi-encoded text in points, at a font size in points.
  static func width(_ bytes: [UInt8], size: Double) -> Double {
    let sum = bytes.reduce(0) { $0 + ($1 >= 0x20 ? widths[Int($1) - 0x20] : 0) }
    return Double(sum) * size / 1_000
  }

  /// The widths of bytes 0x20 to 0xff in thousandths of the font size (Adobe's Core 14 font metrics).
  private static let widths: [Int] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0,
    556, 0, 222, 556, 333, 1000, 556, 556, 333, 1000, 667, 333, 1000, 0, 611, 0,
    0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 500, 333, 944, 0, 500, 667,
    278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 333,
    400, 584, 333, 333, 333, 556, 537, 278, 333, 333, 365, 556, 834, 834, 834, 611,
    667, 667, 667, 667, 667, 667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278,
    722, 722, 778, 778, 778, 778, 778, 584, 778, 722, 722, 722, 722, 667, 667, 611,
    556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278, 278, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 584, 611, 556, 556, 556, 556, 500, 556, 500,
  ]
}

/// WinAnsiEncoding (PDF 32000-1:2008, Annex D.2), which is Windows code page 1252.
enum WinAnsi {
  /// Returns the text's bytes.
  ///
  /// - Throws: `PDFError.captionCharacter` for the first character that the encoding lacks; no character is replaced or
  ///   dropped.
  static func bytes(_ text: String) throws(PDFError) -> [UInt8] {
    var bytes: [UInt8] = []
    for character in text {
      guard let byte = byte(character) else { throw .captionCharacter(character, caption: text) }
      bytes.append(byte)
    }
    return bytes
  }

  private static func byte(_ character: Character) -> UInt8? {
    let composed = Character(String(character))
    guard let scalar = composed.unicodeScalars.first else { return nil }
    if composed.unicodeScalars.count > 1 { return accented[composed] }
    switch scalar.value {
    case 0x20...0x7e, 0xa0...0xff: return UInt8(scalar.value)
    default: return upper[scalar.value]
    }
  }

  /// The bytes of accented letters, and of the characters in `upper`. File systems may store accented letters
  /// decomposed. Swift compares characters by canonical equivalence, so decomposed letters match the composed keys,
  /// too.
  private static let accented: [Character: UInt8] = {
    var table: [Character: UInt8] = [:]
    for value in UInt8(0xc0)...0xff { table[Character(UnicodeScalar(value))] = value }
    for (value, byte) in upper { table[Character(UnicodeScalar(value)!)] = byte }
    return table
  }()

  /// The bytes 0x80 to 0x9f by code point.
  private static let upper: [UInt32: UInt8] = [
    0x20ac: 0x80, 0x201a: 0x82, 0x0192: 0x83, 0x201e: 0x84, 0x2026: 0x85, 0x2020: 0x86,
    0x2021: 0x87, 0x02c6: 0x88, 0x2030: 0x89, 0x0160: 0x8a, 0x2039: 0x8b, 0x0152: 0x8c,
    0x017d: 0x8e, 0x2018: 0x91, 0x2019: 0x92, 0x201c: 0x93, 0x201d: 0x94, 0x2022: 0x95,
    0x2013: 0x96, 0x2014: 0x97, 0x02dc: 0x98, 0x2122: 0x99, 0x0161: 0x9a, 0x203a: 0x9b,
    0x0153: 0x9c, 0x017e: 0x9e, 0x0178: 0x9f,
  ]
}

extension Caption {
  /// Returns why a text cannot be a caption: the first character that the font lacks. Nil if it can.
  package static func problem(with text: String) -> PDFError? {
    do throws(PDFError) {
      _ = try WinAnsi.bytes(text)
      return nil
    } catch {
      return error
    }
  }
}
