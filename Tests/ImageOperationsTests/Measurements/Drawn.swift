import ImageCore
import ImageOperations
import PictureTraits

/// A picture that a test draws, with gray or RGB samples from 0 to 1.
struct Drawn {
  let width: Int
  let height: Int
  private var pixels: [SIMD4<Double>]

  /// - Parameter pixel: gives red, green, blue and alpha of the pixel at x and y.
  init(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> SIMD4<Double>) {
    (self.width, self.height) = (width, height)
    pixels = (0..<width * height).map { pixel($0 % width, $0 / width) }
  }

  /// A gray picture.
  static func gray(_ width: Int, _ height: Int, _ level: (Int, Int) -> Double) -> Drawn {
    Drawn(width, height) { x, y in
      let level = level(x, y)
      return SIMD4(level, level, level, 1)
    }
  }

  /// Returns a texture of patches with random levels, the same in every run.
  static func patches(_ width: Int = 384, _ height: Int = 288, seed: UInt64 = 7) -> Drawn {
    gray(width, height) { x, y in
      var state = UInt64(x / 12) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(y / 9) &* 0xbf58_476d_1ce4_e5b9 ^ seed
      state = (state ^ state >> 31) &* 0x94d0_49bb_1331_11eb
      return 0.15 + 0.7 * Double(state >> 40) / Double(1 << 24)
    }
  }

  /// Returns a picture with the pixels of the first one if a condition holds, and else those of the second one. Both
  /// have the same size.
  static func joined(_ one: Drawn, _ other: Drawn, _ isOne: (Int, Int) -> Bool) -> Drawn {
    Drawn(one.width, one.height) { x, y in (isOne(x, y) ? one : other).pixels[y * one.width + x] }
  }

  /// Returns the picture with changed levels.
  func mapped(_ level: (Double) -> Double) -> Drawn {
    Drawn(width, height) { x, y in
      let pixel = pixels[y * width + x]
      return SIMD4(level(pixel.x), level(pixel.y), level(pixel.z), pixel.w)
    }
  }

  /// Returns the picture blurred twice by the mean of a square of 2 × `radius` + 1 pixels, which is nearly a Gaussian
  /// blur.
  func blurred(_ radius: Int) -> Drawn { once(radius).once(radius) }

  private func once(_ radius: Int) -> Drawn {
    Drawn(width, height) { x, y in
      var sum = SIMD4<Double>.zero
      for row in y - radius...y + radius {
        for column in x - radius...x + radius {
          sum += pixels[min(max(row, 0), height - 1) * width + min(max(column, 0), width - 1)]
        }
      }
      return sum / Double((2 * radius + 1) * (2 * radius + 1))
    }
  }

  /// Returns the picture with noise of up to `amount` in each direction.
  func noisy(_ amount: Double) -> Drawn {
    var state: UInt64 = 1
    return Drawn(width, height) { x, y in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let noise = (Double(state >> 40) / Double(1 << 24) * 2 - 1) * amount
      let pixel = pixels[y * width + x]
      return SIMD4(pixel.x + noise, pixel.y + noise, pixel.z + noise, pixel.w)
    }
  }

  func traits(_ format: PixelFormat = .rgb8) throws -> PictureTraits {
    let buffer = PixelBuffer(PictureLayout(width: width, height: height, format: format))
    let top = Double(format.sample.maximum)
    for (index, pixel) in pixels.enumerated() {
      var bands = format.model == .gray ? [pixel.x] : [pixel.x, pixel.y, pixel.z]
      if format.hasAlpha { bands.append(pixel.w) }
      let row = buffer.row(index / width)
      for (band, value) in bands.enumerated() {
        let sample = Int((min(max(value, 0), 1) * top).rounded())
        let place = index % width * format.bands + band
        if format.sample == .u8 {
          row.storeBytes(of: UInt8(sample), toByteOffset: place, as: UInt8.self)
        } else {
          row.storeBytes(of: UInt16(sample), toByteOffset: 2 * place, as: UInt16.self)
        }
      }
    }
    return try PictureTraits.measure(BufferSource(buffer), .serial)
  }
}
