import CISAL
import ImageCore
import RowCompression

/// Compresses a PNG's filtered rows and writes them as IDAT chunks, IEND after the last; belongs to one worker at a
/// time.
final class PNGDeflater {
  private let sink: any ByteSink
  private let stream: DeflateStream
  /// A chunk as it is written: length, type, data, checksum.
  private let chunk = PooledBytes(capacity: 8 + PNGDeflater.dataByteCount + 4)
  private static let dataByteCount = 65_536 - 12

  init(to sink: any ByteSink, effort: DeflateStream.Effort) {
    self.sink = sink
    stream = DeflateStream(effort)
  }

  func add(_ bytes: UnsafeRawBufferPointer) throws(PictureError) {
    try stream.add(bytes, nextRoom: nextRoom)
  }

  /// Ends the compressed stream and the file.
  func finish() throws(PictureError) {
    try stream.finish(nextRoom: nextRoom)
    if stream.filledByteCount > 0 {
      try writeChunk("IDAT", dataByteCount: stream.filledByteCount)
    }
    try writeChunk("IEND", dataByteCount: 0)
  }

  /// Writes the chunk that is full.
  private func nextRoom() throws(PictureError) -> UnsafeMutableRawBufferPointer {
    if stream.filledByteCount > 0 {
      try writeChunk("IDAT", dataByteCount: stream.filledByteCount)
    }
    return UnsafeMutableRawBufferPointer(start: chunk.base + 8, count: Self.dataByteCount)
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
