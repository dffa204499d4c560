import Platform

/// A colour space that a file describes with numbers instead of an ICC profile: PNG's gAMA and cHRM, the calibration of
/// a BMP, fields of EXIF and TIFF.
///
/// An exponent near 2.2 with the primaries of sRGB means sRGB's curve: programs write such an exponent for sRGB, as PNG
/// recommends (PNG, third edition, 11.3.2.5), and browsers show such files unchanged.
public struct CalibratedColour: Sendable, Hashable {
  /// The curve from encoded values to light.
  public enum Curve: Sendable, Hashable {
    case srgb
    /// The light is the encoded value, raised to this power.
    case gamma(Double)
    /// The light, from 0 to 65,535, at equal steps of the encoded value.
    case table([UInt16])
  }

  /// The x and y of red, green and blue, in this order; nil for those of sRGB.
  private let primaries: [Double]?
  private let white: [Double]
  /// One curve for all bands, or one for each of three.
  private let curves: [Curve]

  /// The colours of Adobe RGB (1998).
  public static let adobeRGB = CalibratedColour(
    primaries: StandardProfile.adobeRGBPrimaries, curves: [.gamma(563.0 / 256)])

  /// - Parameters:
  ///   - primaries: the x and y of red, green and blue, in this order; nil for those of sRGB. Primaries that cannot
  ///     form white are ignored.
  ///   - white: the x and y of white, used only with valid primaries; D65 by default.
  ///   - curves: one curve, or one for each of three bands. The curve of sRGB replaces invalid ones.
  public init(primaries: [Double]? = nil, white: [Double]? = nil, curves: [Curve] = [.srgb]) {
    let white = white ?? RGBColorants.d65
    let isUsable = primaries.map { RGBColorants($0, white: white) != nil } ?? false
    self.primaries = isUsable ? primaries : nil
    self.white = isUsable ? white : RGBColorants.d65
    let possible = curves.map { $0.isPossible ? $0 : .srgb }
    self.curves = [1, 3].contains(possible.count) ? possible : [.srgb]
  }

  /// Whether primaries and white are those of sRGB, within the precision of numbers in files; true without primaries.
  private var hasSRGBPrimaries: Bool {
    guard let primaries else { return true }
    return zip(primaries + white, StandardProfile.srgbPrimaries + RGBColorants.d65).allSatisfy {
      ($0 - $1).magnitude < 0.002
    }
  }

  /// Returns the ICC profile; empty for sRGB. For a gray picture, it is also empty if the curve counts as that of sRGB,
  /// unless the colours are those of Adobe RGB.
  ///
  /// - Parameter isGray: whether the profile is for gray pictures, which have only a curve.
  public func profile(isGray: Bool) -> [UInt8] {
    let standsForSRGB = hasSRGBPrimaries && curves.allSatisfy(\.standsForSRGB)
    if standsForSRGB || isGray && curves[0].standsForSRGB && self != .adobeRGB { return [] }
    let name = self == .adobeRGB ? "compatible with Adobe RGB (1998)" : "calibrated" + curves[0].name
    if isGray { return StandardProfile.makeOld(name, nil, [curves[0].numbers]) }
    let colorants = RGBColorants(primaries ?? StandardProfile.srgbPrimaries, white: white)
    let all = curves.count == 3 ? curves : Array(repeating: curves[0], count: 3)
    return StandardProfile.makeOld(name, colorants, all.map(\.numbers))
  }
}

extension CalibratedColour.Curve {
  /// Whether the curve counts as that of sRGB: see `CalibratedColour`.
  fileprivate var standsForSRGB: Bool {
    switch self {
    case .srgb: true
    case .gamma(let exponent): (exponent - 2.2).magnitude <= 0.0225
    case .table: false
    }
  }

  fileprivate var isPossible: Bool {
    switch self {
    case .srgb: true
    case .gamma(let exponent): (0.1...10).contains(exponent)
    // Light must never decrease.
    case .table(let light):
      (2...65_536).contains(light.count) && light.last! > light[0] && zip(light, light.dropFirst()).allSatisfy(<=)
    }
  }

  fileprivate var name: String {
    if case .gamma(let exponent) = self {
      " with gamma \(ParameterValue.text((exponent * 1_000).rounded() / 1_000))"
    } else {
      ""
    }
  }

  /// The data of a `curv` tag of version 2 (ICC.1:2001-04, 6.5.3): an exponent in 256ths, or light at equal steps.
  fileprivate var numbers: [UInt16] {
    switch self {
    case .srgb: Self.sampled { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    case .gamma(let exponent):
      // A deviation of up to a hundredth of a 256th changes no 8-bit level.
      (exponent * 256 - (exponent * 256).rounded()).magnitude < 0.01
        ? [UInt16((exponent * 256).rounded())] : Self.sampled { pow($0, exponent) }
    // Conversions use at most 4,096 points, so larger tables are thinned.
    case .table(let light):
      light.count <= 4_096 ? light : Self.thinned(light)
    }
  }

  private static func thinned(_ light: [UInt16]) -> [UInt16] {
    let step = Double(light.count - 1) / 4_095
    return (0..<4_096).map { index in light[Int((Double(index) * step).rounded())] }
  }

  private static func sampled(_ light: (Double) -> Double) -> [UInt16] {
    (0..<1_024).map { UInt16((light(Double($0) / 1_023) * 65_535).rounded()) }
  }
}
