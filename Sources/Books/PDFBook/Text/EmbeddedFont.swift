import CText
import ImageCore
import TextShaping

/// A font in a book, with the glyphs in use.
///
/// Its memory use grows with the number of different glyphs, not with the length of the text.
struct EmbeddedFont {
  let face: FontFace
  /// The object of the Type 0 font.
  let object: Int
  private var used: [UInt16: Use] = [:]

  private struct Use {
    let glyph: UInt16
    /// The text that the code represents; nil if the glyph has only been used as part of a group of glyphs.
    var text: String?
  }

  init(_ face: FontFace, object: Int) {
    self.face = face
    self.object = object
  }

  /// Returns the code of a single glyph that represents a text, and whether the ToUnicode CMap maps the code to this
  /// text; nil if the font lacks the glyph.
  mutating func code(_ glyph: UInt16, for text: String) -> (code: UInt16, isExact: Bool)? {
    guard let code = code(glyph) else { return nil }
    if let known = used[code]?.text { return (code, known == text) }
    guard !text.isEmpty else { return (code, false) }
    used[code]?.text = text
    return (code, true)
  }

  /// Returns the code of a glyph that represents a text only together with other glyphs; nil if the font lacks the
  /// glyph.
  mutating func code(_ glyph: UInt16) -> UInt16? {
    guard let code = face.code(glyph) else { return nil }
    if used[code] == nil { used[code] = Use(glyph: glyph) }
    return code
  }

  /// All data that is written for the font.
  struct Program {
    /// The name of the subset, with its tag of six letters.
    let name: String
    /// The font file: a TrueType font, or a bare CFF font.
    let file: [UInt8]
    let isCFF: Bool
    /// The CIDToGIDMap of a TrueType font: two bytes with the glyph index for each code. Empty for a CFF font.
    let glyphMap: [UInt8]
    let widths: String
    let toUnicode: String
    /// The CIDSet: one bit per code (PDF 32000-1:2008, table 124).
    let codeSet: [UInt8]
  }

  /// Makes a subset of the font with the glyphs in use.
  func program() throws(TextError) -> Program {
    let codes = used.keys.sorted()
    let glyphs = codes.map { used[$0]!.glyph }
    let (font, renumbered): ([UInt8], [UInt32])
    let file: [UInt8]
    var isCFF = false
    do throws(FontProblem) {
      (font, renumbered) = try face.subset(glyphs)
      if case .cff = face.outlines {
        isCFF = true
        file = try Self.table("CFF ", of: font)
      } else {
        file = font
      }
    } catch {
      throw .font(face.name, error)
    }
    let meanings = codes.compactMap { code in used[code]!.text.map { (code, $0) } }
    return Program(
      name: "\(Self.tag(file, codes))+\(face.name)", file: file, isCFF: isCFF,
      glyphMap: isCFF ? [] : Self.glyphMap(codes, renumbered),
      widths: GlyphWidths.text(zip(codes, glyphs).map { ($0, face.advance($1)) }),
      toUnicode: ToUnicodeMap.text(meanings), codeSet: Self.codeSet(codes))
  }

  /// Returns six capital letters (PDF 32000-1:2008, 9.6.4) derived from the content, so that different subsets of a
  /// font have different names, and equal books have equal bytes.
  private static func tag(_ file: [UInt8], _ codes: [UInt16]) -> String {
    var hash = SHA256()
    hash.update(file)
    hash.update(codes.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
    return String(hash.finish().bytes.prefix(6).map { Character(UnicodeScalar(UInt8(ascii: "A") + $0 % 26)) })
  }

  private static func glyphMap(_ codes: [UInt16], _ glyphs: [UInt32]) -> [UInt8] {
    var map = [UInt8](repeating: 0, count: (Int(codes.last ?? 0) + 1) * 2)
    for (code, glyph) in zip(codes, glyphs) {
      map[Int(code) * 2] = UInt8(truncatingIfNeeded: glyph >> 8)
      map[Int(code) * 2 + 1] = UInt8(truncatingIfNeeded: glyph)
    }
    return map
  }

  /// Returns the CIDSet. Code 0 is in every font.
  private static func codeSet(_ codes: [UInt16]) -> [UInt8] {
    var set = [UInt8](repeating: 0, count: Int(codes.last ?? 0) / 8 + 1)
    for code in [0] + codes { set[Int(code) / 8] |= 0x80 >> UInt8(code % 8) }
    return set
  }

  /// Returns a table of an OpenType file (OpenType 1.9, "Organization of an OpenType font").
  static func table(_ tag: String, of file: [UInt8]) throws(FontProblem) -> [UInt8] {
    let reader = SFNTTable(bytes: file)
    for index in 0..<(reader.unsigned16(4) ?? 0) {
      let place = 12 + index * 16
      guard place + 16 <= file.count, file[place..<place + 4].elementsEqual(tag.utf8) else { continue }
      func number(_ offset: Int) -> Int { reader.unsigned16(offset)! << 16 | reader.unsigned16(offset + 2)! }
      let start = number(place + 8)
      guard start + number(place + 12) <= file.count else { break }
      return Array(file[start..<start + number(place + 12)])
    }
    throw .damaged
  }
}

/// The ToUnicode CMap of a font, for searching and copying text (PDF 32000-1:2008, 9.10.3; Adobe Technical
/// Note 5411).
enum ToUnicodeMap {
  /// Returns a CMap from 2-byte codes to texts.
  static func text(_ meanings: [(code: UInt16, text: String)]) -> String {
    var map = """
      /CIDInit /ProcSet findresource begin
      12 dict begin
      begincmap
      /CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def
      /CMapName/Adobe-Identity-UCS def
      /CMapType 2 def
      1 begincodespacerange
      <0000><FFFF>
      endcodespacerange

      """
    // A block has at most 100 entries.
    for start in stride(from: 0, to: meanings.count, by: 100) {
      let part = meanings[start..<min(start + 100, meanings.count)]
      map += "\(part.count) beginbfchar\n"
      for (code, text) in part { map += "<\(hexadecimal(code))><\(text.utf16.map(hexadecimal).joined())>\n" }
      map += "endbfchar\n"
    }
    return map + "endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n"
  }

