import Testing

@testable import BookExpectations

@Suite struct UTF8TextTests {
  @Test(arguments: [0, 7, -7, 10, 99, 1_234_567_890, Int.max, Int.min]) func wholeNumbersAreDecimal(_ value: Int) {
    var text = UTF8Text()
    text.append(value)
    #expect(String(text) == "\(value)")
    #expect(String("<\(value)>" as UTF8Text) == "<\(value)>")
  }

  @Test func itIsMadeLikeAString() {
    let name = "Größe → 1"
    var text: UTF8Text = "ä\(3) 0 \(name)\n"
    text += "\(text)é"
    text.append(string: "\u{1F600}")
    #expect(String(text) == "ä3 0 Größe → 1\nä3 0 Größe → 1\né\u{1F600}")
    #expect(text.count == String(text).utf8.count)
    #expect(UTF8Text().isEmpty && ("" as UTF8Text).isEmpty && !text.isEmpty)
  }

  @Test(arguments: [0, -0.0, 1, 0.5, -12.34567, 99.99996, 0.00004, 595.2756, 123_456_789.125, -1e10])
  func lengthsAreTheSameBothWays(_ value: Double) {
    var text = UTF8Text()
    LengthText.append(value, to: &text)
    #expect(String(text) == LengthText.text(value))
  }
}
