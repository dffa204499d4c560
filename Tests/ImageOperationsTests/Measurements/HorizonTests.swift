import ImageCore
import ImageOperations
import PictureTraits
import Testing

@Suite("Horizons of drawn pictures")
struct HorizonTests {
  /// Sky above, sea below a line through the middle at `height`, that falls by `rise` of the height to each side.
  private func sea(_ height: Double, rise: Double = 0, sky: Double = 0.8, sea: Double = 0.4) -> Drawn {
    Drawn.gray(384, 256) { x, y in
      let line = (height + rise * (Double(x) / 192 - 1)) * 256
      return Double(y) < line ? sky - 0.1 * Double(y) / 256 : sea
    }
  }

  static let heights = [0.15, 0.3, 0.5, 0.66, 0.85]

  @Test("the height is found", arguments: heights)
  func heightIsFound(_ height: Double) throws {
    for (sky, below) in [(0.8, 0.4), (0.3, 0.6), (0.75, 0.5)] {
      let found = try #require(try sea(height, sky: sky, sea: below).noisy(0.05).traits().horizon)
      #expect(abs(found - height) < 0.025, "\(found)")
    }
  }

  @Test("a tilt of 2 degrees is allowed, one of 10 is none")
  func tilts() throws {
    let found = try #require(try sea(0.4, rise: 0.05).traits().horizon)
    #expect(abs(found - 0.4) < 0.03)
    #expect(try sea(0.4, rise: 0.26).traits().horizon == nil)
  }

  @Test("something in front of a small part does not hide it")
  func boat() throws {
    let boat = Drawn.gray(384, 256) { _, _ in 0.1 }
    let found = try Drawn.joined(boat, sea(0.5)) { x, y in (100..<140).contains(x) && y > 60 }.traits().horizon
    #expect(abs(try #require(found) - 0.5) < 0.025)
  }

  @Test("none in patches, waves of upright lines, slow gradients and small pictures")
  func none() throws {
    #expect(try Drawn.patches().traits().horizon == nil)
    #expect(try Drawn.gray(384, 256) { x, _ in x / 24 % 2 == 0 ? 0.2 : 0.8 }.traits().horizon == nil)
    #expect(try Drawn.gray(384, 256) { _, y in Double(y) / 255 }.traits().horizon == nil)
    #expect(try Drawn.gray(20, 20) { _, y in y < 10 ? 0.9 : 0.1 }.traits().horizon == nil)
  }
}