  static func hexadecimal(_ value: UInt16) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// The widths of a CID font's glyphs (PDF 32000-1:2008, 9.7.4.3).
enum GlyphWidths {
  /// Returns the entries `DW` and `W`. The most common integer width becomes the default (poppler supports only
  /// integers there).
  ///
  /// - Parameter widths: the widths in thousandths of the font size, by ascending code.
  static func text(_ widths: [(code: UInt16, width: Double)]) -> String {
    var counts: [String: Int] = [:]
    let widths = widths.map { (code: $0.code, text: PDFNumber.text($0.width)) }
    for (_, text) in widths where Int(text) != nil { counts[text, default: 0] += 1 }
    // If several widths are equally common, the width whose text comes first is chosen, so that every run makes the
    // same choice.
    let common = counts.min { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    let usual = common?.key ?? "1000"
    let own = widths.filter { $0.text != usual }
    guard !own.isEmpty else { return "/DW \(usual)" }
    return "/DW \(usual)/W[\(groups(own, usual).joined())]"
  }

  /// Returns groups of widths for consecutive codes, `FIRST[WIDTH WIDTH …]` each.
  ///
  /// PDF 1.4 limits arrays to 8,191 elements (Appendix C), and a group takes two elements. If there are too many
  /// groups, adjacent groups are joined, and the codes between them get the default width.
  private static func groups(_ widths: [(code: UInt16, text: String)], _ usual: String) -> [String] {
    var gap = 0
    while true {
      var groups: [(first: Int, widths: [String])] = []
      for (code, text) in widths {
        let code = Int(code)
        if let last = groups.last, code - last.first - last.widths.count <= gap, code - last.first < maximumElements {
          let missing = code - last.first - last.widths.count
          groups[groups.count - 1].widths += Array(repeating: usual, count: missing) + [text]
        } else {
          groups.append((code, [text]))
        }
      }
      if groups.count * 2 <= maximumElements {
        return groups.map { "\($0.first)[\($0.widths.joined(separator: " "))]" }
      }
      gap = gap * 2 + 1
    }
  }

  private static let maximumElements = 8_191
}

/// The codes and subsets of a font in a PDF.
extension FontFace {
  /// Returns the code of a glyph in a PDF's text; nil if the font lacks the glyph.
  func code(_ glyph: UInt16) -> UInt16? {
    guard case .cff(let charset?) = outlines else { return glyph }
    return Int(glyph) < charset.identifiers.count ? charset.identifiers[Int(glyph)] : nil
  }

  /// Makes a subset with these glyphs, using `hb_subset_plan_create_or_fail`.
  ///
  /// - Returns: an OpenType file, and the index of each given glyph in that file.
  /// - Throws: `FontProblem` if HarfBuzz fails.
  func subset(_ glyphs: [UInt16]) throws(FontProblem) -> (file: [UInt8], glyphs: [UInt32]) {
    var length = 0
    var renumbered = [UInt32](repeating: 0, count: glyphs.count)
    // Readers look up glyphs of a CFF font without CIDs by index.
    var keepsNumbers: Int32 = 0
    if case .cff(nil) = outlines { keepsNumbers = 1 }
    guard
      let bytes = ctext_font_subset(font, glyphs.map(UInt32.init), glyphs.count, keepsNumbers, &renumbered, &length)
    else { throw ctext_font_is_variable(font) != 0 ? .variable : .damaged }
    defer { ctext_free(bytes) }
    return (Array(UnsafeBufferPointer(start: bytes, count: length)), renumbered)
  }
}
