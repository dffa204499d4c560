import CZlib

/// Compresses bytes piece by piece into a zlib stream (RFC 1950) in memory; wraps `deflate`.
final class Deflater {
  /// The stream is on the heap, because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var room = [UInt8](repeating: 0, count: 1 << 15)
  private(set) var output: [UInt8] = []

  /// - Parameters:
  ///   - level: 0 to 9.
  ///   - windowBits: the window size in bytes as a power of two, 9 to 15. The memory is four times the window, plus 512
  ///     bytes times two to the power of `memoryLevel`, 1 to 9.
  init(level: Int, windowBits: Int = 15, memoryLevel: Int = 8) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, Int32(windowBits), Int32(memoryLevel), Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib \(ZLIB_VERSION) cannot start: \(status)")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func add(_ bytes: [UInt8]) { deflate(bytes, Z_NO_FLUSH) }

  /// Returns the compressed bytes since the last call.
  func takeOutput() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  /// Ends the stream. Called once.
  func finish() { deflate([], Z_FINISH) }

  /// Returns `bytes` as a zlib stream.
  static func compress(_ bytes: [UInt8], level: Int) -> [UInt8] {
    let deflater = Deflater(level: level)
    deflater.add(bytes)
    deflater.finish()
    return deflater.output
  }

  private func deflate(_ bytes: [UInt8], _ flush: Int32) {
    bytes.withUnsafeBufferPointer { bytes in
      room.withUnsafeMutableBufferPointer { room in
        // zlib declares it mutable, but only reads it.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        // zlib has consumed all input when it does not fill the buffer.
        repeat {
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(room.count)
          CZlib.deflate(stream, flush)
          output += room[..<(room.count - Int(stream.pointee.avail_out))]
        } while stream.pointee.avail_out == 0
      }
    }
  }
}
