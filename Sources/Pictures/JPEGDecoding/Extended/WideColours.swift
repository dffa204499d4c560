/// The meaning of a JPEG's components.
public enum ExtendedColours: Sendable, Equatable {
  case gray
  case rgb
  case ycc
  /// Samples are amounts of ink, or 1 - ink if inverted, as Adobe's programs store them.
  case cmyk(isInverted: Bool)
  /// CMY converted to Y, Cb and Cr, and K.
  case ycck(isInverted: Bool)

  var componentCount: Int {
    switch self {
    case .gray: 1
    case .rgb, .ycc: 3
    case .cmyk, .ycck: 4
    }
  }
}

/// Converts 12-bit samples to 16-bit pixels: v × 65535 / 4095, rounded.
enum WideColours {
  private static let peak = 4095

  /// Returns gray or RGB pixels, interleaved.
  ///
  /// - Parameter rows: one row of each component, at least as wide as the picture.
  static func pixels(_ rows: [[UInt16]], _ colours: ExtendedColours, count: Int) -> [UInt16] {
    if colours == .gray { return rows[0].prefix(count).map { widened(Int($0)) } }
    var pixels: [UInt16] = []
    pixels.reserveCapacity(3 * count)
    for x in 0..<count {
      let (a, b, c) = (Int(rows[0][x]), Int(rows[1][x]), Int(rows[2][x]))
      switch colours {
      case .gray, .rgb:
        for value in [a, b, c] { pixels.append(widened(value)) }
      case .ycc:
        let rgb = Self.rgb(a, b, c)
        for value in [rgb.0, rgb.1, rgb.2] { pixels.append(widened(value)) }
      case .cmyk(let isInverted):
        append(a, b, c, Int(rows[3][x]), isInverted, &pixels)
      case .ycck(let isInverted):
        let rgb = Self.rgb(a, b, c)
        append(
          peak - rgb.0, peak - rgb.1, peak - rgb.2, Int(rows[3][x]), isInverted, &pixels)
      }
    }
    return pixels
  }

  private static func widened(_ value: Int) -> UInt16 { UInt16((value * 65535 + peak / 2) / peak) }

  /// Converts YCbCr to RGB by JFIF 1.02, with fractions of 65536 rounded as in libjpeg's `jdcolor.c`,
  /// `ycc_rgb_convert`.
  private static func rgb(_ y: Int, _ cb: Int, _ cr: Int) -> (Int, Int, Int) {
    let (blue, red) = (cb - 2048, cr - 2048)
    func clamped(_ value: Int) -> Int { min(max(value, 0), peak) }
    return (
      clamped(y + (91881 * red + 32768) >> 16),
      clamped(y + (-22554 * blue - 46802 * red + 32768) >> 16), clamped(y + (116130 * blue + 32768) >> 16)
    )
  }

  /// Converts CMYK without a profile: R = (1 - C)(1 - K), and so on, as for 8 bits.
  private static func append(_ c: Int, _ m: Int, _ y: Int, _ k: Int, _ isInverted: Bool, _ pixels: inout [UInt16]) {
    let white = isInverted ? k : peak - k
    for value in [c, m, y] {
      let product = (isInverted ? value : peak - value) * white
      pixels.append(UInt16((product * 65535 + peak * peak / 2) / (peak * peak)))
    }
  }
}
