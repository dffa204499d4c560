import ImageCore
import Testing

@Suite struct VerificationExpectationsTests {
  @Test func textIsReadBack() throws {
    var picture = PictureExpectation(
      left: 0.1, bottom: -2.5, width: 1e-3, height: 841.889_763_779_527_6, pixelWidth: 3,
      pixelHeight: 2, orientation: .rotated90, digest: SHA256.digest(of: [1]),
      fingerprint: PixelFingerprint(cells: (0..<3_072).map { UInt8(truncatingIfNeeded: $0) }))
    picture.alternative = " two  lines\nof \\n "
    let turned = PictureExpectation(
      matrix: PlacementMatrix(0.7071, 0.7071, -0.7071, 0.7071, 1, 2), pixelWidth: 1, pixelHeight: 1,
      digest: picture.digest, source: ShortDigest(SHA256.digest(of: [3])))
    let expected = VerificationExpectations(pages: [
      PageExpectation(
        width: 10, height: 20.5, pictures: [picture, picture.with(fingerprint: nil)],
        captions: [
          CaptionExpectation("two  lines\nof \\n ", left: 1, bottom: 2, width: 3, height: 4),
          CaptionExpectation("\u{301}עברית", left: 1e9, bottom: -2, width: 0, height: 0.00001),
        ], content: ShortDigest(SHA256.digest(of: [2]))),
      PageExpectation(width: 1, height: 1 / 3, pictures: [turned]),
    ])
    #expect(try VerificationExpectations(text: expected.text) == expected)
  }

  @Test func changesAreNoticed() {
    let text = VerificationExpectations(pages: [
      PageExpectation(width: 100, height: 200, pictures: [])
    ]).text
    for changed in [
      text.replacing("100", with: "101"), String(text.prefix(40)), text + "page 1 1\n",
    ] {
      #expect(throws: ExpectationsError.self) { try VerificationExpectations(text: changed) }
    }
  }

  static let mistakes: [(String, String)] = [
    ("", "this is not a list of expectations written by imghost"),
    ("%PDF-1.4\n", "this is not a list of expectations written by imghost"),
    ("page 1", "line 2 of the expectations cannot be understood"),
    ("page a b", "line 2 of the expectations cannot be understood"),
    ("picture 1 1 1 1 1 1 1 00", "line 2 of the expectations cannot be understood"),
    ("page 1 1\nalternative a", "line 3 of the expectations cannot be understood"),
    ("page 1 1\nfingerprint 00", "line 3 of the expectations cannot be understood"),
    ("page 1 1\npicture 1 1 1 1 0 1 1 00", "line 3 of the expectations cannot be understood"),
    ("wat", "line 2 of the expectations cannot be understood"),
  ]

  @Test(arguments: VerificationExpectationsTests.mistakes)
  func mistakesAreNamed(text: String, message: String) {
    let isList = message.hasPrefix("line")
    let error = #expect(throws: ExpectationsError.self) {
      try VerificationExpectations(text: isList ? "imghost-expectations 2\n" + text : text)
    }
    #expect(error?.description == message)
  }
}
