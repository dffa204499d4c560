import CZlib
import ImageCore

/// Compresses a picture's filtered rows to a zlib stream (RFC 1950), for PNG's image data and PDF's streams.
///
/// A piece consists of as many whole rows as fit into 120 KiB, at least one. Each piece is compressed separately, with
/// the preceding bytes as a dictionary, on several workers if the `OperationContext` provides them. The stream depends
/// on the rows and the effort, but not on the workers. A compressor is used by one worker at a time.
package final class RowCompressor {
  /// The effort of the search for matches.
  package enum Effort: Sendable, Equatable {
    /// A compression level of zlib, 0 to 9.
    case level(Int)
    /// Chosen for each piece: level 4, or only runs of one byte if little else repeats, as in photographs. This takes a
    /// fifth of level 6's time, and the result is a tenth larger.
    case chosen
  }

  /// Receives the next bytes of a stream.
  package typealias Writer = (UnsafeRawBufferPointer) throws(PictureError) -> Void

  static let usualLevel = 4
  private static let pieceByteCount = 120 << 10
  private static let historyByteCount = 16 << 10
  /// The maximum number of bytes that several workers compress at once.
  private static let blockByteCount = 2 << 20

  private var filter: RowFilter
  private let effort: Effort
  private let context: OperationContext
  /// The maximum size of a piece in bytes.
  private let pieceSize: Int
  /// The filtered rows that were compressed last, followed by those that wait to be compressed.
  private let memory: PooledBytes
  /// The maximum number of bytes of filtered rows that are compressed at once.
  private let capacity: Int
  /// The number of bytes that wait to be compressed.
  private var count = 0
  private var isFirst = true
  /// The number of bytes before the waiting rows, which form the dictionary of the first piece.
  private var history = 0
  private var checksum = adler32(0, nil, 0)
  /// The last added row, unfiltered.
  private var above: PooledBytes?

  /// - Parameters:
  ///   - height: the number of rows.
  ///   - context: provides the workers.
  package init(_ filter: RowFilter, height: Int, effort: Effort = .chosen, context: OperationContext = .serial) {
    self.filter = filter
    self.effort = effort
    self.context = context
    let rowByteCount = filter.filteredByteCount
    pieceSize = Self.pieceRows(filter) * rowByteCount
    capacity = rowByteCount * Self.capacity(filter, height: height, parallelism: context.parallelism)
    memory = PooledBytes(capacity: Self.historyByteCount + capacity)
  }

  /// Continues the stream with the rows of another picture, such as the next pass of an interlaced one.
  ///
  /// The ends of pieces then depend on the size of the memory, and thus on the number of workers, so there must be only
  /// one worker.
  ///
  /// - Parameter filter: a filter for rows that are not longer than those of the first picture.
  package func begin(_ filter: RowFilter) {
    precondition(context.parallelism == 1 && filter.filteredByteCount <= capacity)
    self.filter = filter
    above = nil
  }

  private static func pieceRows(_ filter: RowFilter) -> Int {
    max(1, pieceByteCount / filter.filteredByteCount)
  }

  /// Returns the number of rows to compress at once: those of one piece, or of several pieces for each worker.
  private static func capacity(_ filter: RowFilter, height: Int, parallelism: Int) -> Int {
    let rows = pieceRows(filter)
    let most = parallelism > 1 ? blockByteCount / (rows * filter.filteredByteCount) : 1
    return max(1, min(height, rows * max(1, min(4 * parallelism, most))))
  }

  /// Returns the memory of a compressor in bytes, for waiting rows and their compressed parts.
  package static func byteCount(_ filter: RowFilter, height: Int, parallelism: Int) -> Int {
    let rows = capacity(filter, height: height, parallelism: parallelism)
    return historyByteCount + 2 * rows * filter.filteredByteCount + filter.bands.rowByteCount
  }

  /// Adds the next rows.
  ///
  /// - Parameters:
  ///   - rows: `count` rows, `stride` bytes apart, with all bands of their pixels.
  ///   - write: receives the next bytes of the stream; called in order.
  /// - Throws: errors of `write`, and `.cancelled`.
  package func add(_ count: Int, from rows: UnsafeRawPointer, stride: Int, write: Writer) throws(PictureError) {
    let size = filter.filteredByteCount
    var row = 0
    while row < count {
      // A full block is compressed only when another row follows, because `finish` compresses the last block.
      if self.count + size > capacity { try compress(isLast: false, write) }
      let part = min((capacity - self.count) / size, count - row)
      filter(part, from: rows + row * stride, stride: stride, isTop: row == 0)
      self.count += part * size
      row += part
    }
    guard count > 0 else { return }
    let last = above ?? PooledBytes(capacity: filter.bands.rowByteCount)
    last.base.copyMemory(
      from: rows + (count - 1) * stride, byteCount: filter.bands.rowByteCount)
    above = last
  }

  /// Ends the stream. Must be called exactly once.
  ///
  /// - Throws: errors of `write`, and `.cancelled`.
  package func finish(write: Writer) throws(PictureError) {
    try compress(isLast: true, write)
    let sum = UInt32(truncatingIfNeeded: checksum).bigEndian
    try withBytes(of: sum, write)
  }

  private var waiting: UnsafeMutableRawPointer { memory.base + Self.historyByteCount }

  private func filter(_ count: Int, from rows: UnsafeRawPointer, stride: Int, isTop: Bool) {
    let size = context.parallelism > 1 ? max(8, (count + context.parallelism - 1) / context.parallelism) : count
    let byteCount = filter.filteredByteCount
    // `nonisolated(unsafe)`, because workers write disjoint rows, and all of them have returned before this function
    // continues.
    nonisolated(unsafe) let (rows, first) = (rows, isTop ? above.map { UnsafeRawPointer($0.base) } : rows - stride)
    nonisolated(unsafe) let output = (waiting + self.count).assumingMemoryBound(
      to: UInt8.self)
    context.parallelFor((count + size - 1) / size) { [filter] index in
      let start = index * size
      filter.filter(
        min(size, count - start), from: rows + start * stride, stride: stride,
        above: start == 0 ? first : rows + (start - 1) * stride, into: output + start * byteCount)
    }
  }

  // MARK: - pieces

  /// A piece's part of the stream.
  private struct Part {
    let memory: PooledBytes
    let count: Int
    let checksum: UInt
    let sourceByteCount: Int
  }

  private func compress(isLast: Bool, _ write: Writer) throws(PictureError) {
    let byteCount = count
    for part in try parts(byteCount, isLast: isLast) {
      checksum = adler32_combine(checksum, part.checksum, part.sourceByteCount)
      if isFirst {
        isFirst = false
        // The window is 32 KiB for any effort; the two bytes are a multiple of 31.
        try withBytes(of: UInt16(0x7801).bigEndian, write)
      }
      try write(UnsafeRawBufferPointer(start: part.memory.base, count: part.count))
    }
    let kept = min(Self.historyByteCount, history + byteCount)
    (waiting - kept).copyMemory(from: waiting + byteCount - kept, byteCount: kept)
    history = kept
    count = 0
  }

  private func parts(_ byteCount: Int, isLast: Bool) throws(PictureError) -> [Part] {
    let size = pieceSize
    let pieceCount = max(1, (byteCount + size - 1) / size)
    var parts = [Part?](repeating: nil, count: pieceCount)
    parts.withUnsafeMutableBufferPointer { parts in
      // `nonisolated(unsafe)`, because each part is written by one worker, and all of them have returned before the
      // parts are read.
      nonisolated(unsafe) let (parts, base) = (parts, UnsafeRawPointer(waiting))
      context.parallelFor(pieceCount) { [context, effort, history] index in
        guard !context.isCancelled else { return }
        let start = index * size
        let kept = min(Self.historyByteCount, history + start)
        parts[index] = Self.part(
          UnsafeRawBufferPointer(start: base + start, count: min(size, byteCount - start)),
          history: UnsafeRawBufferPointer(start: base + start - kept, count: kept),
          effort, isLast: isLast && index == pieceCount - 1, context)
      }
    }
    let made = parts.compactMap { $0 }
    guard made.count == pieceCount else { throw .cancelled }
    return made
  }

  private static func part(
    _ bytes: UnsafeRawBufferPointer, history: UnsafeRawBufferPointer, _ effort: Effort, isLast: Bool,
    _ context: OperationContext
  ) -> Part {
    var (level, findsRunsOnly) = (usualLevel, false)
    switch effort {
    case .level(let wanted): level = wanted
    case .chosen: findsRunsOnly = isNoisy(bytes)
    }
    let memory = PooledBytes(capacity: PieceDeflater.roomByteCount(bytes.count))
    let room = UnsafeMutableRawBufferPointer(start: memory.base, count: memory.capacity)
    let count = PieceDeflater.withOne { deflater in
      deflater.compress(
        PieceDeflater.Piece(bytes: bytes, history: history, level: level, findsRunsOnly: findsRunsOnly, isLast: isLast),
        into: room, allowPreemption: context.allowPreemption)
    }
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return Part(memory: memory, count: count, checksum: adler32_z(1, start, bytes.count), sourceByteCount: bytes.count)
  }

  /// Returns whether at least three of ten filtered bytes are nonzero. Text and flat colours have few nonzero bytes.
  private static func isNoisy(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    let words = bytes.count / 8
    var count = 0
    var word = 0
    while word < words {
      // `counts` contains eight counts of at most 255 each.
      let end = min(word &+ 255, words)
      var counts: UInt64 = 0
      while word < end {
        let some = base.loadUnaligned(fromByteOffset: 8 &* word, as: UInt64.self)
        // Sets the highest bit of each byte in which any bit is set.
        let marked = ((some & Self.low7) &+ Self.low7) | some
        counts &+= (marked &>> 7) & Self.ones
        word &+= 1
      }
      // Adds pairs to 16-bit sums, then adds all sums in the highest 16 bits.
      let pairs = (counts & 0x00ff_00ff_00ff_00ff) &+ ((counts &>> 8) & 0x00ff_00ff_00ff_00ff)
      count &+= Int((pairs &* 0x0001_0001_0001_0001) &>> 48)
    }
    for index in 8 * words..<bytes.count where bytes[index] != 0 { count += 1 }
    return 10 * count >= 3 * bytes.count
  }

  private static let low7: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
  private static let ones: UInt64 = 0x0101_0101_0101_0101
}

/// Calls `body` with the bytes of a number as they are stored in memory.
private func withBytes<Number: FixedWidthInteger>(
  of number: Number, _ body: RowCompressor.Writer
) throws(PictureError) {
  try withUnsafeBytes(of: number) { (bytes) throws(PictureError) in try body(bytes) }
}
