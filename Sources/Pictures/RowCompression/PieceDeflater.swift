import CZlib
import ImageCore
import Synchronization

/// Compresses pieces of a deflate stream (RFC 1951) separately; wraps `deflate`. The result depends only on the piece
/// and its history. A deflater is used by one worker at a time.
final class PieceDeflater {
  /// A part of the uncompressed data, with the settings for its compression.
  struct Piece {
    let bytes: UnsafeRawBufferPointer
    /// The preceding bytes that matches may refer to, at most 32 KiB.
    let history: UnsafeRawBufferPointer
    let level: Int
    /// Whether to find only runs of one byte (`Z_RLE`).
    let findsRunsOnly: Bool
    let isLast: Bool
  }

  /// The stream is allocated once, because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>

  private init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // The stream has no header, because `RowCompressor` writes it once, before the first piece.
    let status = deflateInit2_(
      stream, Int32(RowCompressor.usualLevel), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib \(ZLIB_VERSION) cannot start: \(status)")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Returns a sufficient capacity for compressing `count` bytes: at least `deflateBound`, plus the end of a piece.
  static func roomByteCount(_ count: Int) -> Int { count + count >> 8 + 64 }

  /// The number of bytes that are passed to zlib at once, which take about a millisecond at zlib's highest level.
  /// Slicing does not change the result.
  private static let sliceByteCount = 2 << 10

  /// Compresses a piece to a part of the stream that ends at a byte boundary.
  ///
  /// - Parameters:
  ///   - room: the destination, at least `roomByteCount` bytes.
  ///   - allowPreemption: called between slices.
  /// - Returns: the number of bytes written.
  func compress(_ piece: Piece, into room: UnsafeMutableRawBufferPointer, allowPreemption: () -> Void) -> Int {
    let strategy = piece.findsRunsOnly ? Z_RLE : Z_DEFAULT_STRATEGY
    var status = deflateReset(stream)
    if status == Z_OK { status = deflateParams(stream, Int32(piece.level), strategy) }
    if status == Z_OK, !piece.findsRunsOnly, piece.level > 0, piece.history.count > 0 {
      status = deflateSetDictionary(
        stream, piece.history.baseAddress?.assumingMemoryBound(to: UInt8.self),
        UInt32(piece.history.count))
    }
    precondition(status == Z_OK, "zlib does not begin a piece: \(status)")
    // zlib declares the input as mutable but only reads it.
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: piece.bytes.baseAddress)?
      .assumingMemoryBound(to: UInt8.self)
    stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room.count)
    var left = piece.bytes.count
    // Level 0 only copies, which takes almost no time, and slicing would change its blocks.
    while piece.level > 0, left > Self.sliceByteCount, status == Z_OK {
      stream.pointee.avail_in = UInt32(Self.sliceByteCount)
      status = deflate(stream, Z_NO_FLUSH)
      left -= Self.sliceByteCount
      allowPreemption()
    }
    stream.pointee.avail_in = UInt32(left)
    status = deflate(stream, piece.isLast ? Z_FINISH : Z_SYNC_FLUSH)
    precondition(
      status == (piece.isLast ? Z_STREAM_END : Z_OK) && stream.pointee.avail_in == 0
        && stream.pointee.avail_out > 0, "a piece of \(piece.bytes.count) bytes has no room")
    return room.count - Int(stream.pointee.avail_out)
  }

  // MARK: - one for each worker

  /// The idle deflaters. `@unchecked Sendable`, because no thread uses a deflater while it is in the pool.
  private struct Idle: @unchecked Sendable {
    var deflaters: [PieceDeflater] = []
  }

  private static let idle = Mutex(Idle())

  /// Lends an idle or a new deflater to `body`. A deflater takes a quarter of a megabyte. There are never more of them
  /// than were in use at the same time.
  static func withOne<Result>(_ body: (PieceDeflater) -> Result) -> Result {
    let known = idle.withLock { $0.deflaters.popLast() }
    let deflater = known ?? PieceDeflater()
    defer { give(deflater) }
    return body(deflater)
  }

  private static func give(_ deflater: PieceDeflater) {
    // `nonisolated(unsafe)`, because the caller stops using the deflater here.
    nonisolated(unsafe) let deflater = deflater
    idle.withLock { $0.deflaters.append(deflater) }
  }
}
