import CISAL
import ImageCore

/// Writes a PNG's compressed data as IDAT chunks (PNG, 5.3), followed by IEND.
struct PNGChunkWriter {
  private let sink: any ByteSink

  init(to sink: any ByteSink) { self.sink = sink }

  /// Writes the next part of the data as one chunk.
  func writeData(_ bytes: UnsafeRawBufferPointer) throws(PictureError) { try write("IDAT", bytes) }

  /// Writes the text chunks with metadata, after the chunks that libspng writes and before the pixels.
  func writeTexts(_ metadata: PNGMetadata) throws(PictureError) {
    for (type, data) in metadata.texts {
      try data.withUnsafeBufferPointer { bytes throws(PictureError) in try write(type, UnsafeRawBufferPointer(bytes)) }
    }
  }

  func writeEnd() throws(PictureError) { try write("IEND", UnsafeRawBufferPointer(start: nil, count: 0)) }

  /// Writes a chunk with its checksum; wraps `crc32_gzip_refl`.
  private func write(_ type: StaticString, _ data: UnsafeRawBufferPointer) throws(PictureError) {
    let name = UnsafeRawBufferPointer(start: type.utf8Start, count: 4)
    try write(UInt32(data.count))
    try sink.write(name)
    try sink.write(data)
    let checksum = crc32_gzip_refl(0, name.baseAddress, 4)
    try write(crc32_gzip_refl(checksum, data.baseAddress, UInt64(data.count)))
  }

  private func write(_ number: UInt32) throws(PictureError) {
    try withUnsafeBytes(of: number.bigEndian) { (bytes) throws(PictureError) in
      try sink.write(bytes)
    }
  }
}
