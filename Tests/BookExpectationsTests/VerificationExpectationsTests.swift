import ImageCore
import Testing

@testable import BookExpectations

@Suite struct VerificationExpectationsTests {
  @Test func textIsReadBack() throws {
    var picture = PictureExpectation(
      matrix: AffineMatrix(.rotated90, left: 0.1, bottom: -2.5, width: 1e-3, height: 841.889_763_779_527_6),
      pixelWidth: 3, pixelHeight: 2, digest: ShortDigest(SHA256.digest(of: [1])),
      fingerprint: PixelFingerprint(cells: (0..<3_072).map { UInt8(truncatingIfNeeded: $0) }))
    picture.alternative = " two  lines\nof \\n "
    picture.name = "a \\ b\n.png"
    picture.otherSources = [3, 4].map { ShortDigest(SHA256.digest(of: [$0])) }
    picture.isDrawn = true
    let turned = PictureExpectation(
      matrix: AffineMatrix(0.7071, 0.7071, -0.7071, 0.7071, 1, 2), pixelWidth: 1, pixelHeight: 1,
      digest: picture.digest, source: ShortDigest(SHA256.digest(of: [3])))
    var expected = VerificationExpectations(pages: [
      PageExpectation(
        width: 10, height: 20.5, pictures: [picture, picture.with(fingerprint: nil)],
        captions: [
          CaptionExpectation("two  lines\nof \\n ", left: 1, bottom: 2, width: 3, height: 4),
          CaptionExpectation("\u{301}עברית", left: 1e9, bottom: -2, width: 0, height: 0.00001),
        ],
        links: [
          LinkExpectation("http://a.b/%20 c", left: 1, bottom: 2, width: 3.5, height: 4),
          LinkExpectation("", left: 0, bottom: 0, width: 0, height: 0),
        ], printBoxes: [1, 2, 3, 4, 0, 0, 5.5, 6]),
      PageExpectation(width: 1, height: 1 / 3, pictures: [turned]),
    ])
    expected.pages[0].content = ShortDigest(SHA256.digest(of: [2]))
    expected.pages[1].tags = ShortDigest(SHA256.digest(of: [4]))
    #expect(try VerificationExpectations(text: expected.text) == expected)
    var whole = expected
    whole.document = DocumentExpectation()
    #expect(try VerificationExpectations(text: whole.text) == whole)
    whole.document?.info = [.init("Title", "two  words\nof \\n "), .init("A", "")]
    whole.document?.catalogue = [.init("OpenAction", "page 2, Fit")]
    whole.document?.metadata = picture.digest
    whole.document?.outline = [.init(depth: 0, page: 1, title: " a  b"), .init(depth: 1, page: 0, title: "")]
    #expect(try VerificationExpectations(text: whole.text) == whole)
  }

  /// A page that its picture fills takes one line, and no digest of what draws it: that is drawn anew to be
  /// compared.
  @Test(arguments: Orientation.allCases) func fullPagesTakeOneLine(orientation: Orientation) throws {
    let content = orientation == .upright ? "10 0 0 20.5 0 0 cm/P Do" : "10 0 0 20.5 0 0 cm /P Do"
    let digests = [content, "0 -20.5 10 0 0 20.5 cm/P Do"].map {
      ShortDigest(SHA256.digest(of: Array($0.utf8)))
    }
    let picture = PictureExpectation(
      matrix: AffineMatrix(orientation, left: 0, bottom: 0, width: 10, height: 20.5),
      pixelWidth: 3, pixelHeight: 4, digest: digests[0])
    func page(height: Double, _ content: ShortDigest?) -> PageExpectation {
      var page = PageExpectation(width: 10, height: height, pictures: [picture])
      page.content = content
      return page
    }
    let expected = VerificationExpectations(
      pages: (digests.map { $0 } + [nil]).map {
        page(height: 20.5, $0)
      } + [page(height: 20, digests[0])])
    let text = expected.text
    #expect(try VerificationExpectations(text: text) == expected)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("full ") }
    switch orientation {
    case .upright: #expect(lines == ["full 1 10 20.5 3 4 \(digests[0])"])
    case .rotated90: #expect(lines == ["full 6 10 20.5 3 4 \(digests[0])"])
    default: #expect(lines.isEmpty)
    }
  }

