import ImageCore
import Testing

@testable import ImagePipeline

/// A gray profile does not describe the colours that an operation adds.
@Test func promotionDropsGrayProfiles() {
  let gray = PictureLayout(width: 3, height: 2, format: .gray8)
  let rgb = gray.with(format: .rgb8)
  func profile(_ space: String, _ result: PictureLayout, of input: PictureLayout) -> Bool {
    let bytes = [UInt8](repeating: 0, count: 16) + Array(space.utf8)
    let metadata = PictureMetadata(orientation: .mirrored, iccProfile: bytes)
    let found = metadata.describing(result, madeOf: input)
    #expect(found.orientation == .mirrored)
    #expect(found.iccProfile == bytes || found.iccProfile == [])
    return found.iccProfile == bytes
  }
  #expect(!profile("GRAY", rgb, of: gray))
  #expect(profile("GRAY", gray, of: gray))
  #expect(profile("RGB ", rgb, of: rgb))
  #expect(profile("RGB ", rgb, of: gray))
}
