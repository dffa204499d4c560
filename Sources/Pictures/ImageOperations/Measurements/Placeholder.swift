import ImageCore
import Platform
import RowCompression

/// A blurred version of a picture, which a web page shows until the picture is loaded.
///
/// It is either a PNG of a few pixels as a data URL (RFC 2397), which browsers show without a script, or a ThumbHash of
/// about 25 bytes in Base64 (E. Wallace, https://evanw.github.io/thumbhash/). A ThumbHash contains the lowest
/// frequencies of luminance, two colour differences and alpha; there are decoders for browsers and most languages.
enum Placeholder {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "placeholder", family: "script",
      summary: "Make a text from which a page draws a blurred version while the picture loads",
      parameters: [
        ParameterDescriptor(
          "format", .choice(["thumbhash", "data-uri"]), default: .text("thumbhash"),
          help:
            "thumbhash is a ThumbHash in Base64, some 30 letters for a script of the page; data-uri is a tiny PNG as "
            + "an address for src, at most 1 kB")
      ], positional: 1),
    gives: .text, side: 100
  ) { source, arguments, _, context throws(PictureError) in
    let picture = try SmallPicture(source, context)
    return .text(
      arguments.text("format") == "data-uri" ? dataAddress(picture) : Base64Text.encoded(thumbHash(picture)))
  }

  /// The maximum length of a data URL in bytes, and the lengths of the PNG's longest side that are tried, in pixels.
  static let mostAddressBytes = 1_024
  private static let sides = [16, 14, 12, 10, 8, 6, 4]

  /// Returns a PNG with the picture's aspect ratio as a data URL.
  static func dataAddress(_ picture: SmallPicture) -> String {
    let longest = max(picture.width, picture.height)
    var address = ""
    for side in sides {
      func scaled(_ length: Int) -> Int {
        max(1, Int((Double(length * min(side, longest)) / Double(longest)).rounded()))
      }
      let small = picture.reduced(width: scaled(picture.width), height: scaled(picture.height))
      let isOpaque = small.pixels.allSatisfy { $0.w > 0.998 }
      let samples = small.pixels.flatMap { pixel in
        (0..<(isOpaque ? 3 : 4)).map { UInt8((min(1, max(0, pixel[$0])) * 255).rounded()) }
      }
      let file = SmallPNG.encoded(width: small.width, height: small.height, samples: samples)
      address = "data:image/png;base64," + Base64Text.encoded(file)
      if address.utf8.count <= mostAddressBytes { break }
    }
    return address
  }

  /// The lowest frequencies of one channel of a ThumbHash.
  private struct Channel {
    var mean: Double = 0
    /// The other frequencies, scaled so that 0 becomes 0.5, and the one with the greatest magnitude 0 or 1. Not scaled
    /// if all are 0.
    var others: [Double] = []
    var scale: Double = 0

    init(_ values: [Double], width: Int, height: Int, across: Int, down: Int) {
      for v in 0..<down {
        var u = 0
        while u * down < across * (down - v) {
          var sum: Double = 0
          for y in 0..<height {
            let wave = cos(Double.pi / Double(height) * Double(v) * (Double(y) + 0.5))
            for x in 0..<width {
              sum += values[x + y * width] * cos(Double.pi / Double(width) * Double(u) * (Double(x) + 0.5)) * wave
            }
          }
          let value = sum / Double(width * height)
          if u == 0, v == 0 {
            mean = value
          } else {
            others.append(value)
            scale = max(scale, abs(value))
          }
          u += 1
        }
      }
      if scale > 0 { others = others.map { 0.5 + 0.5 / scale * $0 } }
    }
  }

  static func thumbHash(_ picture: SmallPicture) -> [UInt8] {
    let (width, height) = (picture.width, picture.height)
    let opacity = picture.pixels.reduce(Double(0)) { $0 + $1.w }
    let mean = picture.pixels.reduce(SIMD4<Double>()) { $0 + $1 * $1.w } / max(opacity, .leastNormalMagnitude)
    let hasAlpha = opacity < Double(width * height)
    let (most, longest) = (hasAlpha ? Double(5) : 7, Double(max(width, height)))
    let across = max(1, Int((most * Double(width) / longest).rounded()))
    let down = max(1, Int((most * Double(height) / longest).rounded()))
    // Pixels are placed over the mean colour.
    let pixels = picture.pixels.map { mean * (1 - $0.w) + $0 * $0.w }
    func channel(_ across: Int, _ down: Int, _ values: [Double]) -> Channel {
      Channel(values, width: width, height: height, across: across, down: down)
    }
    let l = channel(max(3, across), max(3, down), pixels.map { ($0.x + $0.y + $0.z) / 3 })
    let p = channel(3, 3, pixels.map { ($0.x + $0.y) / 2 - $0.z })
    let q = channel(3, 3, pixels.map { $0.x - $0.y })
    let alpha = hasAlpha ? channel(5, 5, picture.pixels.map(\.w)) : nil
    return packed(l, p, q, alpha, isLandscape: width > height, sides: (across, down))
  }

  private static func packed(
    _ l: Channel, _ p: Channel, _ q: Channel, _ alpha: Channel?, isLandscape: Bool, sides: (across: Int, down: Int)
  ) -> [UInt8] {
    func bits(_ value: Double, _ most: Double) -> UInt32 { UInt32(min(max((value * most).rounded(), 0), most)) }
    func signed(_ value: Double) -> UInt32 { UInt32(min(max((31.5 + 31.5 * value).rounded(), 0), 63)) }
    let first =
      bits(l.mean, 63) | signed(p.mean) << 6 | signed(q.mean) << 12 | bits(l.scale, 31) << 18
      | (alpha == nil ? 0 : 1 << 23)
    let second =
      UInt32(isLandscape ? sides.down : sides.across) | bits(p.scale, 63) << 3 | bits(q.scale, 63) << 9
      | (isLandscape ? 1 << 15 : 0)
    var hash = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8(truncatingIfNeeded: $0) }
    if let alpha { hash.append(UInt8(bits(alpha.mean, 15) | bits(alpha.scale, 15) << 4)) }
    let halves = ([l, p, q] + (alpha.map { [$0] } ?? [])).flatMap(\.others).map { UInt8(bits($0, 15)) }
    for start in stride(from: 0, to: halves.count, by: 2) {
      hash.append(halves[start] | (start + 1 < halves.count ? halves[start + 1] << 4 : 0))
    }
    return hash
  }
}
