import ImageCodecs
import ImageCore
import PDFTestSupport
@testable import PDFVerify
import Testing

/// Pages that Rotate turns, and what pages inherit from the nodes above them: files of others, as imghost writes
/// neither.
@Suite struct TurnedPagesTests {
  static let rotations = [0, 90, 180, 270, 360, 450, -90, -180]

  @Test(arguments: TurnedPagesTests.rotations) func areCompared(rotation: Int) throws {
    let report = try Self.verify(Self.file("\(rotation)"))
    #expect(report.lines == [])
    #expect(report.comparisons() == Array(repeating: .equal, count: 4))
    let isOnItsSide = rotation % 180 != 0
    #expect(report.pages[0].width == (isOnItsSide ? 60 : 99))
    #expect(report.pages[0].height == (isOnItsSide ? 99 : 60))
  }

  /// Rendered as a whole; what is too small for that on its own.
  @Test(arguments: TurnedPagesTests.rotations) func areComparedAsAWhole(rotation: Int) throws {
    let report = try Self.verify(Self.file("\(rotation)")) { $0.nativePixels = 0 }
    for comparison in report.comparisons().prefix(2) {
      guard case .scaled(let decibels) = comparison else {
        Issue.record("\(comparison)")
        continue
      }
      #expect(decibels > 30)
    }
    #expect(report.comparisons().dropFirst(2) == [.equal, .equal])
    #expect(report.lines == [])
  }

  @Test func requirementsAreThoseOfTheShownPage() throws {
    let report = try Self.verify(Self.file("90")) {
      $0.requirements = Requirements(size: .init(width: 60, height: 99), texts: ["over"], leastResolution: 7)
    }
    #expect(report.lines == [])
    let lines = try Self.verify(Self.file("270")) {
      $0.requirements = Requirements(size: .init(width: 60, height: 90), leastResolution: 173)
    }.lines
    #expect(
      lines == [
        "1: error: the page is 99 x 60 points instead of 60 x 90",
        "1: error: picture 1 has 172.8 pixels per inch; at least 173 are wanted",
        "1: error: picture 2 has 172.8 pixels per inch; at least 173 are wanted",
        "1: error: picture 4 has 7.2 pixels per inch; at least 173 are wanted",
      ])
  }

  /// The page's own entry, what it inherits, and what is none.
  @Test func ownEntriesComeFirst() throws {
    for (page, width) in [("/Rotate 0", 99.0), ("/Rotate null", 60), ("/Rotate 180", 99)] {
      let report = try Self.verify(Self.file("90", page: page))
      #expect(report.lines == [])
      #expect(report.pages[0].width == width)
    }
  }

  @Test(arguments: [("45", "45"), ("90.5", "90.5"), ("(x)", "not a number")])
  func otherAnglesAreErrors(rotation: String, found: String) throws {
    let lines = try Self.verify(Self.file(rotation)).lines
    #expect(lines == ["1: error: the page's Rotate is \(found); it must be a multiple of 90"])
  }

  /// On the contact sheet a page stands as readers show it: here its left half is black.
  @Test(arguments: [(0, [true, false]), (90, [true, true]), (180, [false, true])])
  func contactSheetsShowThemTurned(rotation: Int, isBlack: [Bool]) throws {
    let content = "0 0 49.5 60 re f"
    let bytes = TestBook.file([
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 60]/Rotate \(rotation)/Resources<<>>/Contents 4 0 R>>",
      HandmadeFaultsTests.stream(content),
    ])
    let report = try Self.verify(bytes) { $0.drawsPages = true }
    var rows: [[UInt8]] = []
    _ = report.drawContactSheet(size: { _, _ in }) { rows.append(Array($0)) }
    // The page fills a square of 240 pixels behind a gap of 30 across; its upper edge is at 30.
    let row = rows[30 + 20]
    #expect([30 + 120 - 50, 30 + 120 + 50].map { row[$0 * 3] < 128 } == isBlack)
  }

  private static func verify(_ bytes: [UInt8], _ change: (inout Verifier) -> Void = { _ in }) throws
    -> VerificationReport
  {
    let folder = TestFolder()
    var verifier = Verifier { bytes throws(PictureError) in try JPEGCodec().makeDecoder(bytes) }
    change(&verifier)
    return verifier.verify(folder.write(bytes, as: "turned.pdf"))
  }

  /// A page of 99 by 60 points with a gray picture in three sizes, one of four pixels, and text.
  /// Everything that can be is inherited.
  private static func file(_ rotate: String, page: String = "") -> [UInt8] {
    let content =
      "q 40 0 0 30 5 9 cm /P Do Q q 0 20 -30 0 90 11 cm /P Do Q q .5 0 0 .5 1 1 cm /P Do Q "
      + "q 20 0 0 10 70 45 cm /Q Do Q BT /F 6 Tf 10 20 Td (over) Tj ET"
    var rows = ""
    for y in 0..<72 {
      for x in 0..<96 { rows.unicodeScalars.append(Unicode.Scalar(UInt8(40 + x / 2 + y / 3))) }
    }
    let picture = "<</Subtype/Image/ColorSpace/DeviceGray"
    return TestBook.file([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1/Rotate \(rotate)/MediaBox[100 200 199 260]"
        + "/Resources<</XObject<</P 6 0 R/Q 7 0 R>>/Font<</F 8 0 R>>>>>>",
      "<</Type/Pages/Parent 2 0 R/Kids[4 0 R]/Count 1/MediaBox[0 0 99 60]>>",
      "<</Type/Page/Parent 3 0 R/Contents 5 0 R\(page)>>", HandmadeFaultsTests.stream(content),
      picture + "/Width 96/Height 72/BitsPerComponent 8/Length 6912>>stream\n\(rows)\nendstream",
      picture + "/Width 2/Height 2/BitsPerComponent 8/Length 4>>stream\n A~0\nendstream",
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ])
  }
}
