import ImageCore
import Testing

/// Values that files state as a resolution, but that are invalid, are left out.
struct ResolutionTests {
  @Test(arguments: [0, -72, 1e9, .infinity, .nan] as [Double])
  func othersAreNone(_ number: Double) {
    #expect(Resolution(horizontal: number, vertical: 300) == nil)
    #expect(Resolution(horizontal: 300, vertical: number) == nil)
  }

  @Test(arguments: [1e-9, 72, 999_999_999] as [Double])
  func isKept(_ number: Double) throws {
    let resolution = try #require(Resolution(horizontal: number, vertical: 300))
    #expect(resolution.horizontal == number && resolution.vertical == 300)
  }
}
