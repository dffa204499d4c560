import ImageCore
import Platform
import Testing

@Suite struct StructuralSimilarityTests {
  /// One band of samples from 0 to 255.
  struct Plane {
    let width: Int
    let height: Int
    var samples: [Double]

    func at(_ x: Int, _ y: Int) -> Double { samples[min(y, height - 1) * width + min(x, width - 1)] }
  }

  /// The definition in the paper, window by window, with 64-bit numbers.
  static func reference(_ first: Plane, _ second: Plane) -> Double {
    let gaussian = (-5...5).map { exp(-Double($0 * $0) / 4.5) }
    let total = gaussian.reduce(0, +)
    let weights = gaussian.map { $0 / total }
    let (c1, c2) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
    let (right, bottom) = (max(0, first.width - 11), max(0, first.height - 11))
    var sum = 0.0
    for top in 0...bottom {
      for left in 0...right {
        var (x, y, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for dy in 0..<11 {
          for dx in 0..<11 {
            let weight = weights[dx] * weights[dy]
            let (a, b) = (first.at(left + dx, top + dy), second.at(left + dx, top + dy))
            x += weight * a
            y += weight * b
            xx += weight * a * a
            yy += weight * b * b
            xy += weight * a * b
          }
        }
        sum +=
          (2 * x * y + c1) * (2 * (xy - x * y) + c2)
          / ((x * x + y * y + c1) * (xx - x * x + yy - y * y + c2))
      }
    }
    return sum / Double((right + 1) * (bottom + 1))
  }

  private static func luma(_ samples: [UInt16], _ layout: PictureLayout) -> Plane {
    let bands = layout.bands
    let weights = layout.format.model == .rgb ? [0.2126, 0.7152, 0.0722] : [1]
    let scale = 255 / Double(layout.format.sample.maximum)
    let values = (0..<layout.width * layout.height).map { pixel in
      weights.indices.reduce(0) { $0 + weights[$1] * Double(samples[pixel * bands + $1]) * scale }
    }
    return Plane(width: layout.width, height: layout.height, samples: values)
  }

  private static func buffer(_ samples: [UInt16], _ layout: PictureLayout) -> PixelBuffer {
    let buffer = PixelBuffer(layout)
    let count = layout.width * layout.bands
    for y in 0..<layout.height {
      for x in 0..<count {
        let sample = samples[y * count + x]
        if layout.format.sample == .u8 {
          buffer.row(y).storeBytes(of: UInt8(sample), toByteOffset: x, as: UInt8.self)
        } else {
          buffer.row(y).storeBytes(of: sample, toByteOffset: 2 * x, as: UInt16.self)
        }
      }
    }
    return buffer
  }

  private static func similarity(_ first: PixelBuffer, _ second: PixelBuffer) -> Double {
    let comparison = StructuralSimilarity(first.layout, second.layout)
    for y in 0..<first.layout.height { comparison.add(first.row(y), second.row(y)) }
    return comparison.mean
  }

  /// Smooth, detailed, flat and very bright content, with differences of several sizes.
  private static func samples(_ layout: PictureLayout, noise: Int, _ seed: UInt64) -> [UInt16] {
    var state = seed
    let top = Double(layout.format.sample.maximum)
    return (0..<layout.width * layout.height * layout.bands).map { index in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let pixel = index / layout.bands
      let (x, y) = (Double(pixel % layout.width), Double(pixel / layout.width))
      let base = x < 20 ? 250 : 120 + 100 * sin(x / 5) * cos(y / 7 + Double(index % layout.bands))
      let value = base + Double(Int(state >> 40) % (2 * noise + 1) - noise)
      return UInt16(max(0, min(255, value)) / 255 * top)
    }
  }

  static let sizes = [(1, 1), (3, 40), (40, 3), (11, 11), (12, 18), (18, 13), (19, 11), (67, 41)]
  static let formats = [PixelFormat.gray8, .rgb8, PixelFormat(.u16, .gray), PixelFormat(.u16, .rgb)]

  @Test(arguments: sizes)
  func equalsTheDefinition(_ width: Int, _ height: Int) {
    for format in Self.formats {
      let layout = PictureLayout(width: width, height: height, format: format)
      for noise in [0, 1, 6, 60] {
        let (a, b) = (Self.samples(layout, noise: 0, 1), Self.samples(layout, noise: noise, 2))
        let meant = Self.reference(Self.luma(a, layout), Self.luma(b, layout))
        let got = Self.similarity(Self.buffer(a, layout), Self.buffer(b, layout))
        #expect(abs(got - meant) < 1e-5, "\(layout) noise \(noise): \(got), not \(meant)")
        if noise == 0 { #expect(got == 1) }
      }
    }
  }

  /// Transparent pixels are compared over the background, whatever their colour; formats may differ.
  @Test func removesAlpha() {
    let layout = PictureLayout(width: 16, height: 16, format: .rgba8)
    let opaque = layout.with(format: .gray8)
    let clear = Self.buffer((0..<16 * 16).flatMap { [UInt16($0 % 256), 7, 3, 0] }, layout)
    let white = Self.buffer([UInt16](repeating: 255, count: 16 * 16), opaque)
    #expect(abs(Self.similarity(clear, white) - 1) < 1e-6)
  }
}
