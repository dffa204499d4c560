import ImageCore
import PDFBook
import PDFTestSupport
import PDFVerify
import TestSupport
import Testing

/// Books of fax rows, as they are written and after changes.
@Suite struct FaxBooksTests {
  /// Forty rows of 96 pixels in Group 4: white of 40 pixels, black of 30, and the same below.
  private static let rows: [UInt8] = {
    let digits =
      Array("001" + "00101001" + "000001101010" + "1" + String(repeating: "111", count: 39))
      + "000000000001000000000001"
    return stride(from: 0, to: digits.count, by: 8).map { start in
      (start..<start + 8).reduce(UInt8(0)) { $0 << 1 | ($1 < digits.count && digits[$1] == "1" ? 1 : 0) }
    }
  }()

  private static func picture(isInverted: Bool, _ bytes: [UInt8] = rows) throws -> PDFPicture {
    let sink = PooledSink(reserving: bytes.count)
    try bytes.withUnsafeBytes { try sink.write($0) }
    return try PDFPicture(fax: sink.bytes, width: 96, height: 40, isInverted: isInverted)
  }

  private static func book(isInverted: Bool) throws -> TestBook {
    try TestBook { writer, add in
      for orientation in Orientation.allCases {
        let page = try PageSetup().page(writer.add(picture(isInverted: isInverted)), orientation: orientation)
        add(page, [nil])
        try writer.addPage(page)
      }
    }
  }

  @Test(arguments: [false, true]) func verifyInAllOrientations(_ isInverted: Bool) throws {
    let report = try Self.book(isInverted: isInverted).verify()
    #expect(report.lines == [])
    #expect(report.comparisons() == Array(repeating: .equal, count: 8))
  }

  @Test(arguments: [
    ("/BlackIs1 true", "/BlackIs1 null", "the stored bytes of picture 1 are not those"),
    ("/K -1", "/K -0", "picture 1 has another kind of fax rows"),
    ("/Columns 96", "/Columns 95", "picture 1 states 96x40 pixels; its data has 95x40"),
  ])
  func changesAreFound(_ old: String, _ new: String, _ words: String) throws {
    let book = try Self.book(isInverted: true)
    var bytes = book.bytes
    let needle = Array(old.utf8)
    for place in 0...bytes.count - needle.count where bytes[place..<place + needle.count].elementsEqual(needle) {
      bytes.replaceSubrange(place..<place + needle.count, with: Array(new.utf8))
    }
    let lines = try book.verify(bytes).lines
    #expect(lines.contains { $0.contains("error: ") && $0.contains(words) }, "\(lines)")
  }

  @Test func damageIsFoundBeforeItIsStored() throws {
    var bytes = Self.rows
    bytes[8] = 0
    bytes[9] = 0
    #expect(throws: FaxFault.self) { try Self.picture(isInverted: false, bytes) }
    #expect(throws: FaxFault.damaged(row: 1)) { try Self.picture(isInverted: false, []) }
  }
}
