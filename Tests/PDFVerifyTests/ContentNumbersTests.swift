import PDFTestSupport
import Testing

@testable import PDFVerify

/// Content read by the fast path, which must give the slow path's results.
@Suite struct ContentNumbersTests {
  private static func value(_ text: String) -> PDFLexer.Token? {
    Array(text.utf8).withUnsafeBytes { bytes in
      var lexer = PDFLexer(bytes)
      return lexer.token()
    }
  }

  @Test func numbersAreExact() {
    var state: UInt64 = 1
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    for _ in 0..<20_000 {
      let digits = (0..<1 + random(20)).map { _ in String(random(10)) }.joined()
      let place = digits.index(digits.startIndex, offsetBy: random(digits.count + 1))
      let text = ["", "-", "+"][random(3)] + digits[..<place] + "." + digits[place...]
      #expect(Self.value(text) == Double(text).map { .value(.real($0)) }, "\(text)")
      let whole = ["", "-", "+"][random(3)] + digits.prefix(18)
      let number = Int(whole)!
      let isInteger = abs(number) < 1_000_000_000_000_000
      #expect(Self.value(whole) == .value(isInteger ? .integer(number) : .real(Double(whole)!)), "\(whole)")
    }
  }

  @Test(arguments: [".", "-", "--5", "5-", "1.2.3", "1e5", "0x10", "+-1", "1,5"])
  func otherWordsAreNone(text: String) { #expect(Self.value(text) == .keyword(text)) }

  /// As many operators as a page may have are read, and one more ends its reading.
  @Test func operatorsAreLimited() {
    func faults(_ content: String) -> [Fault] {
      var reader = ContentReader(page: PageBox(left: 0, bottom: 0, right: 9, top: 9), mostOperators: 4)
      Array(content.utf8).withUnsafeBytes { reader.read($0) }
      return reader.faults
    }
    #expect(faults("q Q q Q").isEmpty)
    #expect(faults("q Q q Q q Q") == [.content(.limit("has more than 4 operators"))])
  }

  /// An inline image ends at the first `EI` between white space, whatever white space it is.
  @Test(arguments: [" EI ", "\nEI\n", "\rEI ", "\tEI\n", " aEIb\nEI\r"])
  func inlineImagesEndAtTheirFirstEnd(end: String) {
    var reader = ContentReader(page: PageBox(left: 0, bottom: 0, right: 9, top: 9))
    Array("q BI /W 1 /H 1 ID x\(end)/P Do Q BI ID y\nEI q Q".utf8).withUnsafeBytes { reader.read($0) }
    #expect(reader.draws.map(\.name) == ["P"])
    #expect(reader.faults.isEmpty)
  }

  /// Areas that lie over each other, beside and across rows and columns.
  @Test func coveredPixelsAreLeftOut() {
    let areas: [PixelArea] = (0..<40).map { index in
      let (x, y) = (index * 37 % 90, index * 53 % 50)
      return PixelArea(columns: x..<x + index % 13, rows: y..<y + index % 7)
    }
    var comparison = PixelComparison(tolerance: 0)
    comparison.covered = areas
    var left = 0
    let pixels = [UInt32](repeating: 0, count: 100)
    var row = [UInt8](repeating: 0, count: 300)
    for y in 0..<60 {
      comparison.add(row: y, columns: 5..<95, rendered: pixels, stored: &row, replacing: false)
      left += (5..<95).count { x in
        !areas.contains { $0.rows.contains(y) && $0.columns.contains(x) }
      }
    }
    #expect(comparison.compared == left)
    #expect(left > 0 && left < 60 * 90)
  }
}
