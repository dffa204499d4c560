import CISAL
import ImageCore

/// The reason why `PNGRowReader` cannot continue.
enum PNGStreamFailure: Error {
  case file(FileError)
  /// Damage or a rare feature, which libspng has to read or report.
  case unusual
}

/// Inflates the filtered rows of a PNG's IDAT chunks on demand, with ISA-L. A stream is used by one worker at a time.
///
/// A stream accepts only undamaged files: the checksums of all chunks from the first IDAT chunk on and the checksum of
/// the compressed stream must be correct, and only well-known chunks may follow.
final class PNGStream {
  private let chunks: PNGChunks
  /// The private state of ISA-L, freed with this object. Its `next_in` points into the buffer of `chunks`, which stays
  /// unchanged until ISA-L has consumed it.
  private let state: UnsafeMutablePointer<inflate_state>

  /// - Parameter offset: the offset of the first IDAT chunk. The chunks before it were checked with the header.
  init(_ source: ByteSource, offset: Int) throws(PNGStreamFailure) {
    chunks = try PNGChunks(source, offset: offset)
    guard chunks.type == PNGChunks.idat else { throw .unusual }
    state = .allocate(capacity: 1)
    isal_inflate_init(state)
    state.pointee.crc_flag = UInt32(ISAL_ZLIB)
    state.pointee.avail_in = 0
  }

  deinit { state.deallocate() }

  /// Inflates the next `count` bytes, and writes nothing beyond them. Wraps `isal_inflate`.
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

  /// Checks the end of the compressed stream and all chunks after the pixels.
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

  /// Passes the next bytes of the IDAT chunks to ISA-L, which must have consumed all previous ones.
  private func feed() throws(PNGStreamFailure) {
    guard state.pointee.avail_in == 0, state.pointee.block_state != ISAL_BLOCK_FINISH else { throw .unusual }
    while chunks.left == 0 {
      try chunks.next()
      guard chunks.type == PNGChunks.idat else { throw .unusual }
    }
    let part = try chunks.take()
    state.pointee.next_in = part.baseAddress
    state.pointee.avail_in = UInt32(part.count)
  }
}
