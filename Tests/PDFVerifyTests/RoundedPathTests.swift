import BookExpectations
import Testing

@testable import PDFVerify

/// Clips with round corners, as the verifier reads them.
struct RoundedPathTests {
  private func drawing(_ clip: String) -> PictureDraw? {
    var reader = ContentReader(page: PageBox(left: 0, bottom: 0, right: 100, top: 100))
    Array("q \(clip) W n 80 0 0 80 0 0 cm/P Do Q".utf8).withUnsafeBytes { reader.read($0) }
    return reader.draws.first
  }

  @Test func roundCornersAreKnown() throws {
    let draw = try #require(
      drawing("14 10 m 46 10 l 48 10 50 12 50 14 c 50 26 l 50 28 48 30 46 30 c 10 30 l 10 14 l 10 12 12 10 14 10 c h"))
    #expect(!draw.isClippedOddly)
    #expect(draw.clip == PageBox(left: 10, bottom: 10, right: 50, top: 30))
    #expect(draw.corners.count == 3)
    #expect(draw.corners.first == PageBox(left: 46, bottom: 10, right: 50, top: 14))
  }

  /// A path that hides more than its corners is not taken for one.
  @Test(arguments: [
    "10 10 m 50 10 l 10 50 l h",
    "14 10 m 46 10 l 48 10 50 12 50 14 c 40 26 l 50 30 l 10 30 l 10 10 l h",
    "14 10 m 46 10 l 48 10 50 12 50 14 c 50 30 l 10 30 l 10 10 l",
    "14 10 m 46 10 l 48 10 50 12 50 14 c 50 30 l 10 30 l 10 10 l h 0 0 5 5 re",
    "14 10 m 46 10 l 48 10 50 12 50 14 c 50 30 l h 10 30 l 10 10 l h",
  ]) func otherPathsAreOdd(path: String) throws {
    #expect(try #require(drawing(path)).isClippedOddly)
  }
}
