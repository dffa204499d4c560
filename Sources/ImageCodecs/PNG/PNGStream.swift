import CZlib
import ImageCore

/// The filtered rows of a PNG's IDAT chunks, inflated as they are asked for; belongs to one worker at a time.
///
/// Every chunk's checksum from the first IDAT on is checked. The compressed stream's own, which takes a tenth
/// of the time, is not: it covers the same bytes.
final class PNGStream {
  private let source: ByteSource
  private let stream: UnsafeMutablePointer<z_stream>
  /// A part of the file, how much of it there is and how much has been used.
  private let buffer = PooledBytes(capacity: 65_536)
  private var filled = 0
  private var used = 0
  private var offset = 8
  /// The chunk that is being read: its type, what is left of its data, and the checksum so far.
  private var type: UInt32 = 0
  private var left = 0
  private var checksum: UInt = 0

  /// Finds the first IDAT. Chunks before it have been checked by whoever read the header.
  init(_ source: ByteSource) throws(PictureError) {
    self.source = source
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A raw stream: without checksum.
    let status = inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      throw .codec(.unsupported("decoding a PNG with this little memory"))
    }
    while true {
      try beginChunk()
      if type == Self.idat { break }
      // Type and data have been read up to the header's end; a checksum follows.
      offset += left + 4 - (filled - used)
      (filled, used) = (0, 0)
    }
    try readStreamHeader()
  }

  /// RFC 1950, 2.2: compression method 8, a window of at most 32 KiB, no dictionary, a multiple of 31.
  private func readStreamHeader() throws(PictureError) {
    var header: [UInt8] = []
    while header.count < 2 {
      if stream.pointee.avail_in == 0, try !feed() { break }
      header.append(stream.pointee.next_in.pointee)
      stream.pointee.next_in += 1
      stream.pointee.avail_in -= 1
    }
    guard header.count == 2, header[0] & 0x0f == 8, header[0] >> 4 <= 7, header[1] & 0x20 == 0,
      (Int(header[0]) << 8 + Int(header[1])) % 31 == 0
    else { throw .codec(.damaged("the compressed pixels are invalid")) }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Inflates the next `count` bytes; wraps `inflate`.
  func read(_ count: Int, into bytes: UnsafeMutablePointer<UInt8>) throws(PictureError) {
    stream.pointee.next_out = bytes
    stream.pointee.avail_out = UInt32(count)
    while stream.pointee.avail_out > 0 {
      if stream.pointee.avail_in == 0, try !feed() {
        throw .codec(.damaged("there are fewer pixels than the picture has"))
      }
      let status = inflate(stream, Z_NO_FLUSH)
      if status == Z_STREAM_END, stream.pointee.avail_out > 0 {
        throw .codec(.damaged("there are fewer pixels than the picture has"))
      }
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
        throw .codec(.damaged("the compressed pixels are invalid"))
      }
    }
  }

  /// Checks what follows the pixels: chunks up to the last.
  func finish() throws(PictureError) {
    while true {
      try skipData()
      try endChunk()
      if type == Self.iend { return }
      let wasIDAT = type == Self.idat
      try beginChunk()
      // 5.4: a capital letter first means that it cannot be done without.
      let isCritical = type >> 24 & 0x20 == 0
      guard !isCritical || type == Self.iend || type == Self.plte || (wasIDAT && type == Self.idat)
      else { throw .codec(.damaged("a chunk of unknown meaning")) }
    }
  }

  private static let idat: UInt32 = 0x4944_4154
  private static let iend: UInt32 = 0x4945_4e44
  private static let plte: UInt32 = 0x504c_5445

  /// Hands zlib more of the IDAT chunks; false after the last.
  private func feed() throws(PictureError) -> Bool {
    while left == 0 {
      guard type == Self.idat else { return false }
      // The chunk after the last IDAT is begun by `finish`, which must see where they end.
      guard try nextIsIDAT() else { return false }
    }
    if used == filled { try refill() }
    let count = min(left, filled - used)
    let start = (buffer.base + used).assumingMemoryBound(to: UInt8.self)
    checksum = crc32(checksum, start, UInt32(count))
    stream.pointee.next_in = start
    stream.pointee.avail_in = UInt32(count)
    used += count
    left -= count
    return true
  }

  /// Moves on to the next chunk if that is an IDAT, too.
  private func nextIsIDAT() throws(PictureError) -> Bool {
    // Checksum, length and type; zlib has used all that lies before.
    try keep(12)
    guard word(at: used + 8) == Self.idat else { return false }
    try endChunk()
    try beginChunk()
    return true
  }

  /// Reads a chunk's length and type.
  private func beginChunk() throws(PictureError) {
    try keep(8)
    left = Int(word(at: used))
    type = word(at: used + 4)
    guard left <= 0x7fff_ffff else { throw .codec(.damaged("a chunk of impossible size")) }
    let start = (buffer.base + used + 4).assumingMemoryBound(to: UInt8.self)
    checksum = crc32(0, start, 4)
    used += 8
  }

  /// Compares the checksum with the one that follows the data.
  private func endChunk() throws(PictureError) {
    try keep(4)
    guard word(at: used) == UInt32(truncatingIfNeeded: checksum) else {
      throw .codec(.damaged("a chunk has a wrong checksum"))
    }
    used += 4
  }

  private func skipData() throws(PictureError) {
    while left > 0 {
      if used == filled { try refill() }
      let count = min(left, filled - used)
      let start = (buffer.base + used).assumingMemoryBound(to: UInt8.self)
      checksum = crc32(checksum, start, UInt32(count))
      used += count
      left -= count
    }
  }

  private func word(at place: Int) -> UInt32 {
    UInt32(bigEndian: buffer.base.loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }

  /// Makes at least `count` unused bytes stand in the buffer.
  private func keep(_ count: Int) throws(PictureError) {
    guard filled - used < count else { return }
    buffer.base.copyMemory(from: buffer.base + used, byteCount: filled - used)
    filled -= used
    used = 0
    while filled < count { try fill() }
  }

  private func refill() throws(PictureError) {
    (filled, used) = (0, 0)
    try fill()
  }

  private func fill() throws(PictureError) {
    let space = UnsafeMutableRawBufferPointer(
      start: buffer.base + filled, count: buffer.capacity - filled)
    let count: Int
    do throws(FileError) {
      count = try source.read(at: offset, into: space)
    } catch {
      throw .file(error)
    }
    guard count > 0 else { throw .codec(.truncated) }
    offset += count
    filled += count
  }
}