  /// A page in its picture's size at a number of pixels an inch of two decimals needs no size of its own.
  @Test(arguments: [
    (Orientation.upright, "300", 4_001, 2_999, 960.24, 719.76),
    (.rotated90, "96", 100, 640, 480, 75), (.flipped, "1200", 7, 65_000, 0.42, 3_900),
    (.upright, "7", 10, 31, 102.86, 318.86), (.upright, "96.5", 1_605, 1_203, 1197.51, 897.58),
    (.transversed, "299.72", 3_000, 4_000, 960.9, 720.67),
  ])
  func nativePagesTakeNoSize(
    orientation: Orientation, dpi: String, across: Int, down: Int, width: Double, height: Double
  ) throws {
    let full = FullPage(orientation, width: width, height: height)
    let picture = PictureExpectation(
      matrix: full.matrix, pixelWidth: across, pixelHeight: down, digest: ShortDigest(SHA256.digest(of: [1])),
      source: ShortDigest(SHA256.digest(of: [2])))
    var expected = VerificationExpectations(pages: [PageExpectation(width: width, height: height, pictures: [picture])])
    expected.pages[0].content = full.content
    #expect(
      expected.text.contains("\nnative \(orientation.rawValue) \(dpi) \(across) \(down) "),
      "\(expected.text)")
    #expect(try VerificationExpectations(text: expected.text) == expected)
  }

  /// Versions 2 to 6 were never in a release.
  @Test(arguments: [1, 6, 8]) func otherVersionsAreRefused(version: Int) {
    let lines = "imghost-expectations \(version)\npage 10 20\n"
    let text = lines + "end \(ShortDigest(SHA256.digest(of: Array(lines.utf8))))\n"
    #expect(throws: ExpectationsError.notExpectations) { try VerificationExpectations(text: text) }
  }

  @Test func changesAreNoticed() {
    let text = VerificationExpectations(pages: [PageExpectation(width: 100, height: 200, pictures: [])]).text
    for changed in [text.replacing("100", with: "101"), String(text.prefix(40)), text + "page 1 1\n"] {
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
    ("link 1 1 1 1 x", "line 2 of the expectations cannot be understood"),
    ("document 00", "line 2 of the expectations cannot be understood"),
    ("document\npage 1 1", "line 3 of the expectations cannot be understood"),
    ("document\noutline -1 1 x", "line 3 of the expectations cannot be understood"),
    ("document\nfont 00 x", "line 3 of the expectations cannot be understood"),
    ("info Title x", "line 2 of the expectations cannot be understood"),
    ("full 1 1 1 1 1", "line 2 of the expectations cannot be understood"),
    ("full 9 1 1 1 1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("full 1 1 x 1 1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("full 1 1 1 0 1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("full 1 1 1 1 1 00", "line 2 of the expectations cannot be understood"),
    ("native 1 0 1 1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("native 0 72 1 1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("native 1 72 1 -1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("native 1 72 1 1 1 0000000000000000", "line 2 of the expectations cannot be understood"),
    ("page 1 1\nsources 0011223344556677", "line 3 of the expectations cannot be understood"),
    ("page 1 1\ndrawn", "line 3 of the expectations cannot be understood"),
    ("tags 0011223344556677", "line 2 of the expectations cannot be understood"),
    ("page 1 1\ntags 00", "line 3 of the expectations cannot be understood"),
    ("wat", "line 2 of the expectations cannot be understood"),
  ]

  @Test(arguments: VerificationExpectationsTests.mistakes)
  func mistakesAreNamed(text: String, message: String) {
    let isList = message.hasPrefix("line")
    let error = #expect(throws: ExpectationsError.self) {
      try VerificationExpectations(text: isList ? "imghost-expectations 7\n" + text : text)
    }
    #expect(error?.description == message)
  }
}
