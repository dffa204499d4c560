import CZlib

/// Decompresses a zlib stream (RFC 1950) piece by piece; wraps `inflate`.
///
/// The compressed bytes must outlive it.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var isReady: Bool
  private(set) var isFinished = false

  init(_ bytes: UnsafeRawBufferPointer) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Streams over 4 GB do not fit into zlib's counters; no picture by imghost is that large.
    isReady =
      bytes.count <= Int(UInt32.max)
      && inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(truncatingIfNeeded: bytes.count)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Fills a buffer; returns the number of bytes, which is smaller at the end of the stream, or nil if the stream is
  /// damaged.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    guard isReady else { return nil }
    stream.pointee.next_out = buffer.baseAddress
    stream.pointee.avail_out = UInt32(buffer.count)
    while stream.pointee.avail_out > 0, !isFinished {
      let status = inflate(stream, Z_NO_FLUSH)
      if status == Z_STREAM_END {
        isFinished = true
      } else if status != Z_OK {
        isReady = false
        return nil
      }
    }
    return buffer.count - Int(stream.pointee.avail_out)
  }

  /// Returns whether a stream that is valid up to `limit` bytes has more.
  static func exceeds(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    let inflater = Inflater(bytes)
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var total = 0
    while !inflater.isFinished, total <= limit {
      guard let count = chunk.withUnsafeMutableBufferPointer({ inflater.read(into: $0) }),
        count > 0
      else { return false }
      total += count
    }
    return total > limit
  }

  /// Decompresses a whole stream of at most `limit` bytes; nil if it is damaged or longer.
  static func inflateAll(_ bytes: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
    let inflater = Inflater(bytes)
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while !inflater.isFinished {
      guard let count = chunk.withUnsafeMutableBufferPointer({ inflater.read(into: $0) }), result.count + count <= limit
      else { return nil }
      result += chunk[..<count]
    }
    return result
  }
}
