import ImageCore
import Testing

/// Profiles of colours that files describe by numbers.
@Suite struct CalibratedColourTests {
  private static let srgb = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
  private static let adobe = [0.64, 0.33, 0.21, 0.71, 0.15, 0.06]

  @Test func whatMeansSRGBHasNoProfile() {
    for colour in [
      CalibratedColour(), CalibratedColour(primaries: Self.srgb),
      CalibratedColour(curves: [.gamma(100_000.0 / 45_455)]),
      CalibratedColour(
        primaries: Self.srgb.map { $0 + 0.001 }, white: [0.3127, 0.329], curves: [.gamma(100_000.0 / 45_000)]),
    ] {
      #expect(colour.profile(isGray: false).isEmpty && colour.profile(isGray: true).isEmpty, "\(colour)")
    }
    // Exactly 2.2 with other primaries is no curve of sRGB.
    #expect(!CalibratedColour(primaries: Self.adobe, curves: [.gamma(2.2)]).profile(isGray: false).isEmpty)
    #expect(CalibratedColour(primaries: Self.adobe, curves: [.gamma(2.2)]).profile(isGray: true).isEmpty)
  }

  /// PDF 1.4, and so PDF/A-1, allow no later version than 2.
  @Test func profilesAreComplete() {
    for (isGray, space) in [(false, "RGB "), (true, "GRAY")] {
      for colour in [
        CalibratedColour.adobeRGB, CalibratedColour(curves: [.gamma(1)]), CalibratedColour(curves: [.gamma(1.8)]),
      ] {
        let profile = colour.profile(isGray: isGray)
        #expect(profile.count > 128 && profile[0..<4].reduce(0) { $0 << 8 | Int($1) } == profile.count)
        #expect(
          profile[8] == 2 && profile[16..<20].elementsEqual(space.utf8) && profile[36..<40].elementsEqual("acsp".utf8))
      }
    }
  }

  @Test func standardsAreRecognised() {
    #expect(StandardProfile.recognised(CalibratedColour.adobeRGB.profile(isGray: false)) == .adobeRGB)
    for standard in [StandardProfile.srgb, .adobeRGB, .gray] {
      #expect(StandardProfile.recognised(standard.bytes) == standard)
    }
    for profile in [[], StandardProfile.displayP3.bytes, StandardProfile.rec2020.bytes, StandardProfile.cmyk.bytes] {
      #expect(StandardProfile.recognised(profile) == nil)
    }
    #expect(StandardProfile.recognised(CalibratedColour(curves: [.gamma(1)]).profile(isGray: true)) == nil)
  }

  /// Numbers of strangers: what makes no colours is ignored.
  @Test(arguments: [
    [Double](repeating: 0, count: 6), [Double](repeating: 0.3, count: 6), [0.64, 0.33, 0.3, 0.6, 0.64, 0.33],
    [0.1, 0.1, 0.2, 0.1, 0.15, 0.2], [42_949, 42_949, 42_949, 42_949, 42_949, 42_949], [0.64, 0.33],
    [.nan, 0.33, 0.30, 0.60, 0.15, 0.06], [-1, -1, 0.3, 0.6, 0.15, 0.06],
  ])
  func impossiblePrimaries(_ primaries: [Double]) {
    #expect(CalibratedColour(primaries: primaries).profile(isGray: false).isEmpty)
  }

  @Test(arguments: [[0, 0], [1, 0], [0.1, 0.02], [0.6, 0.6], [.nan, 0.3], [0.3], [42_949, 42_949]] as [[Double]])
  func impossibleWhite(_ white: [Double]) {
    #expect(CalibratedColour(primaries: Self.adobe, white: white).profile(isGray: false).isEmpty)
  }

  @Test func impossibleCurves() {
    let curves: [CalibratedColour.Curve] = [
      .gamma(0), .gamma(.infinity), .gamma(.nan), .gamma(-1), .gamma(1e6), .table([]), .table([5]), .table([9, 9]),
      .table([0, 9, 3, 65_535]),
    ]
    for curve in curves { #expect(CalibratedColour(curves: [curve]).profile(isGray: false).isEmpty, "\(curve)") }
    #expect(CalibratedColour(curves: []).profile(isGray: false).isEmpty)
    #expect(CalibratedColour(curves: [.gamma(1), .gamma(1)]).profile(isGray: false).isEmpty)
    // A table of 16 bits is thinned out.
    let table = CalibratedColour(curves: [.table((0..<65_536).map { UInt16($0) })]).profile(isGray: false)
    #expect(table.count > 8_192 && table.count < 9_000)
  }
}
