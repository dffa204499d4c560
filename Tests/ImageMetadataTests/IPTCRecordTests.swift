import ImageCore
import TestSupport
import Testing

@testable import ImageMetadata

@Suite struct IPTCRecordTests {
  static func dataset(_ number: UInt8, _ text: String, record: UInt8 = 2) -> [UInt8] {
    let bytes = Array(text.utf8)
    return [0x1c, record, number, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  static let block =
    dataset(5, "Title") + dataset(25, "one") + dataset(25, "two") + dataset(80, "Me") + dataset(90, "Berlin")

  @Test func fieldsAreRead() throws {
    let record = try #require(IPTCRecord(Self.block + [0, 0]))
    #expect(
      record.fields == [
        "ObjectName": .text("Title"), "Keywords": .texts(["one", "two"]), "By-line": .texts(["Me"]),
        "City": .text("Berlin"),
      ])
    #expect(record.bytes == Self.block)
  }

  @Test func extendedDatasetsAreReadAndWritten() throws {
    let long = [UInt8](repeating: 65, count: 40_000)
    let block: [UInt8] = [0x1c, 2, 120, 0x80, 4, 0, 0, 0x9c, 0x40] + long
    let record = try #require(IPTCRecord(block))
    #expect(record.texts(120) == [String(repeating: "A", count: 40_000)])
    #expect(record.bytes == block)
  }

  @Test func latinTextsBecomeUTF8() throws {
    var record = try #require(IPTCRecord([0x1c, 2, 80, 0, 2, 0x4d, 0xfc] + Self.dataset(25, "x")))
    #expect(record.texts(80) == ["M\u{fc}"])
    record.set(116, to: ["\u{a9} M\u{fc}ller"])
    let again = try #require(IPTCRecord(record.bytes))
    #expect(again.texts(80) == ["M\u{fc}"] && again.texts(116) == ["\u{a9} M\u{fc}ller"])
    // 1:90 goes first, and says UTF-8.
    #expect(record.bytes.starts(with: [0x1c, 1, 90, 0, 3, 0x1b, 0x25, 0x47]))
  }

  @Test func textsAreCutAtWholeCharacters() throws {
    var record = IPTCRecord()
    record.set(80, to: [String(repeating: "\u{e4}", count: 20)])
    #expect(record.texts(80) == [String(repeating: "\u{e4}", count: 16)])
    record.set(80, to: ["x" + String(repeating: "\u{e4}", count: 20)])
    #expect(record.texts(80) == ["x" + String(repeating: "\u{e4}", count: 15)])
    for (number, limit) in [(90, 32), (105, 256), (110, 32)] as [(UInt8, Int)] {
      record.set(number, to: [String(repeating: "x", count: 300)])
      #expect(record.texts(number) == [String(repeating: "x", count: limit)])
    }
  }

  @Test func damagedBlocksAreRefused() {
    for end in 1..<Self.block.count where IPTCRecord(Array(Self.block[..<end])) != nil {
      // A block that ends with a dataset is whole.
      #expect(Self.block[end] == 0x1c)
    }
    #expect(IPTCRecord([0x1c, 2, 5, 0xff, 0xff, 0, 0]) == nil)
    #expect(IPTCRecord([0x1c, 2, 5, 0x80, 4, 0x7f, 0xff, 0xff, 0xff, 1]) == nil)
    #expect(IPTCRecord([UInt8](repeating: 0x1c, count: (1 << 20) + 1)) == nil)
    var random = SplitMix(21)
    for _ in 0..<5_000 {
      var broken = Self.block
      for _ in 0..<3 { broken[Int(random.next() % UInt64(broken.count))] = UInt8(truncatingIfNeeded: random.next()) }
      if let record = IPTCRecord(broken) { _ = (record.fields, record.bytes) }
      _ = PhotoshopResources.iptcBlock(broken)
    }
  }

  @Test func resourcesHoldTheBlock() {
    let other: [UInt8] = Array("8BIM".utf8) + [4, 12, 3, 65, 66, 67, 0, 0, 0, 3, 1, 2, 3, 0]
    #expect(PhotoshopResources.iptcBlock(other + PhotoshopResources.holding(Self.block)) == Self.block)
    #expect(PhotoshopResources.iptcBlock(other) == [])
    #expect(PhotoshopResources.iptcBlock(Array("8BIM".utf8) + [4, 4, 0, 0, 0xff, 0xff, 0xff, 0xff]) == nil)
  }
}
