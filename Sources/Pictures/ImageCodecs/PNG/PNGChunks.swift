import CISAL
import ImageCore

/// Reads a PNG's chunks in order, starting at an offset, and checks their checksums. It is used by one worker at a
/// time.
final class PNGChunks {
  private let source: ByteSource
  /// The offset of the next bytes to read from the file.
  private var offset: Int
  /// A part of the file, its length, and the number of consumed bytes.
  private let buffer = PooledBytes(capacity: 65_536)
  private var filled = 0
  private var used = 0
  /// The checksum of the current chunk's type and of its data so far.
  private var checksum: UInt32 = 0
  /// The current chunk's type, big-endian.
  private(set) var type: UInt32 = 0
  /// The number of data bytes left in the current chunk.
  private(set) var left = 0

  static let idat = PNGChunkFilter.code("IDAT")
  private static let iend = PNGChunkFilter.code("IEND")
  /// The types of chunks that may follow the pixels. They are skipped unless their total size exceeds `trailingLimit`.
  private static let trailing = (["tEXt", "zTXt", "iTXt", "tIME", "eXIf"] as [StaticString]).map(PNGChunkFilter.code)
  private static let trailingLimit = 65_536

  /// Reads the header of the chunk at `offset`.
  init(_ source: ByteSource, offset: Int) throws(PNGStreamFailure) {
    self.source = source
    self.offset = offset
    try begin()
  }

  /// Returns the next bytes of the current chunk's data, at least one if any are left. They are valid until `take` or
  /// `next` is called again.
  func take() throws(PNGStreamFailure) -> UnsafeMutableBufferPointer<UInt8> {
    if used == filled {
      (filled, used) = (0, 0)
      try fill()
    }
    let count = min(left, filled - used)
    let start = (buffer.base + used).assumingMemoryBound(to: UInt8.self)
    checksum = crc32_gzip_refl(checksum, start, UInt64(count))
    used += count
    left -= count
    return UnsafeMutableBufferPointer(start: start, count: count)
  }

  /// Skips the rest of the current chunk, checks its checksum, and starts the next one.
  func next() throws(PNGStreamFailure) {
    try end()
    try begin()
  }

  /// Checks all chunks up to the end chunk, and ignores further IDAT chunks.
  func skipToEnd() throws(PNGStreamFailure) {
    var room = Self.trailingLimit
    var areIDAT = true
    while true {
      try next()
      if type == Self.iend {
        guard left == 0 else { throw .unusual }
        return try end()
      }
      areIDAT = areIDAT && type == Self.idat
      guard !areIDAT else { continue }
      room -= 64 + left
      guard Self.trailing.contains(type), room >= 0 else { throw .unusual }
    }
  }

  /// Reads a chunk's length and type.
  private func begin() throws(PNGStreamFailure) {
    try keep(8)
    left = Int(word(at: used))
    type = word(at: used + 4)
    // PNG, 5.3: a length is at most 2^31 - 1.
    guard left <= 0x7fff_ffff else { throw .unusual }
    let start = (buffer.base + used + 4).assumingMemoryBound(to: UInt8.self)
    checksum = crc32_gzip_refl(0, start, 4)
    used += 8
  }

  /// Ends the current chunk: compares its checksum with the one that is stored after the data.
  private func end() throws(PNGStreamFailure) {
    while left > 0 { _ = try take() }
    try keep(4)
    guard word(at: used) == checksum else { throw .unusual }
    used += 4
  }

  private func word(at place: Int) -> UInt32 {
    UInt32(bigEndian: buffer.base.loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }

  /// Reads until the buffer contains at least `count` unconsumed bytes.
  private func keep(_ count: Int) throws(PNGStreamFailure) {
    guard filled - used < count else { return }
    buffer.base.copyMemory(from: buffer.base + used, byteCount: filled - used)
    filled -= used
    used = 0
    while filled < count { try fill() }
  }

  private func fill() throws(PNGStreamFailure) {
    let space = UnsafeMutableRawBufferPointer(start: buffer.base + filled, count: buffer.capacity - filled)
    let count: Int
    do throws(FileError) {
      count = try source.read(at: offset, into: space)
    } catch {
      throw .file(error)
    }
    guard count > 0 else { throw .unusual }
    offset += count
    filled += count
  }
}
