import Foundation
import ImageCodecs
import ImageCore
import Testing

/// Pictures that go wrong, and pictures that must go right, where the corpus is at hand.
@Suite(.enabled(if: Corpus.folder != nil, "no shared/corpus above the checkout"))
struct CorpusTests {
  static let suite = Corpus.files("pngsuite").filter { $0.hasSuffix(".png") }
  static func isBroken(_ path: String) -> Bool { path.contains("/pngsuite/x") }

  @Test func everyLegalPNGDecodesAsLibpngDoes() throws {
    let files = Self.suite.filter { !Self.isBroken($0) }
    #expect(files.count > 150)
    for path in files {
      let expected = try #require(reference(readBytes(path)), "\(path)")
      #expect(try decode(path) == expected, "\(path)")
    }
  }

  @Test func everyBrokenPNGIsRefused() throws {
    let files = Self.suite.filter(Self.isBroken)
    #expect(files.count >= 14)
    for path in files { #expect(throws: PictureError.self, "\(path)") { try decode(path) } }
  }

  /// Each file decodes or throws, and soon: no crash, no hang.
  @Test(arguments: ["jpeg", "png", "gif", "tiff", "webp", "bmp"])
  func fuzzedFilesEndWell(_ format: String) throws {
    for path in Corpus.files("fuzz/" + format) {
      for acceptsDamage in [false, true] {
        let start = ContinuousClock.now
        _ = try? decode(path, DecodeOptions(acceptsDamage: acceptsDamage))
        #expect(ContinuousClock.now - start < .seconds(60), "\(path)")
      }
    }
  }

  @Test(arguments: ["Landscape", "Portrait"])
  func orientationsAreRead(_ name: String) throws {
    let folder = try #require(Corpus.folder)
    for value in 0...8 {
      let file = try InputFile(path: "\(folder)/orientation/\(name)_\(value).jpg")
      let header = try CodecList.recognise(file).readHeader(file)
      let expected = Orientation(rawValue: value) ?? .upright
      #expect(header.metadata.orientation == expected, "\(name)_\(value)")
    }
  }
}
