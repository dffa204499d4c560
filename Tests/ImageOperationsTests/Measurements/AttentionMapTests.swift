import ImageCore
import ImageOperations
import PictureTraits
import Testing

@Suite("Attention of drawn pictures")
struct AttentionMapTests {
  /// A place of something on a quiet ground, and how it looks.
  struct Spot: CustomTestStringConvertible, Sendable {
    let name: String
    let colour: SIMD4<Double>
    var ground = SIMD4(0.45, 0.5, 0.45, 1)
    let place: (x: Double, y: Double)
    var testDescription: String { "\(name) at \(place)" }
  }

  static let spots: [Spot] = [
    Spot(name: "bright", colour: SIMD4(1, 1, 0.95, 1), place: (0.25, 0.3)),
    Spot(name: "dark", colour: SIMD4(0.05, 0.05, 0.08, 1), place: (0.7, 0.7)),
    Spot(name: "skin", colour: SIMD4(0.87, 0.68, 0.56, 1), place: (0.7, 0.25)),
    Spot(name: "red", colour: SIMD4(0.8, 0.1, 0.1, 1), place: (0.3, 0.7)),
    Spot(name: "blue on sand", colour: SIMD4(0.1, 0.2, 0.8, 1), ground: SIMD4(0.8, 0.75, 0.6, 1), place: (0.5, 0.2)),
  ]

  private func picture(_ spot: Spot, _ width: Int, _ height: Int) -> Drawn {
    let radius = 0.08 * Double(min(width, height))
    return Drawn(width, height) { x, y in
      let (across, down) = (Double(x) - spot.place.x * Double(width), Double(y) - spot.place.y * Double(height))
      return across * across + down * down < radius * radius ? spot.colour : spot.ground
    }
  }

  @Test("most attention lies around a spot", arguments: spots)
  func aroundASpot(_ spot: Spot) throws {
    for (width, height) in [(384, 256), (256, 384), (300, 300)] {
      let attention = try picture(spot, width, height).traits().attention
      let (across, down) = (
        0.2 * Double(min(width, height)) / Double(width), 0.2 * Double(min(width, height)) / Double(height)
      )
      let around = UnitRectangle(
        left: spot.place.x - across, top: spot.place.y - down, width: 2 * across, height: 2 * down)
      #expect(attention.kept(in: around) > 0.85, "\(attention.kept(in: around))")
      let focus = attention.focus
      #expect(focus.left <= spot.place.x && spot.place.x <= focus.right, "\(focus)")
      #expect(focus.top <= spot.place.y && spot.place.y <= focus.bottom, "\(focus)")
      #expect(focus.width < 0.5 && focus.height < 0.5, "\(focus)")
    }
  }

  @Test("the focus of even attention leaves out a tenth at each side")
  func evenFocus() {
    let focus = AttentionMap.even.focus
    for (value, expected) in [(focus.left, 0.1), (focus.top, 0.1), (focus.width, 0.8), (focus.height, 0.8)] {
      #expect(abs(value - expected) < 1e-6)
    }
  }

  @Test("the focus of one cell lies inside it")
  func oneCell() {
    var weights = [Float](repeating: 0, count: 256)
    weights[3 * 16 + 5] = 1
    let focus = AttentionMap(weights).focus
    let cell = UnitRectangle(left: 5.0 / 16, top: 3.0 / 16, width: 1.0 / 16, height: 1.0 / 16)
    #expect(cell.contains(focus) && focus.width > 0)
  }

  @Test("a busy half outweighs an empty sky")
  func sky() throws {
    let patches = Drawn.patches(seed: 5)
    let sky = Drawn.gray(384, 288) { _, _ in 0.8 }
    let attention = try Drawn.joined(sky, patches) { _, y in y < 144 }.traits().attention
    #expect(attention.kept(in: UnitRectangle(left: 0, top: 0.45, width: 1, height: 0.55)) > 0.9)
  }
}
