import ImageCore
import Testing

@testable import ImageOperations

/// The region that `trim` keeps.
@Suite struct TrimTests {
  private func region(
    _ picture: Picture, background: [Int]? = nil, threshold: Int = 10, ignoresNoise: Bool = false
  ) throws -> [Int] {
    let found = try Trim.region(
      of: picture.source, background: background, threshold: threshold, ignoresNoise: ignoresNoise, .serial)
    return [found.left, found.top, found.width, found.height]
  }

  /// A block at 5,7 of 20x40 on a border, by their samples.
  private func block(_ format: PixelFormat, _ border: [Int], _ inside: [Int]) -> Picture {
    Picture(40, 70, format) { x, y, band in 5..<25 ~= x && 7..<47 ~= y ? inside[band] : border[band] }
  }

  @Test func blocksOfEveryFormat() throws {
    for format in PixelFormat.all {
      let border = Array(repeating: 20, count: format.bands)
      for band in 0..<format.bands {
        // Colours show only as much as they are opaque.
        var (border, inside) = (border, border)
        if format.hasAlpha {
          border[format.bands - 1] = format.sample.maximum
          inside[format.bands - 1] = format.sample.maximum
        }
        inside[band] = band == format.model.bandCount ? inside[band] - 11 : 31
        for ignoresNoise in [false, true] {
          let found = try region(block(format, border, inside), ignoresNoise: ignoresNoise)
          #expect(found == [5, 7, 20, 40], "\(format), band \(band)")
        }
        let same = try region(block(format, border, inside), threshold: 11)
        #expect(same == [0, 0, 40, 70])
      }
    }
  }

  @Test func backgroundOption() throws {
    let picture = block(.rgb8, [255, 255, 255], [0, 0, 0])
    #expect(try region(picture, background: [255, 255, 255]) == [5, 7, 20, 40])
    #expect(try region(picture, background: [0, 0, 0]) == [0, 0, 40, 70])
  }

  @Test func transparentColoursDoNotCount() throws {
    #expect(try region(block(.rgba8, [0, 0, 0, 0], [255, 90, 3, 0])) == [0, 0, 40, 70])
    #expect(try region(block(.rgba8, [0, 0, 0, 0], [0, 0, 0, 60])) == [5, 7, 20, 40])
  }

  @Test func specksAreNoise() throws {
    let picture = Picture(40, 70, .gray8) { x, y, _ in
      (x == 37 && y == 60) || (5..<25 ~= x && 7..<47 ~= y) ? 0 : 255
    }
    #expect(try region(picture) == [5, 7, 33, 54])
    #expect(try region(picture, ignoresNoise: true) == [5, 7, 20, 40])
  }
}
