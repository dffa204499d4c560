import CISAL
import ImageCore

/// Why rows cannot be had the fast way.
enum PNGStreamFailure: Error {
  case file(FileError)
  /// Damage, or something rare: libspng is to say which, and to read it if it can.
  case unusual
}

/// The filtered rows of a PNG's IDAT chunks, inflated by ISA-L as they are asked for; belongs to one worker
/// at a time.
///
/// It gives only what is beyond doubt: the checksums of all chunks from the first IDAT on and of the
/// compressed stream are right, and nothing but well-known chunks follows.
final class PNGStream {
  private let chunks: PNGChunks
  /// Freed with this object and never handed out. Its `next_in` points into the buffer of `chunks`, which
  /// stays as it is until `next_in` is moved on.
  private let state: UnsafeMutablePointer<inflate_state>

  /// - Parameter offset: where the first IDAT chunk begins. Chunks before it have been checked by whoever
  ///   read the header.
  init(_ source: ByteSource, offset: Int) throws(PNGStreamFailure) {
    chunks = try PNGChunks(source, offset: offset)
    guard chunks.type == PNGChunks.idat else { throw .unusual }
    state = .allocate(capacity: 1)
    isal_inflate_init(state)
    state.pointee.crc_flag = UInt32(ISAL_ZLIB)
    state.pointee.avail_in = 0
  }

  deinit { state.deallocate() }

  /// Inflates the next `count` bytes; wraps `isal_inflate`. Writes nothing beyond them.
  func read(_ count: Int, into bytes: UnsafeMutablePointer<UInt8>) throws(PNGStreamFailure) {
    precondition(count <= Int(UInt32.max), "a row is far shorter than that")
    state.pointee.next_out = bytes
    state.pointee.avail_out = UInt32(count)
    while true {
      guard isal_inflate(state) == ISAL_DECOMP_OK else { throw .unusual }
      if state.pointee.avail_out == 0 { return }
      try feed()
    }
  }

  /// Checks what follows the pixels: the end of the compressed stream, and chunks up to the last.
  func finish() throws(PNGStreamFailure) {
    var spare: UInt64 = 0
    try withUnsafeMutableBytes(of: &spare) { spare throws(PNGStreamFailure) in
      state.pointee.next_out = spare.baseAddress?.assumingMemoryBound(to: UInt8.self)
      state.pointee.avail_out = UInt32(spare.count)
      while state.pointee.block_state != ISAL_BLOCK_FINISH {
        guard isal_inflate(state) == ISAL_DECOMP_OK, state.pointee.avail_out == spare.count else {
          throw .unusual
        }
        if state.pointee.block_state != ISAL_BLOCK_FINISH { try feed() }
      }
    }
    try chunks.skipToEnd()
  }

  /// Hands ISA-L more of the IDAT chunks, of which it has used all it was given.
  private func feed() throws(PNGStreamFailure) {
    guard state.pointee.avail_in == 0, state.pointee.block_state != ISAL_BLOCK_FINISH else {
      throw .unusual
    }
    while chunks.left == 0 {
      try chunks.next()
      guard chunks.type == PNGChunks.idat else { throw .unusual }
    }
    let part = try chunks.take()
    state.pointee.next_in = part.baseAddress
    state.pointee.avail_in = UInt32(part.count)
  }
}
