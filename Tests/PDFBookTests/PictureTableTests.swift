import ImageCore
import TestSupport
import Testing

@testable import PDFBook

@Suite struct PictureTableTests {
  private static func identity(_ number: Int) -> SHA256Digest { SHA256.digest(of: Array("\(number)".utf8)) }

  /// Enough to split buckets many times.
  @Test(arguments: [0, 1, 127, 128, 20_000]) func everyPictureIsFound(_ count: Int) {
    var table = PictureTable()
    for number in 0..<count {
      #expect(table.object(of: Self.identity(number)) == nil)
      table.add(Self.identity(number), object: number + 3)
    }
    #expect(table.count == count)
    #expect((0..<count).allSatisfy { table.object(of: Self.identity($0)) == $0 + 3 })
    #expect((count..<count + 1_000).allSatisfy { table.object(of: Self.identity($0)) == nil })
  }

  /// Identities that share their first eight bytes are told apart by those after them.
  @Test func beginningsAreNotEnough() throws {
    var table = PictureTable()
    let digests = try (0..<3).map { last in
      try #require(
        SHA256Digest(bytes: ([UInt8](repeating: 7, count: 11) + [UInt8(last)] + [UInt8](repeating: 0, count: 20))[...]))
    }
    table.add(digests[0], object: 1)
    table.add(digests[1], object: 2)
    #expect(digests.map { table.object(of: $0) } == [1, 2, nil])
  }
}

/// Streams that are written at the end of a book.
@Suite struct WaitingBytesTests {
  @Test(arguments: isWhole ? [0, 1, 1 << 20, 5 << 20] : [0, 1, 1 << 20]) func nothingIsLost(_ count: Int) throws {
    let meant = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let waiting = WaitingBytes()
    for start in stride(from: 0, to: count, by: 300_001) {
      try waiting.append(Array(meant[start..<min(count, start + 300_001)]))
    }
    var read: [UInt8] = []
    try waiting.pass { (piece) throws(PDFError) in read += piece }
    #expect(read == meant && waiting.count == count)
    #expect(waiting.digest == SHA256.digest(of: meant))
  }
}
