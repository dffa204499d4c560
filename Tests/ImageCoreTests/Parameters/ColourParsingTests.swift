import ImageCore
import Testing

@Suite struct ColourParsingTests {
  static let rows: [(value: ParameterValue, samples: [Int])] = [
    (.text("#ff8000"), [255, 128, 0, 255]),
    (.text("#FF800080"), [255, 128, 0, 128]),
    (.text("#f80"), [255, 136, 0, 255]),
    (.text("red"), [255, 0, 0, 255]),
    (.text("RebeccaPurple"), [102, 51, 153, 255]),
    (.text("transparent"), [0, 0, 0, 0]),
    (.list([.integer(1), .integer(2), .integer(3)]), [1, 2, 3, 255]),
    (.list([.number(1.4), .integer(2), .integer(3), .integer(0)]), [1, 2, 3, 0]),
    (.colour(.white), [255, 255, 255, 255]),
  ]

  @Test(arguments: rows.indices)
  func reads(_ index: Int) {
    #expect(Colour(Self.rows[index].value)?.samples(in: .rgba8) == Self.rows[index].samples)
  }

  static let refused: [ParameterValue] = [
    .text(""), .text("#"), .text("#12"), .text("#12345"), .text("#1234567"), .text("#gggggg"),
    .text("#+12345"), .text("reddd"), .text(" red"), .integer(5), .boolean(true), .list([]),
    .list([.integer(1), .integer(2)]), .list([.integer(1), .integer(2), .integer(256)]),
    .list([.integer(1), .integer(2), .integer(-1)]),
    .list([.integer(1), .integer(2), .text("3")]),
    .list([.integer(1), .integer(2), .number(.nan)]),
    .list([.integer(1), .integer(2), .integer(3), .integer(4), .integer(5)]),
  ]

  @Test(arguments: refused.indices)
  func refuses(_ index: Int) { #expect(Colour(Self.refused[index]) == nil) }
}
