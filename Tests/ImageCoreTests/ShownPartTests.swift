import TestSupport
import Testing

@testable import ImageCore

@Suite struct ShownPartTests {
  /// A sequence of turns and cuts, followed through the regions of a picture of 1,000 by 600 pixels.
  @Test func sequences() {
    var random = SplitMix(31)
    for _ in 0..<200 {
      var (width, height) = (1_000, 600)
      var part = ShownPart.whole
      // The region of the turned picture that is left, in pixels.
      var (region, whole) = (Region(left: 0, top: 0, width: width, height: height), (width: width, height: height))
      for _ in 0..<4 {
        if random.below(2) == 0 {
          let turn = Orientation.allCases[random.below(8)]
          part = part.showing(ShownPart(turning: turn))
          region = turn.upright(region, width: whole.width, height: whole.height)
          if turn.swapsSides { (width, height, whole) = (height, width, (whole.height, whole.width)) }
        } else {
          let (left, top) = (random.below(width / 2), random.below(height / 2))
          let (wide, high) = (1 + random.below(width - left), 1 + random.below(height - top))
          part = part.showing(
            ShownPart(
              left: Double(left), top: Double(top), width: Double(wide), height: Double(high), of: (width, height)))
          region = Region(left: region.left + left, top: region.top + top, width: wide, height: high)
          (width, height) = (wide, high)
        }
      }
      let edges = [part.left * Double(whole.width), part.right * Double(whole.width)]
      let ends = [part.top * Double(whole.height), part.bottom * Double(whole.height)]
      let expected = [region.left, region.right, region.top, region.bottom].map(Double.init)
      for (found, meant) in zip(edges + ends, expected) { #expect(abs(found - meant) < 1e-6) }
    }
  }
}
