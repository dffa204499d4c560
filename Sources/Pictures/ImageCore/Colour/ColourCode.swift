/// A colour space in code points of ITU-T H.273 (CICP), as AVIF, HEIF and PNG files state it.
public struct ColourCode: Sendable, Hashable {
  /// The colour primaries of table 2; 0 and 2 mean unspecified.
  public let primaries: Int
  /// The transfer characteristics of table 3; 0 and 2 mean unspecified.
  public let transfer: Int
  /// The peak luminance in cd/m²: that of the picture if the file states it, else that of the mastering display; 0 if
  /// the file states neither.
  public var peak: Double

  public init(primaries: Int, transfer: Int, peak: Double = 0) {
    (self.primaries, self.transfer, self.peak) = (primaries, transfer, peak)
  }

  /// Whether primaries and transfer are unspecified.
  public var isOpen: Bool { [0, 2].contains(primaries) && [0, 2].contains(transfer) }

  /// Whether the code specifies sRGB. Unspecified values count as those of sRGB, which is assumed for pictures without
  /// a code.
  public var isSRGB: Bool { [0, 1, 2].contains(primaries) && [0, 2, 13].contains(transfer) }

  /// Returns the ICC profile of SDR samples; empty for sRGB and for unsupported colour spaces.
  ///
  /// - Parameter isGray: whether the profile is for gray pictures, which have only a curve.
  public func profile(isGray: Bool) -> [UInt8] {
    let isOpen = (primaries: [0, 2].contains(primaries), transfer: [0, 2].contains(transfer))
    guard let curve = isOpen.transfer ? Self.srgb : Self.curve(transfer) else { return [] }
    let isSRGBCurve = curve.numbers == Self.srgb.numbers
    if isGray {
      return isSRGBCurve ? [] : StandardProfile.make("gray with the curve of \(curve.name)", nil, curve.numbers)
    }
    if let other = Self.otherWhites[primaries] {
      let name = "\(other.name) with the curve of \(curve.name)"
      return StandardProfile.make(name, other.primaries, white: other.white, curve.numbers)
    }
    guard let known = isOpen.primaries ? .rec709 : RGBPrimaries(code: primaries) else { return [] }
    switch (known, isSRGBCurve, curve.numbers == Self.rec709.numbers) {
    case (.rec709, true, _): return []
    case (.displayP3, true, _): return StandardProfile.displayP3.bytes
    case (.rec2020, _, true): return StandardProfile.rec2020.bytes
    default:
      let name = Self.names[isOpen.primaries ? 1 : primaries] ?? "RGB"
      return StandardProfile.make("\(name) with the curve of \(curve.name)", known.coordinates, curve.numbers)
    }
  }

  private static let names = [
    1: "Rec. 709", 5: "Rec. 601 (625 lines)", 6: "Rec. 601 (525 lines)", 7: "SMPTE 240M", 9: "Rec. 2020",
    12: "Display P3", 22: "EBU Tech. 3213",
  ]

  /// Primaries of table 2 with another white than D65: illuminant C, or the white of cinemas.
  private static let otherWhites: [Int: (name: String, primaries: [Double], white: [Double])] = [
    4: ("Rec. 470 M", [0.67, 0.33, 0.21, 0.71, 0.14, 0.08], [0.310, 0.316]),
    8: ("film", [0.681, 0.319, 0.243, 0.692, 0.145, 0.049], [0.310, 0.316]),
    11: ("DCI P3", [0.680, 0.320, 0.265, 0.690, 0.150, 0.060], [0.314, 0.351]),
  ]

  private typealias Curve = (name: String, numbers: [Double])
  private static let srgb: Curve = ("sRGB", StandardProfile.srgbCurve)
  private static let rec709: Curve = ("Rec. 709", StandardProfile.rec709Curve)

  /// Returns the name and the numbers of a parametric curve; nil for unsupported characteristics. The curves of BT.709,
  /// BT.601 and BT.2020 are equal, and those of xvYCC and BT.1361 equal them between 0 and 1.
  private static func curve(_ transfer: Int) -> Curve? {
    switch transfer {
    case 1, 6, 11, 12, 14, 15: rec709
    case 4: ("gamma 2.2", [2.2])
    case 5: ("gamma 2.8", [2.8])
    // SMPTE ST 240: the encoded value is 4 times the light, up to a light of 0.0228.
    case 7: ("SMPTE 240M", [1 / 0.45, 1 / 1.1115, 0.1115 / 1.1115, 1 / 4.0, 0.0912])
    case 8: ("linear light", [1])
    case 13: srgb
    // SMPTE ST 428-1, without the headroom of projectors.
    case 17: ("gamma 2.6", [2.6])
    default: nil
    }
  }
}
