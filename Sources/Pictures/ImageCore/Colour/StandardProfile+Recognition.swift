import Platform

/// Profiles of others that are sRGB by their numbers, such as the one of HP and Microsoft that cameras write.
extension StandardProfile {
  /// Whether the bytes are a profile for RGB whose colours are not those of sRGB; false for none. ICC.1:2022, 7.2.8: the
  /// colour space is at byte 16.
  public static func isOtherRGB(_ profile: [UInt8]) -> Bool {
    profile.dropFirst(16).starts(with: Array("RGB ".utf8)) && !isSRGB(profile)
  }

  /// The standard whose colours an embedded profile has, as near as 8 bits tell; nil for others.
  public static func recognised(_ profile: [UInt8]) -> StandardProfile? {
    [.srgb, .adobeRGB, .gray].first { $0.equals(profile) }
  }

  private static func isSRGB(_ profile: [UInt8]) -> Bool { srgb.equals(profile) }

  /// Whether a profile is a matrix with curves, or a curve alone, as near to this one as 8 bits tell.
  private func equals(_ profile: [UInt8]) -> Bool {
    let own = bytes
    if profile == own { return true }
    // Tables would come before the matrix.
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

  /// The data of a tag: ICC.1:2022, 7.3. Nil if there is none, or if it lies outside.
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

  /// The light of an encoded value by a curve of `curv`, or of `para` of type 0 or 3 (ICC.1:2022, 10.6 and 10.18). Nil for
  /// others, and for tables too short to tell.
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

  /// A number of type s15Fixed16.
  private static func fixed(_ bytes: [UInt8], _ place: Int) -> Double {
    Double(Int32(truncatingIfNeeded: number(bytes, place))) / 65_536
  }
}
