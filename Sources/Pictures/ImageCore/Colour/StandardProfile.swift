import CInkProfile
import Platform

/// The colour profiles that scripts name.
///
/// Those of screens are made of their primaries and their curve. They are version 4 display profiles (ICC.1:2022):
/// colorants adapted to D50 by Bradford's matrix (annex E), and a parametric curve (10.18).
public enum StandardProfile: String, Sendable, CaseIterable {
  case srgb
  case displayP3 = "display-p3"
  case adobeRGB = "adobe-rgb"
  case rec2020
  case gray
  /// Offset printing on coated paper, ISO 12647-2:2004: FOGRA39, made of Fogra's measurements. CMYK without a profile
  /// counts as this.
  case cmyk

  /// The bytes of the ICC profile.
  public var bytes: [UInt8] {
    switch self {
    case .srgb: Self.srgbBytes
    case .displayP3: Self.displayP3Bytes
    case .adobeRGB: Self.adobeRGBBytes
    case .rec2020: Self.rec2020Bytes
    case .gray: Self.grayBytes
    case .cmyk: Self.inkBytes
    }
  }

  /// The bands that it describes.
  public var model: ColourModel {
    switch self {
    case .gray: .gray
    case .cmyk: .cmyk
    default: .rgb
    }
  }

  private static let srgbBytes = make("sRGB", srgbPrimaries, srgbCurve)
  private static let displayP3Bytes = make("Display P3", [0.680, 0.320, 0.265, 0.690, 0.150, 0.060], srgbCurve)
  private static let adobeRGBBytes = make(
    "compatible with Adobe RGB (1998)", [0.64, 0.33, 0.21, 0.71, 0.15, 0.06], [563.0 / 256])
  private static let rec2020Bytes = make("Rec. 2020", [0.708, 0.292, 0.170, 0.797, 0.131, 0.046], rec709Curve)
  private static let grayBytes = make("gray with the curve of sRGB", nil, srgbCurve)

  private static let inkBytes: [UInt8] = {
    var count = 0
    let bytes = imghost_fogra39(&count)
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }()

  /// Returns the profile that colours have which name none: sRGB, gray with its curve, or FOGRA39.
  public static func usual(for model: ColourModel) -> StandardProfile {
    switch model {
    case .gray: .gray
    case .rgb: .srgb
    case .cmyk: .cmyk
    }
  }

  private static let srgbPrimaries = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
  /// g, a, b, c, d of the function of type 3: (aX + b)^g from d on, and cX below (IEC 61966-2-1).
  static let srgbCurve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
  /// ITU-R BT.2020-2, table 4, with the numbers for 12 bits.
  static let rec709Curve = [1 / 0.45, 1 / 1.0993, 0.0993 / 1.0993, 1 / 4.5, 0.08145]

  // MARK: Bytes

  /// Returns a profile.
  ///
  /// - Parameters:
  ///   - primaries: x and y of red, green and blue for a white point of D65; nil for gray.
  ///   - curve: an exponent, or g, a, b, c, d as above.
  static func make(_ name: String, _ primaries: [Double]?, _ curve: [Double]) -> [UInt8] {
    var tags: [(name: String, data: [UInt8])] = [
      ("desc", text(name)), ("cprt", text("No copyright, use freely")), ("wtpt", xyz([0.9642, 1, 0.8249])),
    ]
    let curve = parametric(curve)
    if let primaries {
      let columns = colorants(primaries)
      for (name, column) in zip(["rXYZ", "gXYZ", "bXYZ"], columns) { tags.append((name, xyz(column))) }
      // The adaptation from D65 that the colorants contain.
      tags.append(("chad", array("sf32", adaptation)))
      for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
    } else {
      tags.append(("kTRC", curve))
    }
    return file(tags, space: primaries == nil ? "GRAY" : "RGB ")
  }

  private static func file(_ tags: [(name: String, data: [UInt8])], space: String) -> [UInt8] {
    var table = big(tags.count)
    var body: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    var places: [[UInt8]: Int] = [:]
    for (name, data) in tags {
      // Equal curves are stored once.
      let place = places[data] ?? body.count
      if places[data] == nil {
        places[data] = place
        body += data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
      }
      table += Array(name.utf8) + big(start + place) + big(data.count)
    }
    var header = big(start + body.count) + Array("none".utf8) + big(0x0430_0000) + Array("mntr".utf8)
    header += Array(space.utf8) + Array("XYZ ".utf8)
    // 2026-01-01, so that the bytes are the same each time.
    header += [2026, 1, 1, 0, 0, 0].flatMap { big($0).suffix(2) }
    header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
    header += [0.9642, 1, 0.8249].flatMap { fixed($0) }
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + body
  }

  private static func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
  private static func fixed(_ value: Double) -> [UInt8] { big(Int((value * 65_536).rounded())) }

  private static func array(_ type: String, _ values: [Double]) -> [UInt8] {
    Array(type.utf8) + big(0) + values.flatMap { fixed($0) }
  }

  private static func xyz(_ values: [Double]) -> [UInt8] { array("XYZ ", values) }

  private static func parametric(_ values: [Double]) -> [UInt8] {
    Array("para".utf8) + big(0) + [0, values.count == 1 ? 0 : 3, 0, 0] + values.flatMap { fixed($0) }
  }

  private static func text(_ text: String) -> [UInt8] {
    let characters = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return Array("mluc".utf8) + big(0) + big(1) + big(12) + Array("enUS".utf8) + big(characters.count) + big(28)
      + characters
  }

  // MARK: Colorants

  /// Bradford's matrix from D65 to D50, row by row, as in the profiles of the ICC.
  private static let adaptation = [
    1.0478112, 0.0228866, -0.0501270, 0.0295424, 0.9904844, -0.0170491, -0.0092345, 0.0150436, 0.7521316,
  ]

  /// The XYZ of red, green and blue relative to D50, for primaries and a white point of D65 (x = 0.3127, y = 0.3290).
  private static func colorants(_ primaries: [Double]) -> [[Double]] {
    func xyz(_ x: Double, _ y: Double) -> [Double] { [x / y, 1, (1 - x - y) / y] }
    let columns = (0..<3).map { xyz(primaries[2 * $0], primaries[2 * $0 + 1]) }
    let white = xyz(0.3127, 0.3290)
    let scales = solve(columns, white)
    return zip(columns, scales).map { column, scale in
      let colour = column.map { $0 * scale }
      return (0..<3).map { row in (0..<3).reduce(0.0) { $0 + adaptation[3 * row + $1] * colour[$1] } }
    }
  }

  /// Solves a system of three equations by Cramer's rule.
  private static func solve(_ columns: [[Double]], _ right: [Double]) -> [Double] {
    func determinant(_ a: [Double], _ b: [Double], _ c: [Double]) -> Double {
      a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
    }
    let whole = determinant(columns[0], columns[1], columns[2])
    return [
      determinant(right, columns[1], columns[2]) / whole, determinant(columns[0], right, columns[2]) / whole,
      determinant(columns[0], columns[1], right) / whole,
    ]
  }
}
