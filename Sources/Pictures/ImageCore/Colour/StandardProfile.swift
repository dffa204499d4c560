import CInkProfile
import Platform

/// The colour profiles that scripts can name.
///
/// All except `cmyk` are computed from a curve and, for RGB, from primaries. They have version 4 (ICC.1:2022):
/// colorants adapted to D50 with Bradford's matrix (annex E), and a parametric curve (10.18).
public enum StandardProfile: String, Sendable, CaseIterable {
  case srgb
  case displayP3 = "display-p3"
  case adobeRGB = "adobe-rgb"
  case rec2020
  case gray
  /// Offset printing on coated paper, ISO 12647-2:2004: FOGRA39, computed from Fogra's measurements. It is assumed for
  /// CMYK without a profile.
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

  /// The colour model of the profile.
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
    "compatible with Adobe RGB (1998)", adobeRGBPrimaries, [563.0 / 256])
  private static let rec2020Bytes = make("Rec. 2020", [0.708, 0.292, 0.170, 0.797, 0.131, 0.046], rec709Curve)
  private static let grayBytes = make("gray with the curve of sRGB", nil, srgbCurve)

  private static let inkBytes: [UInt8] = {
    var count = 0
    let bytes = imghost_fogra39(&count)
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }()

  /// Returns the profile that is assumed for colours without one: sRGB, gray with sRGB's curve, or FOGRA39.
  public static func usual(for model: ColourModel) -> StandardProfile {
    switch model {
    case .gray: .gray
    case .rgb: .srgb
    case .cmyk: .cmyk
    }
  }

  /// Adobe RGB (1998) Color Image Encoding, 4.3.1.
  static let adobeRGBPrimaries = [0.64, 0.33, 0.21, 0.71, 0.15, 0.06]
  static let srgbPrimaries = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
  /// The parameters g, a, b, c, d of the function of type 3: (aX + b)^g from d on, and cX below (IEC 61966-2-1).
  static let srgbCurve = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
  /// ITU-R BT.2020-2, table 4, with the numbers for 12 bits.
  static let rec709Curve = [1 / 0.45, 1 / 1.0993, 0.0993 / 1.0993, 1 / 4.5, 0.08145]

  // MARK: Bytes

  /// Returns a profile of version 4.3.
  ///
  /// - Parameters:
  ///   - primaries: x and y of red, green and blue; nil for gray.
  ///   - white: x and y of white.
  ///   - curve: an exponent, or g, a, b, c, d as in `srgbCurve`.
  static func make(_ name: String, _ primaries: [Double]?, white: [Double] = RGBColorants.d65, _ curve: [Double])
    -> [UInt8]
  {
    var tags: [(name: String, data: [UInt8])] = [
      ("desc", text(name)), ("cprt", text("No copyright, use freely")), ("wtpt", xyz([0.9642, 1, 0.8249])),
    ]
    let curve = parametric(curve)
    if let primaries {
      let columns = RGBColorants(primaries, white: white)!
      for (name, column) in zip(["rXYZ", "gXYZ", "bXYZ"], columns.xyz) { tags.append((name, xyz(column))) }
      // This matrix, from the original white to D50, is already applied to the colorants.
      tags.append(("chad", array("sf32", columns.adaptation)))
      for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
    } else {
      tags.append(("kTRC", curve))
    }
    return file(tags, space: primaries == nil ? "GRAY" : "RGB ", version: 0x0430_0000)
  }

  /// Returns a profile of version 2.1 (ICC.1:2001-04). PDF 1.4, and therefore PDF/A-1, does not allow version 4.
  ///
  /// - Parameters:
  ///   - colorants: the colorants of red, green and blue; nil for gray.
  ///   - curves: the data of a `curv` tag for each band: one exponent in 256ths, or light from 0 to 65,535.
  static func makeOld(_ name: String, _ colorants: RGBColorants?, _ curves: [[UInt16]]) -> [UInt8] {
    let description = Array("desc".utf8) + big(0) + big(name.utf8.count + 1) + Array(name.utf8) + [0]
    var tags: [(name: String, data: [UInt8])] = [
      // The description without its Unicode and Macintosh texts.
      ("desc", description + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)),
      ("cprt", Array("text".utf8) + big(0) + Array("No copyright, use freely".utf8) + [0]),
      ("wtpt", xyz([0.9642, 1, 0.8249])),
    ]
    for (name, column) in zip(["rXYZ", "gXYZ", "bXYZ"], colorants?.xyz ?? []) { tags.append((name, xyz(column))) }
    if let colorants { tags.append(("chad", array("sf32", colorants.adaptation))) }
    for (name, curve) in zip(colorants == nil ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"], curves) {
      tags.append(
        (name, Array("curv".utf8) + big(0) + big(curve.count) + curve.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }))
    }
    return file(tags, space: colorants == nil ? "GRAY" : "RGB ", version: 0x0210_0000)
  }

  private static func file(_ tags: [(name: String, data: [UInt8])], space: String, version: Int) -> [UInt8] {
    var table = big(tags.count)
    var body: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    var places: [[UInt8]: Int] = [:]
    for (name, data) in tags {
      // Equal curves are stored only once.
      let place = places[data] ?? body.count
      if places[data] == nil {
        places[data] = place
        body += data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
      }
      table += Array(name.utf8) + big(start + place) + big(data.count)
    }
    var header = big(start + body.count) + Array("none".utf8) + big(version) + Array("mntr".utf8)
    header += Array(space.utf8) + Array("XYZ ".utf8)
    // The date is 2026-01-01, so that the bytes are always the same.
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
}

