/// The meaning of a JPEG's components.
public enum ExtendedColours: Sendable, Equatable {
  case gray
  case rgb
  case ycc
  /// Samples are 1 - ink.
  case cmyk
  /// The same with CMY converted to Y, Cb and Cr.
  case ycck

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

  /// Returns gray, RGB or CMYK pixels, interleaved; amounts of ink.
  ///
  /// - Parameter rows: one row of each component, at least as wide as the picture.
  static func pixels(_ rows: [[UInt16]], _ colours: ExtendedColours, count: Int) -> [UInt16] {
    if colours == .gray { return rows[0].prefix(count).map { widened(Int($0)) } }
    var pixels: [UInt16] = []
    pixels.reserveCapacity(4 * count)
    for x in 0..<count {
      let (a, b, c) = (Int(rows[0][x]), Int(rows[1][x]), Int(rows[2][x]))
      switch colours {
      case .gray, .rgb:
        for value in [a, b, c] { pixels.append(widened(value)) }
      case .ycc:
        let rgb = Self.rgb(a, b, c)
        for value in [rgb.0, rgb.1, rgb.2] { pixels.append(widened(value)) }
      case .cmyk:
        for value in [a, b, c, Int(rows[3][x])] { pixels.append(widened(peak - value)) }
      case .ycck:
        // libjpeg's ycck_cmyk_convert: C is 1 - R, and the file stores 1 - C.
        let rgb = Self.rgb(a, b, c)
        for value in [rgb.0, rgb.1, rgb.2] { pixels.append(widened(value)) }
        pixels.append(widened(peak - Int(rows[3][x])))
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
}
