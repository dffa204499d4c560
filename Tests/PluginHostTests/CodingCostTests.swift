import ImageCodecs
import ImageCore
import Testing

@testable import PluginCodecs

/// The costs of formats. Shards divide a script by them, so that a change makes earlier shards useless.
@Suite struct CodingCostTests {
  static let formats: [(name: String, decoding: Int, encoding: Int)] = [
    ("jpeg", 3, 6), ("png", 10, 30), ("bmp", 4, 6), ("pnm", 4, 6), ("pam", 10, 30), ("qoi", 4, 30), ("ico", 10, 30),
    ("tiff", 4, 6), ("webp", 10, 90), ("gif", 10, 30), ("avif", 20, 300), ("heif", 20, 30), ("jpegxl", 20, 120),
    ("jpeg2000", 40, 120), ("pdf", 40, 30), ("svg", 40, 30), ("raw", 80, 30),
  ]

  @Test(arguments: formats) func cost(of format: (name: String, decoding: Int, encoding: Int)) throws {
    let own = CodecList.codec(named: format.name)?.cost
    let cost = try #require(own ?? ShippedCodec.named(format.name)?.cost)
    #expect(cost.stored + cost.decoded == format.decoding && cost.encoded == format.encoding, "\(cost)")
  }

  @Test func onlyJPEGTakesLessTimeForSmallPictures() {
    let formats = CodecList.all.filter { $0.cost.decoded > 0 }.map(\.name)
    #expect(formats == ["jpeg"] && ShippedCodec.all.allSatisfy { $0.cost.decoded == 0 })
  }
}
