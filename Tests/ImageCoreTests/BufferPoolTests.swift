import ImageCore
import TestSupport
import Testing

/// The pool belongs to the process, and other tests use it at the same time. So the tests only check properties that
/// hold in spite of this.
@Suite struct BufferPoolTests {
  @Test(arguments: [1, 16_384, 16_385, 20_480, 20_481, 65_536, 100_000, 1 << 20, (1 << 20) + 1])
  func blocksHoldWhatWasAskedFor(byteCount: Int) {
    let block = PooledBytes(capacity: byteCount)
    #expect(block.capacity >= byteCount)
    // A quarter at most is added by the size, a half by a larger block that lay there.
    #expect(block.capacity <= max(16_384, byteCount + byteCount / 4) * 3 / 2 + 4_096)
    #expect(Int(bitPattern: block.base) % 64 == 0)
    for offset in [0, byteCount - 1] { block.base.storeBytes(of: 7, toByteOffset: offset, as: UInt8.self) }
  }

  @Test func blocksInUseAreDistinct() {
    let blocks = (0..<50).map { PooledBytes(capacity: 20_000 + $0 * 7_000) }
    let ranges = blocks.map { Int(bitPattern: $0.base)..<Int(bitPattern: $0.base) + $0.capacity }
      .sorted { $0.lowerBound < $1.lowerBound }
    for (one, other) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound <= other.lowerBound) }
  }

  /// A size no other test uses.
  @Test(.enabled(if: BufferPool.isInUse)) func blocksAreUsedAgain() {
    let size = 61 << 20
    var first: PooledBytes? = PooledBytes(capacity: size)
    let address = first!.base
    first = nil
    let second = PooledBytes(capacity: size)
    #expect(second.base == address)
  }

  @Test func noMoreIsKeptThanWasEverInUse() {
    var most = 0
    for round in 0..<40 {
      let blocks = (0..<8).map { PooledBytes(capacity: (round + $0 + 1) * 300_000) }
      most = max(most, BufferPool.byteCounts.used)
      withExtendedLifetime(blocks) {}
    }
    // Other tests raise the limit by what they use at the same time, which is far below a gigabyte.
    #expect(BufferPool.byteCounts.kept <= max(most, 4 << 20) + 1 << 30)
  }

  @Test(.thorough) func manyThreadsShareThePool() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          var isIntact = true
          for round in 0..<200 {
            let count = 16_384 + (task * 37 + round * 101) % 50 * 4_096
            let block = PooledBytes(capacity: count)
            let mark = UInt8(truncatingIfNeeded: task * 31 + round)
            block.base.initializeMemory(as: UInt8.self, repeating: mark, count: count)
            let bytes = UnsafeRawBufferPointer(start: block.base, count: count)
            isIntact = isIntact && bytes.allSatisfy { $0 == mark }
          }
          return isIntact
        }
      }
      for await isIntact in group { #expect(isIntact) }
    }
  }

  @Test func sinksGrow() throws {
    let sink = PooledSink(reserving: 10)
    var expected: [UInt8] = []
    for piece in 0..<200 {
      let bytes = (0..<997).map { UInt8(truncatingIfNeeded: $0 * 3 + piece) }
      expected += bytes
      try bytes.withUnsafeBufferPointer { (bytes) throws(PictureError) in
        try sink.write(UnsafeRawBufferPointer(bytes))
      }
    }
    #expect(sink.bytes.count == expected.count)
    #expect(sink.bytes.withUnsafeBytes { Array($0) } == expected)
  }
}
