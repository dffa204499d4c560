import ImageCore
import RowCompression

/// A zlib stream (RFC 1950) made piece by piece in memory.
final class Deflater {
  private let stream: DeflateStream
  private let room = PooledBytes(capacity: Deflater.roomByteCount)
  private static let roomByteCount = 1 << 15
  private(set) var output: [UInt8] = []

  /// - Parameters:
  ///   - windowBits: how far back repetitions are found, as a power of two of bytes, 9 to 15; the memory is
  ///     four times that and, with `memoryLevel` 1 to 9, 512 bytes times two to the power of that.
  init(_ effort: DeflateStream.Effort, windowBits: Int = 15, memoryLevel: Int = 8) {
    stream = DeflateStream(effort, windowBits: windowBits, memoryLevel: memoryLevel)
  }

  func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  func add(_ bytes: UnsafeRawBufferPointer) { stream.add(bytes, nextRoom: nextRoom) }

  /// Ends the stream. Called once.
  func finish() {
    stream.finish(nextRoom: nextRoom)
    keep()
  }

  /// The whole of `bytes` as a zlib stream.
  static func compress(_ bytes: [UInt8], level: Int) -> [UInt8] {
    let deflater = Deflater(.level(level))
    deflater.add(bytes)
    deflater.finish()
    return deflater.output
  }

  private func nextRoom() -> UnsafeMutableRawBufferPointer {
    keep()
    return UnsafeMutableRawBufferPointer(start: room.base, count: Self.roomByteCount)
  }

  /// Adds what has been compressed to the output.
  private func keep() {
    output += UnsafeRawBufferPointer(start: room.base, count: stream.filledByteCount)
  }
}
