import ImageCore
import Platform
import Testing

@testable import ImageOperations

/// The angle that `deskew` finds.
@Suite struct DeskewTests {
  /// Broken lines, like text, at an angle in degrees clockwise.
  private func page(_ degrees: Double) throws -> SmallPicture {
    let (sine, cosine) = (sin(degrees / 180 * .pi), cos(degrees / 180 * .pi))
    let shown = Picture(400, 500, .gray8) { x, y, _ in
      let (across, down) = (Double(x - 200), Double(y - 250))
      let line = down * cosine - across * sine
      let along = down * sine + across * cosine
      let isInk = abs(line) < 200 && abs(along) < 150 && (line + 1000).truncatingRemainder(dividingBy: 20) < 8
      return isInk && Int(along + 1000) * 7 / 9 % 5 > 0 ? 30 : 240
    }
    return try SmallPicture(shown.source, .serial)
  }

  @Test(arguments: [-14.0, -5.3, -0.4, 0, 0.75, 3, 12.2])
  func linesAreFound(_ degrees: Double) throws {
    #expect(abs(Deskew.angle(try page(degrees)) - degrees) <= 0.1)
  }

  @Test func picturesWithoutLinesStay() throws {
    #expect(Deskew.angle(try SmallPicture(Picture.noise(200, 150, .rgb8).source, .serial)) == 0)
    #expect(Deskew.angle(try SmallPicture(Picture(9, 1, .gray8) { _, _, _ in 3 }.source, .serial)) == 0)
  }
}
