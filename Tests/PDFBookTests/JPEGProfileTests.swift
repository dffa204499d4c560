import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook

@Suite struct JPEGProfileTests {
  private func segment(_ number: UInt8, of count: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let body = Array("ICC_PROFILE\0".utf8) + [number, count] + bytes
    return [0xff, 0xe2, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 0xff)] + body
  }

  @Test(
    arguments: [
      ([1, 2, 3], true), ([3, 1, 2], true), ([1, 3], false), ([], false),
    ] as [([UInt8], Bool)])
  func partsAreJoinedInOrder(parts: [UInt8], isWhole: Bool) throws {
    let folder = TestFolder()
    var jpeg = TestPicture(1, components: 4).jpeg()
    let segments = parts.flatMap {
      segment($0, of: 3, [UInt8](repeating: $0, count: Int($0) * 100))
    }
    jpeg.insert(contentsOf: segments, at: 2)
    let file = try InputFile(path: folder.write(jpeg, as: "cmyk.jpg"))
    let profile = JPEGProfile.read(file)
    #expect(
      profile == (isWhole ? (1...3).flatMap { [UInt8](repeating: $0, count: Int($0) * 100) } : []))
  }

  @Test func cutFilesHaveNone() throws {
    let folder = TestFolder()
    let jpeg = [0xff, 0xd8] + segment(1, of: 1, [1, 2, 3]).prefix(12)
    #expect(JPEGProfile.read(try InputFile(path: folder.write(Array(jpeg), as: "cut.jpg"))) == [])
  }
}
