/// What the codes of a font mean, for searching and copying (PDF 32000-1:2008, 9.10.3; Adobe Technical
/// Note 5411).
enum ToUnicodeMap {
  /// A CMap from 2-byte codes to texts.
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
    // At most 100 entries stand together.
    for start in stride(from: 0, to: meanings.count, by: 100) {
      let part = meanings[start..<min(start + 100, meanings.count)]
      map += "\(part.count) beginbfchar\n"
      for (code, text) in part {
        map += "<\(hexadecimal(code))><\(text.utf16.map(hexadecimal).joined())>\n"
      }
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
  /// The `DW` and `W` entries: the commonest whole width stands for all that have it (poppler reads no other
  /// number there).
  ///
  /// - Parameter widths: thousandths of the size, by rising codes.
  static func text(_ widths: [(code: UInt16, width: Double)]) -> String {
    var counts: [String: Int] = [:]
    let widths = widths.map { (code: $0.code, text: PDFNumber.text($0.width)) }
    for (_, text) in widths where Int(text) != nil { counts[text, default: 0] += 1 }
    // Of several that are as common, the first by its digits: the same on every run.
    let common = counts.min { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    let usual = common?.key ?? "1000"
    var text = "/DW \(usual)"
    var groups = ""
    var next: Int?
    for (code, width) in widths where width != usual {
      if next == Int(code) {
        groups += " \(width)"
      } else {
        groups += (next == nil ? "" : "]") + "\(code)[\(width)"
      }
      next = Int(code) + 1
    }
    if next != nil { text += "/W[\(groups)]]" }
    return text
  }
}