// MARK: - Recognition

/// Recognises embedded profiles that have the numbers of a standard profile, such as the sRGB profile by HP and
/// Microsoft that cameras write.
extension StandardProfile {
  /// Returns whether the bytes are an RGB profile whose colours differ from sRGB; false without a profile. ICC.1:2022,
  /// 7.2.6: the colour space is at byte 16.
  public static func isOtherRGB(_ profile: [UInt8]) -> Bool {
    profile.dropFirst(16).starts(with: Array("RGB ".utf8)) && !isSRGB(profile)
  }

  /// Returns which of sRGB, Adobe RGB and gray equals an embedded profile within 8-bit precision; nil if none does.
  public static func recognised(_ profile: [UInt8]) -> StandardProfile? {
    [.srgb, .adobeRGB, .gray].first { $0.equals(profile) }
  }

  private static func isSRGB(_ profile: [UInt8]) -> Bool { srgb.equals(profile) }

  /// Returns whether a profile is a matrix with curves, or only a curve, that equals this one within 8-bit precision.
  private func equals(_ profile: [UInt8]) -> Bool {
    let own = bytes
    if profile == own { return true }
    // Tables would have precedence over the matrix.
    guard Self.tag("A2B0", profile) == nil, Self.tag("A2B1", profile) == nil else { return false }
    for name in model == .rgb ? ["rXYZ", "gXYZ", "bXYZ"] : [] {
      guard let found = Self.tag(name, profile), let wanted = Self.tag(name, own), found.count >= 20 else {
        return false
      }
      for place in [8, 12, 16] where abs(Self.fixed(found, place) - Self.fixed(wanted, place)) > 0.002 { return false }
    }
    for name in model == .rgb ? ["rTRC", "gTRC", "bTRC"] : ["kTRC"] {
      guard let curve = Self.tag(name, profile), let wanted = Self.tag(name, own) else { return false }
      for value in [0.05, 0.1, 0.25, 0.5, 0.75, 0.9] {
        guard let light = Self.light(value, curve), let own = Self.light(value, wanted), abs(light - own) < 0.003 else {
          return false
        }
      }
    }
    return true
  }

  /// Returns the data of a tag (ICC.1:2022, 7.3); nil if it is missing, or lies outside the profile.
  private static func tag(_ name: String, _ profile: [UInt8]) -> [UInt8]? {
    guard profile.count > 132 else { return nil }
    for index in 0..<min(100, number(profile, 128)) {
      let entry = 132 + 12 * index
      guard entry + 12 <= profile.count else { return nil }
      guard profile[entry..<entry + 4].elementsEqual(name.utf8) else { continue }
      let (offset, count) = (number(profile, entry + 4), number(profile, entry + 8))
      guard offset <= profile.count, count <= profile.count - offset else { return nil }
      return Array(profile[offset..<offset + count])
    }
    return nil
  }

  /// Returns the light of an encoded value according to a `curv` curve, or a `para` curve of type 0 or 3 (ICC.1:2022,
  /// 10.6 and 10.18). Nil for other curves, and for tables that are too short for a comparison.
  private static func light(_ value: Double, _ curve: [UInt8]) -> Double? {
    if curve.starts(with: "curv".utf8), curve.count >= 12 {
      let count = number(curve, 8)
      if count == 1, curve.count >= 14 { return pow(value, Double(Int(curve[12]) << 8 | Int(curve[13])) / 256) }
      guard count >= 256, curve.count >= 12 + 2 * count else { return nil }
      let place = 12 + 2 * Int((value * Double(count - 1)).rounded())
      return Double(Int(curve[place]) << 8 | Int(curve[place + 1])) / 65_535
    }
    guard curve.starts(with: "para".utf8), curve.count >= 16, curve[8] == 0 else { return nil }
    if curve[9] == 0 { return pow(value, fixed(curve, 12)) }
    guard curve.count >= 32, curve[9] == 3 else { return nil }
    let (g, a, b, c, d) = (
      fixed(curve, 12), fixed(curve, 16), fixed(curve, 20), fixed(curve, 24), fixed(curve, 28)
    )
    return value >= d ? pow(max(0, a * value + b), g) : c * value
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns a number of type s15Fixed16.
  private static func fixed(_ bytes: [UInt8], _ place: Int) -> Double {
    Double(Int32(truncatingIfNeeded: number(bytes, place))) / 65_536
  }
}
