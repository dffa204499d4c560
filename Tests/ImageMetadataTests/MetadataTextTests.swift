import ImageCore
import Testing

@testable import ImageMetadata

/// Texts of EXIF that are not ASCII, names of IPTC, and what XMP says where EXIF does not.
@Suite struct MetadataTextTests {
  private static func comment(_ code: String, _ bytes: [UInt8], isLittleEndian: Bool = true) -> String {
    let prefix = Array(code.utf8) + [UInt8](repeating: 0, count: 8 - code.utf8.count)
    return EXIFText.comment((prefix + bytes)[...], isLittleEndian: isLittleEndian)
  }

  private static func utf16(_ text: String, isLittleEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { (unit: UInt16) -> [UInt8] in
      let (low, high) = (UInt8(unit & 255), UInt8(unit >> 8))
      return isLittleEndian ? [low, high] : [high, low]
    }
  }

  @Test func commentsInASCII() {
    #expect(Self.comment("ASCII", Array("A day out \0\0".utf8)) == "A day out")
    #expect(Self.comment("", Array("Grüße\0".utf8)) == "Grüße")
    #expect(Self.comment("", [0x47, 0x72, 0xfc, 0xdf, 0x65]) == "Grüße")
    #expect(EXIFText.comment(Array("no code at all".utf8)[...], isLittleEndian: true) == "no code at all")
    #expect(Self.comment("ASCII", [UInt8](repeating: 0x20, count: 40)).isEmpty && Self.comment("", []).isEmpty)
    #expect(
      EXIFText.comment([], isLittleEndian: true).isEmpty && EXIFText.comment([0, 0, 0], isLittleEndian: true).isEmpty)
  }

  /// Programs write either order, whatever that of the block is.
  @Test(arguments: [true, false], [true, false])
  func commentsInUnicode(_ isLittleEndian: Bool, _ isBlockLittleEndian: Bool) {
    let bytes = Self.utf16("Grüße, Zoë", isLittleEndian: isLittleEndian)
    #expect(Self.comment("UNICODE", bytes, isLittleEndian: isBlockLittleEndian) == "Grüße, Zoë")
    let mark = Self.utf16("\u{feff}日本語", isLittleEndian: isLittleEndian)
    #expect(Self.comment("UNICODE", mark, isLittleEndian: isBlockLittleEndian) == "日本語")
    // Without a mark and without zeros only the block tells.
    let plain = Self.utf16("日本語", isLittleEndian: isBlockLittleEndian)
    #expect(Self.comment("UNICODE", plain, isLittleEndian: isBlockLittleEndian) == "日本語")
  }

  /// 日本 in ISO-2022-JP, in JIS alone with kana, in EUC-JP and in Shift JIS.
  @Test func commentsInJapanese() {
    #expect(Self.comment("JIS", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42, 0x21]) == "日本!")
    #expect(Self.comment("JIS", [0x24, 0x22, 0x46, 0x7c, 0x4b, 0x5c]) == "あ日本")
    #expect(Self.comment("JIS", [0xc6, 0xfc, 0xcb, 0xdc, 0x20, 0x31]) == "日本 1")
    #expect(Self.comment("JIS", [0x93, 0xfa, 0x96, 0x7b, 0x82, 0xa0]) == "日本あ")
    #expect(Self.comment("JIS", [0xb1, 0x41, 0x93, 0xfa]) == "\u{ff71}A日", "half-width katakana")
    #expect(Self.comment("JIS", Array("only ASCII".utf8)) == "only ASCII")
    // Bytes of strangers end in no trap.
    for first in UInt8.min...UInt8.max {
      for second: UInt8 in [0, 0x1b, 0x24, 0x40, 0x7e, 0x80, 0xa1, 0xff] {
        _ = Self.comment("JIS", [first, second]) + Self.comment("JIS", [0x1b, 0x24, first, second, first])
      }
    }
  }

  @Test func japaneseCharactersHaveTheirPlaces() {
    #expect(
      JISX0208.character(1, 1) == "\u{3000}" && JISX0208.character(4, 2) == "あ" && JISX0208.character(84, 6) == "熙")
    #expect(JISX0208.character(9, 1) == nil && JISX0208.character(84, 7) == nil && JISX0208.character(0, 1) == nil)
    let count = (1...94).reduce(0) { sum, row in sum + (1...94).count { JISX0208.character(row, $0) != nil } }
    #expect(count == 6_879)
  }

  @Test func fieldsOfWindows() throws {
    let text = Self.utf16("Ein Titel – 日本\0\0", isLittleEndian: true)
    let block = TIFFWriter(
      [0x9c9b: .value(type: 1, bytes: text), 0x9c9c: .value(type: 1, bytes: [0, 0])], isLittleEndian: false)
    #expect(EXIFBlock(block.bytes)?.fields == ["XPTitle": .text("Ein Titel – 日本")])
    let comment = TIFFField.value(type: 7, bytes: Array("ASCII\0\0\0A comment".utf8))
    let exif = TIFFWriter([EXIFTags.exifDirectory: .directory([EXIFText.userComment: comment])], isLittleEndian: true)
    #expect(EXIFBlock(exif.bytes)?.fields == ["UserComment": .text("A comment")])
  }

  @Test(arguments: [
    ("Caption", "Caption-Abstract"), ("Caption-Abstract", "Caption-Abstract"), ("caption/abstract", "Caption-Abstract"),
    ("ByLine", "By-line"), ("By-line", "By-line"), ("title", "ObjectName"), ("Country", "Country-PrimaryLocationName"),
    ("City", "City"), ("Keywords", "Keywords"), ("Captoin", nil), ("", nil),
  ])
  func namesOfIPTC(_ text: String, _ name: String?) { #expect(IPTCNames.name(meaning: text) == name) }

  // MARK: Orientation

  private static func packet(_ property: String) -> [UInt8] {
    Array(
      """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:t="http://ns.adobe.com/tiff/1.0/" xmlns:o="http://example.com/" \(property)
      </rdf:RDF></x:xmpmeta>
      """.utf8)
  }

  @Test(arguments: [
    ("t:Orientation=\"6\"/>", 6), ("t:Orientation = '8'/>", 8),
    ("><t:Orientation> 3 </t:Orientation></rdf:Description>", 3),
    ("t:Orientation=\"1\"/>", 1), ("t:Orientation=\"9\"/>", 1), ("t:Orientation=\"0\"/>", 1),
    ("t:Orientation=\"\"/>", 1),
    ("o:Orientation=\"6\"/>", 1), ("t:Make=\"Orientation 6\"/>", 1), ("t:Orientation=\"6", 1), ("/>", 1),
    ("o:Orientation=\"1\" t:Orientation=\"5\"/>", 5),
  ])
  func orientationOfXMP(_ property: String, _ number: Int) {
    #expect(Orientation(nil, Self.packet(property)).rawValue == number, "\(property)")
  }

  @Test func exifTurnsFirst() {
    func exif(_ number: Int) -> EXIFBlock? {
      EXIFBlock(TIFFWriter([EXIFTags.orientation: .short(number)], isLittleEndian: true).bytes)
    }
    let packet = Self.packet("t:Orientation=\"6\"/>")
    #expect(Orientation(exif(3), packet) == .rotated180 && Orientation(exif(1), packet) == .upright)
    // What is no orientation states none.
    #expect(Orientation(exif(0), packet) == .rotated90 && Orientation(exif(9), packet) == .rotated90)
    #expect(Orientation(exif(0), []) == .upright)
  }
}
