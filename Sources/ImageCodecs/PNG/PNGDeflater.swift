import CISAL
import ImageCore

/// Compresses a PNG's filtered rows with ISA-L and writes them as IDAT chunks, IEND after the last; belongs to one
/// worker at a time.
final class PNGDeflater {
  private let sink: any ByteSink
  /// Freed with this object and never handed out.
  private let stream: UnsafeMutablePointer<isal_zstream>
  /// ISA-L's tables.
  private let tables: PooledBytes
  /// A chunk as it is written: length, type, data, checksum.
  private let chunk = PooledBytes(capacity: 8 + PNGDeflater.dataByteCount + 4)
  private static let dataByteCount = 65_536 - 12

  /// - Parameter effort: 1 to 3. ISA-L's level 0 takes as long as level 1 and makes a fifth more, its level 3 twice as
  ///   long for no less.
  init(to sink: any ByteSink, effort: Int) {
    self.sink = sink
    stream = .allocate(capacity: 1)
    isal_deflate_init(stream)
    let (level, byteCount) =
      effort < 3 ? (1, shim_isal_level1_bytes) : (2, shim_isal_level2_bytes)
    tables = PooledBytes(capacity: Int(byteCount))
    stream.pointee.level = UInt32(level)
    stream.pointee.level_buf = tables.base.assumingMemoryBound(to: UInt8.self)
    stream.pointee.level_buf_size = UInt32(byteCount)
    stream.pointee.gzip_flag = UInt16(IGZIP_ZLIB)
    startChunk()
  }

  deinit { stream.deallocate() }

  /// Takes the next bytes; wraps `isal_deflate`.
  func add(_ bytes: UnsafeMutableRawBufferPointer) throws(PictureError) {
    guard let base = bytes.baseAddress else { return }
    stream.pointee.next_in = base.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(bytes.count)
    while stream.pointee.avail_in > 0 { try run() }
  }

  /// Ends the compressed stream and the file.
  func finish() throws(PictureError) {
    stream.pointee.end_of_stream = 1
    while stream.pointee.internal_state.state != ZSTATE_END { try run() }
    try writeChunk("IDAT", dataByteCount: Self.dataByteCount - Int(stream.pointee.avail_out))
    try writeChunk("IEND", dataByteCount: 0)
  }

  private func run() throws(PictureError) {
    let code = isal_deflate(stream)
    precondition(code == COMP_OK, "ISA-L does not compress: \(code)")
    guard stream.pointee.avail_out == 0 else { return }
    try writeChunk("IDAT", dataByteCount: Self.dataByteCount)
    startChunk()
  }

  private func startChunk() {
    stream.pointee.next_out = (chunk.base + 8).assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(Self.dataByteCount)
  }

  /// Writes a chunk (PNG, 5.3), whose data stand in their place already; wraps `crc32_gzip_refl`.
  private func writeChunk(_ type: String, dataByteCount: Int) throws(PictureError) {
    let bytes = chunk.base
    bytes.storeBytes(of: UInt32(dataByteCount).bigEndian, as: UInt32.self)
    for (index, byte) in type.utf8.enumerated() {
      bytes.storeBytes(of: byte, toByteOffset: 4 + index, as: UInt8.self)
    }
    let checksum = crc32_gzip_refl(0, bytes + 4, UInt64(4 + dataByteCount))
    bytes.storeBytes(
      of: checksum.bigEndian, toByteOffset: 8 + dataByteCount, as: UInt32.self)
    try sink.write(UnsafeRawBufferPointer(start: bytes, count: 12 + dataByteCount))
  }
}
