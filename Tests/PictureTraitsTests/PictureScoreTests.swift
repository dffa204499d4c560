import PictureTraits
import Testing

@Suite("The score of a picture")
struct PictureScoreTests {
  static func score(_ sharpness: Double, _ exposure: Double, _ contrast: Double) -> Double {
    PictureTraits(sharpness: sharpness, exposure: exposure, contrast: contrast, attention: .even).score
  }

  @Test("goes from 0 to 1")
  func ends() {
    #expect(Self.score(1, 1, 1) == 1)
    #expect(Self.score(0, 0, 0) == 0)
    #expect(Self.score(2, 3, 4) == 1, "values outside count as the nearest inside")
    #expect(Self.score(-1, 1, 1) == 0)
  }

  @Test("one bad property is not hidden by two good ones")
  func product() {
    let middling = Self.score(0.5, 0.5, 0.5)
    #expect(abs(middling - 0.5) < 1e-12)
    #expect(Self.score(0.05, 1, 1) < middling)
    #expect(Self.score(1, 0.05, 1) < middling)
  }

  @Test("sharpness counts most, then exposure")
  func weights() {
    #expect(Self.score(0.5, 1, 1) < Self.score(1, 0.5, 1))
    #expect(Self.score(1, 0.5, 1) < Self.score(1, 1, 0.5))
  }
}
