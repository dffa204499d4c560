/// The widths of a CID font's glyphs (PDF 32000-1:2008, 9.7.4.3).
enum GlyphWidths {
  /// Returns the entries `DW` and `W`. The commonest integer width becomes the default (poppler reads only
  /// integers there).
  ///
  /// - Parameter widths: the widths in thousandths of the font size, by ascending code.
  static func text(_ widths: [(code: UInt16, width: Double)]) -> String {
    var counts: [String: Int] = [:]
    let widths = widths.map { (code: $0.code, text: PDFNumber.text($0.width)) }
    for (_, text) in widths where Int(text) != nil { counts[text, default: 0] += 1 }
    // Ties go to the first by its digits, so that every run chooses the same.
    let common = counts.min { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    let usual = common?.key ?? "1000"
    let own = widths.filter { $0.text != usual }
    guard !own.isEmpty else { return "/DW \(usual)" }
    return "/DW \(usual)/W[\(groups(own, usual).joined())]"
  }

  /// Returns groups of widths for consecutive codes, `FIRST[WIDTH WIDTH …]` each.
  ///
  /// PDF 1.4 limits arrays to 8,191 elements (Appendix C), and a group takes two. If there are too many
  /// groups, neighbours are joined, and unused codes between them get the default width.
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
