import ImageCore
import PictureTraits
import Testing

@testable import BookComposing
@testable import PDFBook

/// The place of a cover's title, and the tints of pages.
struct QuietPlaceTests {
  /// Returns a map whose rows have these weights, from the top.
  private func map(_ weight: (Int) -> Float) -> AttentionMap {
    AttentionMap((0..<AttentionMap.side * AttentionMap.side).map { weight($0 / AttentionMap.side) })
  }

  /// A picture of 160 by 160 points, of which the page shows the part to the right of x = 32.
  private static let cell: PageCell = {
    let whole = PageRectangle(left: -32, bottom: 0, width: 160, height: 160)
    let seen = PageRectangle(left: 0, bottom: 0, width: 128, height: 160)
    return PageCell(picture: 0, frame: seen, rectangle: whole, visible: seen)
  }()

  private static let places = [70.0, 130, 10].map { PageRectangle(left: 20, bottom: $0, width: 80, height: 20) }

  @Test(arguments: [(0, 1), (15, 0), (8, 2), (7, 1)] as [(Int, Int)])
  func titlesStandWhereThePictureIsQuiet(loud: Int, unwanted: Int) {
    // Attention falls with the distance from one row.
    let map = map { Float(max(0, 20 - abs($0 - loud))) }
    let attention = Self.places.map { QuietPlace.attention(of: $0, on: Self.cell, map) }
    let found = QuietPlace.index(of: attention)
    #expect(attention[found] <= attention[0])
    if loud == 0 { #expect(found == 2) }
    if loud == 15 { #expect(found == 1) }
  }

  @Test func evenPicturesKeepTheMiddle() {
    let attention = Self.places.map { QuietPlace.attention(of: $0, on: Self.cell, .even) }
    #expect(QuietPlace.index(of: attention) == 0)
    #expect(abs(attention[0] - 80.0 * 20 / (160 * 160)) < 1e-6)
    #expect(QuietPlace.index(of: [0, 0, 0]) == 0 && QuietPlace.index(of: []) == 0)
    let beside = PageRectangle(left: 300, bottom: 0, width: 9, height: 9)
    #expect(QuietPlace.attention(of: beside, on: Self.cell, .even) == 0)
  }

  @Test func everyTintLetsTextsBeRead() {
    var state: UInt64 = 5
    func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53)
    }
    func colour() -> Colour { Colour(red: next(), green: next(), blue: next()) }
    for round in 0..<500 {
      let pictures = (0..<round % 5).map { _ in ((0..<5).map { _ in colour() }, next()) }
      let text = round % 3 == 0 ? Colour.black : round % 3 == 1 ? .white : colour()
      let tint = PageTint.colour(of: pictures, behind: [text])
      #expect(text.contrast(to: tint) >= Colour.readableContrast, "\(text) on \(tint)")
      #expect(text.isLight != tint.isLight)
    }
    let red = PageTint.colour(of: [([Colour(red: 1, green: 0, blue: 0)], 1)], behind: [])
    #expect(red.red > red.green && red.green > 0.8)
  }
}
