import Foundation
import ImageCore
import Testing

@testable import ImageOperations

/// Measurements that look at a small version of a picture.
@Suite struct SmallPictureTests {
  private func small(_ picture: Picture) throws -> SmallPicture { try SmallPicture(picture.source, .serial) }

  /// A picture from a function that gives the samples of a pixel.
  private func picture(_ width: Int, _ height: Int, _ format: PixelFormat, _ pixel: (Int, Int) -> [Int]) -> Picture {
    Picture(width, height, format) { x, y, band in pixel(x, y)[band] }
  }

  private func gradient(isOpaque: Bool) -> Picture {
    picture(10, 6, .rgba8) { x, y in
      let alpha = isOpaque || x > 3 ? 255 : 40 * x + 17
      return [x * 25, y * 40, x * y * 7 & 255, alpha]
    }
  }

  @Test func samplesOfEveryFormat() throws {
    let gray = try small(picture(1, 1, .gray8) { _, _ in [51] })
    #expect(gray.pixels == [SIMD4(0.2, 0.2, 0.2, 1)])
    let colour = try small(picture(1, 1, .rgba8) { _, _ in [0, 51, 255, 102] })
    #expect(colour.pixels == [SIMD4(0, 0.2, 1, 0.4)])
  }

  /// The values are those of thumbhash-python 1.0.1.
  @Test func placeholders() throws {
    let opaque = Placeholder.thumbHash(try small(gradient(isOpaque: true)))
    #expect(Base64Text.encoded(opaque) == "FxkOFJhwd4eAeIiHh3fZDA73iA==")
    let transparent = Placeholder.thumbHash(try small(gradient(isOpaque: false)))
    #expect(Base64Text.encoded(transparent) == "G1mKE5I7o4igeYe3Py37hUCHeIiHiHc=")
  }

  /// Tiny PNGs of any picture, with its proportions, its mean colours, and its opacity.
  @Test(arguments: [(100, 67), (67, 100), (100, 1), (1, 1), (3, 5), (100, 100)], [false, true])
  func dataAddresses(size: (width: Int, height: Int), hasAlpha: Bool) throws {
    var state: UInt64 = 11
    let noise = picture(size.width, size.height, hasAlpha ? .rgba8 : .rgb8) { x, _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return [Int(state >> 56), Int(state >> 40 & 255), x * 255 / size.width, Int(state >> 48 & 255)]
    }
    let address = Placeholder.dataAddress(try small(noise))
    #expect(address.utf8.count <= Placeholder.mostAddressBytes && address.hasPrefix("data:image/png;base64,"))
    let bytes = [UInt8](try #require(Data(base64Encoded: String(address.dropFirst(22)))))
    // PNG, 11.2.1: width, height, bits and colour type.
    #expect(Array(bytes[1..<4]) == Array("PNG".utf8) && bytes[24] == 8 && bytes[25] == (hasAlpha ? 6 : 2))
    let (across, down) = (Double(bytes[19]), Double(bytes[23]))
    #expect(max(across, down) <= 16 && max(across, down) >= Double(min(4, max(size.width, size.height))))
    // No picture is longer than 16 to 1 there.
    let shape = min(16, max(1 / 16, Double(size.width) / Double(size.height)))
    #expect(abs(across / down - shape) < 1.5 * across / down / min(across, down))
  }

  /// A half of each colour: the mean of one pixel, and no colour of what is transparent.
  @Test func meansOfAreas() throws {
    let shown = try small(picture(2, 1, .rgba8) { x, _ in x == 0 ? [255, 0, 0, 255] : [0, 255, 0, 0] })
    #expect(shown.reduced(width: 1, height: 1).pixels == [SIMD4(1, 0, 0, 0.5)])
    let plain = try small(picture(7, 5, .rgb8) { _, _ in [51, 102, 204] }).reduced(width: 3, height: 2)
    #expect(plain.pixels.count == 6 && plain.pixels.allSatisfy { abs($0.x - 0.2) < 1e-9 && abs($0.z - 0.8) < 1e-9 })
  }

  /// RFC 4648, section 10.
  @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
  func base64(_ text: String, _ expected: String) { #expect(Base64Text.encoded(Array(text.utf8)) == expected) }

  /// A picture of smooth waves, `scale` times as large, and brighter by `shift`.
  private func waves(scale: Int = 1, shift: Int = 0, mirrored: Bool = false) throws -> UInt64 {
    let (width, height) = (48 * scale, 36 * scale)
    let shown = picture(width, height, .rgb8) { x, y in
      let (across, down) = ((mirrored ? width - 1 - x : x) / scale, y / scale)
      let level = 60 + (across * across / 20 + down * 2 + across * down / 24) % 160 / 2 + shift
      return [level, level / 2, 255 - level]
    }
    return PerceptualHash.hash(try small(shown))
  }

  @Test func hashesOfLikePictures() throws {
    let hash = try waves()
    #expect((hash ^ (try waves(scale: 3))).nonzeroBitCount <= 4)
    #expect((hash ^ (try waves(shift: 12))).nonzeroBitCount <= 4)
    #expect((hash ^ (try waves(mirrored: true))).nonzeroBitCount >= 16)
    #expect(PerceptualHash.hexadecimal(0x1f) == "000000000000001f")
  }

  /// Half of the frequencies are above their median.
  @Test func halfOfTheBitsAreSet() throws { #expect((28...35).contains(try waves().nonzeroBitCount)) }

  @Test func hashesOfTinyAndPlainPictures() throws {
    for side in [1, 2, 31] {
      #expect(PerceptualHash.hash(try small(picture(side, side, .gray8) { _, _ in [128] })) == 0)
    }
  }

  @Test func dominantColours() throws {
    // Six rows of red, three of teal, one of transparent blue.
    let shown = picture(8, 10, .rgba8) { _, y in
      y < 6 ? [200, 30, 40, 255] : y < 9 ? [0, 128, 128, 255] : [0, 0, 255, 0]
    }
    let colours = DominantColours.colours(in: try small(shown), count: 5)
    #expect(colours.map(\.colour.hexadecimal) == ["#c81e28", "#008080"])
    #expect(colours.map(\.share) == [0.6667, 0.3333])
    #expect(DominantColours.colours(in: try small(shown), count: 1).map(\.share) == [1])
    let empty = picture(2, 2, .rgba8) { _, _ in [9, 9, 9, 0] }
    #expect(DominantColours.colours(in: try small(empty), count: 5).isEmpty)
  }
}
