import Testing

@testable import PDFBook
@testable import TextShaping

/// The small writers and readers of font data.
struct FontTableTests {
  @Test func mapsComeInBlocksOfAHundred() {
    let meanings = (0..<250).map { (code: UInt16($0), text: "\(UnicodeScalar(0x4e00 + $0)!)") }
    let map = ToUnicodeMap.text(meanings)
    #expect(map.contains("\n100 beginbfchar\n<0000><4E00>\n"))
    #expect(map.contains("\n100 beginbfchar\n<0064><4E64>\n"))
    #expect(map.contains("\n50 beginbfchar\n<00C8><4EC8>\n"))
    #expect(map.contains("begincodespacerange\n<0000><FFFF>\nendcodespacerange"))
  }

  @Test(arguments: [
    ("A", "<0001><0041>"), ("لا", "<0001><06440627>"), ("😀", "<0001><D83DDE00>"),
    ("e\u{301}", "<0001><00650301>"),
  ])
  func meaningsAreUTF16(text: String, entry: String) {
    #expect(ToUnicodeMap.text([(1, text)]).contains("1 beginbfchar\n\(entry)\nendbfchar"))
  }

  @Test func emptyMap() { #expect(!ToUnicodeMap.text([]).contains("beginbfchar")) }

  static let widthTable: [([(UInt16, Double)], String)] = [
    ([], "/DW 1000"),
    ([(1, 500.0), (2, 500)], "/DW 500"),
    ([(1, 500), (2, 600), (3, 500)], "/DW 500/W[2[600]]"),
    ([(1, 500), (2, 600), (3, 700), (7, 500), (9, 250)], "/DW 500/W[2[600 700]9[250]]"),
    // Readers accept only an integer for DW.
    ([(1, 640.1367), (2, 640.1367)], "/DW 1000/W[1[640.1367 640.1367]]"),
    ([(5, 0.5)], "/DW 1000/W[5[0.5]]"),
  ]

  @Test(arguments: widthTable)
  func widthsAreGrouped(widths: [(UInt16, Double)], text: String) {
    #expect(GlyphWidths.text(widths.map { (code: $0.0, width: $0.1) }) == text)
  }

  /// A CFF table of a header, an empty name, a top DICT and a charset.
  private func cff(_ dictionary: [UInt8], charset: [UInt8]) -> SFNTTable {
    let start: [UInt8] = [1, 0, 4, 1, 0, 1, 1, 1, 2, 0x41]
    let top: [UInt8] = [0, 1, 1, 1, UInt8(dictionary.count + 1)] + dictionary
    return SFNTTable(bytes: start + top + charset)
  }

  /// A Top DICT with ROS (SID 391 and 392, supplement 0) and the charset's offset in five bytes.
  private static let cidKeyed: [UInt8] = [28, 1, 135, 28, 1, 136, 139, 12, 30]
  private func place(_ offset: Int) -> [UInt8] { [29, 0, 0, 0, UInt8(offset), 15] }

  static let charsetTable: [([UInt8], [UInt16])] = [
    ([0, 0, 7, 0, 9, 1, 0], [0, 7, 9, 256]),
    ([1, 0, 7, 1, 0, 20, 0], [0, 7, 8, 20]),
    ([2, 0, 7, 0, 2], [0, 7, 8, 9]),
  ]

  @Test(arguments: charsetTable)
  func charsetsAreRead(charset: [UInt8], identifiers: [UInt16]) throws {
    let dictionary = Self.cidKeyed + place(10 + 5 + 15)
    let read = try CFFCharset.read(cff(dictionary, charset: charset), glyphCount: 4)
    #expect(read?.identifiers == identifiers)
  }

  @Test func fontsWithoutCIDsHaveNoCharset() throws {
    // A real number (weight of a stroke), then the place of the charset.
    let table = cff([30, 0xe2, 0xa2, 0x5f, 12, 8] + place(0), charset: [])
    #expect(try CFFCharset.read(table, glyphCount: 4) == nil)
  }

  @Test func brokenTables() {
    let dictionary = Self.cidKeyed + place(10 + 5 + 15)
    let whole = cff(dictionary, charset: [0, 0, 7, 0, 9, 1, 0])
    for count in 0..<whole.count {
      #expect(throws: FontProblem.damaged) {
        try CFFCharset.read(SFNTTable(bytes: Array(whole.bytes.prefix(count))), glyphCount: 4)
      }
    }
    #expect(throws: FontProblem.damaged) {
      try CFFCharset.read(cff(dictionary, charset: [9, 0, 0]), glyphCount: 4)
    }
    #expect(throws: FontProblem.damaged) { try EmbeddedFont.table("CFF ", of: [0, 1, 0, 0, 0, 9]) }
  }

  @Test func names() {
    // A name table: version, one record, its texts at 18: Windows, Unicode, English, PostScript name.
    func table(_ platform: UInt8, _ text: [UInt8]) -> SFNTTable {
      SFNTTable(bytes: [0, 0, 0, 1, 0, 18, 0, platform, 0, 1, 4, 9, 0, 6, 0, UInt8(text.count), 0, 0] + text)
    }
    #expect(FontName.postScript(table(3, [0, 0x41, 0, 0x2f, 0, 0x42])) == "AB")
    #expect(FontName.postScript(table(1, Array("Nice Font-Bold".utf8))) == "NiceFont-Bold")
    #expect(FontName.postScript(SFNTTable(bytes: [])) == "Font")
    #expect(
      FontName.postScript(SFNTTable(bytes: Array(table(3, [0, 0x41]).bytes.dropLast()))) == "Font")
  }
}
