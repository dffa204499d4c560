import Testing

@testable import ImageCore

@Suite struct ColourCodeTests {
  /// The numbers of colour-science 0.4 for BT.2020 to Display P3, and BT.709's part of each band in luminance.
  @Test func primaries() {
    let meant = [
      1.3435783, -0.2821797, -0.0613986, -0.0652975, 1.0757879, -0.0104905, 0.0028218, -0.0195985, 1.0167767,
    ]
    let found = RGBPrimaries.rec2020.matrix(to: .displayP3)
    for (value, expected) in zip(found, meant) { #expect(abs(value - expected) < 1e-6) }
    for (value, expected) in zip(RGBPrimaries.rec709.luminance, [0.2126, 0.7152, 0.0722]) {
      #expect(abs(value - expected) < 1e-4)
    }
    // White stays white, there and back.
    for code in [1, 5, 6, 7, 9, 12, 22] {
      guard let primaries = RGBPrimaries(code: code) else {
        Issue.record("\(code)")
        continue
      }
      let matrix = primaries.matrix(to: .displayP3)
      for row in 0..<3 {
        let sum: Double = matrix[3 * row..<3 * row + 3].reduce(0, +)
        #expect(abs(sum - 1) < 1e-9, "\(code)")
      }
    }
    for code in [0, 2, 3, 4, 8, 10, 11, 99, -1] { #expect(RGBPrimaries(code: code) == nil, "\(code)") }
  }

  /// Code points, and the name of their profile; nil for none.
  private static let profiles: [(primaries: Int, transfer: Int, name: String?, gray: String?)] = [
    (0, 0, nil, nil), (1, 13, nil, nil), (2, 2, nil, nil), (1, 2, nil, nil), (12, 13, "Display P3", nil),
    (9, 14, "Rec. 2020", "gray with the curve of Rec. 709"), (9, 1, "Rec. 2020", "gray with the curve of Rec. 709"),
    (9, 13, "Rec. 2020 with the curve of sRGB", nil),
    (1, 1, "Rec. 709 with the curve of Rec. 709", "gray with the curve of Rec. 709"),
    (2, 4, "Rec. 709 with the curve of gamma 2.2", "gray with the curve of gamma 2.2"),
    (6, 6, "Rec. 601 (525 lines) with the curve of Rec. 709", "gray with the curve of Rec. 709"),
    (12, 8, "Display P3 with the curve of linear light", "gray with the curve of linear light"),
    (8, 13, "film with the curve of sRGB", nil),
    (11, 17, "DCI P3 with the curve of gamma 2.6", "gray with the curve of gamma 2.6"),
    (4, 4, "Rec. 470 M with the curve of gamma 2.2", "gray with the curve of gamma 2.2"),
    (1, 7, "Rec. 709 with the curve of SMPTE 240M", "gray with the curve of SMPTE 240M"),
    (1, 11, "Rec. 709 with the curve of Rec. 709", "gray with the curve of Rec. 709"),
    // No curve, or no primaries, that are known; HDR has no profile of its own.
    (9, 16, nil, nil), (9, 18, nil, nil), (1, 9, nil, nil), (3, 13, nil, nil), (10, 13, nil, nil),
    (4_000_000_000, 4_000_000_000, nil, nil),
  ]

  @Test func profilesOfCodes() {
    for (primaries, transfer, name, gray) in Self.profiles {
      let code = ColourCode(primaries: primaries, transfer: transfer)
      for (isGray, meant) in [(false, name), (true, gray)] {
        let bytes = code.profile(isGray: isGray)
        #expect(bytes.isEmpty == (meant == nil), "\(code) \(isGray)")
        guard let meant, bytes.count > 128 else { continue }
        #expect(Array(bytes[16..<20]) == Array((isGray ? "GRAY" : "RGB ").utf8), "\(code)")
        let title = meant.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let places = 0...bytes.count - title.count
        #expect(places.contains { bytes[$0..<$0 + title.count].elementsEqual(title) }, "\(code) \(isGray)")
      }
    }
  }
}
