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
    let own = widths.filter { $0.text != usual }
    guard !own.isEmpty else { return "/DW \(usual)" }
    return "/DW \(usual)/W[\(groups(own, usual).joined())]"
  }

  /// Widths of codes in a row, `FIRST[WIDTH WIDTH …]` each.
  ///
  /// PDF 1.4 has arrays of 8,191 elements (Appendix C), and a group is two. Where there would be more, groups near
  /// each other become one: codes between them that nothing is drawn with get the usual width, too.
  private static func groups(_ widths: [(code: UInt16, text: String)], _ usual: String) -> [String]
  {
    var gap = 0
    while true {
      var groups: [(first: Int, widths: [String])] = []
      for (code, text) in widths {
        let code = Int(code)
        if let last = groups.last, code - last.first - last.widths.count <= gap,
          code - last.first < mostElements
        {
          let missing = code - last.first - last.widths.count
          groups[groups.count - 1].widths += Array(repeating: usual, count: missing) + [text]
        } else {
          groups.append((code, [text]))
        }
      }
      if groups.count * 2 <= mostElements {
        return groups.map { "\($0.first)[\($0.widths.joined(separator: " "))]" }
      }
      gap = gap * 2 + 1
    }
  }

  private static let mostElements = 8_191
}
