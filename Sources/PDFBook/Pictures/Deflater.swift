import CZlib

/// A zlib stream (RFC 1950) made piece by piece in memory; wraps `deflate`.
final class Deflater {
  private var stream: UnsafeMutablePointer<z_stream>
  private(set) var output: [UInt8] = []

  /// Wraps `deflateInit2`.
  ///
  /// - Parameters:
  ///   - windowBits: how far back repetitions are found, as a power of two of bytes, 9 to 15; the memory is
  ///     four times that and, with `memoryLevel` 1 to 9, 512 bytes times two to the power of that.
  init(level: Int, windowBits: Int = 15, memoryLevel: Int = 8) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, Int32(windowBits), Int32(memoryLevel), Z_DEFAULT_STRATEGY,
      ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib \(ZLIB_VERSION) cannot start: \(status)")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func add(_ bytes: [UInt8]) { run(bytes, flush: Z_NO_FLUSH) }

  /// Ends the stream. Called once.
  func finish() { run([], flush: Z_FINISH) }

  /// The whole of `bytes` as a zlib stream.
  static func compress(_ bytes: [UInt8], level: Int) -> [UInt8] {
    let deflater = Deflater(level: level)
    deflater.add(bytes)
    deflater.finish()
    return deflater.output
  }

  private func run(_ bytes: [UInt8], flush: Int32) {
    var bytes = bytes
    bytes.withUnsafeMutableBufferPointer { input in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32_768) { chunk in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(input.count)
        repeat {
          stream.pointee.next_out = chunk.baseAddress
          stream.pointee.avail_out = UInt32(chunk.count)
          deflate(stream, flush)
          let filled = chunk.count - Int(stream.pointee.avail_out)
          output.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<filled]))
        } while stream.pointee.avail_out == 0
        stream.pointee.next_in = nil
      }
    }
  }
}
