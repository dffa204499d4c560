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
