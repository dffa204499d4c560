import Foundation
import ImageCore
import Testing

/// Profiles that are sRGB by their numbers, and others.
@Suite struct StandardProfileTests {
  /// sRGB with a table of 1,024 points instead of the formula, as in the profile of HP and Microsoft, raised to a power.
  private func table(power: Double) -> [UInt8] {
    var profile = StandardProfile.srgb.bytes
    var curve = Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 4, 0]
    for index in 0..<1024 {
      let value = Double(index) / 1023
      let light = value <= 0.04045 ? value / 12.92 : exp2(2.4 * log2((value + 0.055) / 1.055))
      let level = Int((exp2(power * log2(max(light, 1e-9))) * 65_535).rounded())
      curve += [UInt8(level >> 8), UInt8(level & 255)]
    }
    let offset = profile.count
    profile += curve
    for entry in stride(from: 132, to: 132 + 12 * Int(profile[131]), by: 12)
    where profile[entry + 1..<entry + 4].elementsEqual("TRC".utf8) {
      for (index, value) in [offset, curve.count].enumerated() {
        for byte in 0..<4 { profile[entry + 4 + 4 * index + byte] = UInt8(value >> (24 - 8 * byte) & 255) }
      }
    }
    return profile
  }

  @Test func tellsSRGBFromOthers() {
    #expect(!StandardProfile.isOtherRGB([]) && !StandardProfile.isOtherRGB(StandardProfile.srgb.bytes))
    #expect(!StandardProfile.isOtherRGB(StandardProfile.gray.bytes))
    for profile in [StandardProfile.displayP3, .adobeRGB, .rec2020] {
      #expect(StandardProfile.isOtherRGB(profile.bytes), "\(profile)")
    }
    #expect(!StandardProfile.isOtherRGB(table(power: 1)))
    // Linear light, which some programs name sRGB, too.
    #expect(StandardProfile.isOtherRGB(table(power: 1 / 2.2)))
  }

  /// Whatever the bytes are, they are only read inside.
  @Test func damagedProfilesAreOthers() {
    let whole = table(power: 1)
    for count in stride(from: 20, to: whole.count, by: 7) {
      #expect(StandardProfile.isOtherRGB(Array(whole.prefix(count))) == (count < whole.count), "\(count)")
    }
    for place in 128..<260 {
      var damaged = whole
      damaged[place] ^= 0xff
      _ = StandardProfile.isOtherRGB(damaged)
    }
  }
}
