import CISAL
import ImageCore

/// Copies a PNG whose pixels a decoder has read, without what the decoder noted: chunks with wrong checksums are left
/// out, and a missing end chunk is added.
struct PNGMender {
  private let source: ByteSource
  private let sink: any ByteSink

  init(_ source: ByteSource, _ sink: any ByteSink) { (self.source, self.sink) = (source, sink) }

  func run() throws(PictureError) {
    try source.copy(0..<8, to: sink)
    var offset = 8
    while true {
      let head = try source.bytes(at: offset, upTo: 12)
      // As in `PNGReader.isOver`.
      guard head.count == 12, head.contains(where: { $0 != 0 }) else {
        return try ByteSource.bytes(PNGCodec.endChunk).copy(0..<12, to: sink)
      }
      // Bytes behind the end chunk are no fault.
      if head[4..<8].elementsEqual("IEND".utf8) { return try source.copy(offset..<source.byteCount, to: sink) }
      let end = offset + 12 + head[..<4].reduce(0) { $0 << 8 | Int($1) }
      if try isSound(offset..<end) { try source.copy(offset..<end, to: sink) }
      offset = end
    }
  }

  /// Whether a chunk's checksum is right (PNG, 5.3).
  private func isSound(_ chunk: Range<Int>) throws(PictureError) -> Bool {
    var checksum: UInt32 = 0
    try source.pass(chunk.lowerBound + 4..<chunk.upperBound - 4) { (piece) throws(PictureError) in
      checksum = crc32_gzip_refl(
        checksum, piece.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt64(piece.count))
    }
    return try source.bytes(at: chunk.upperBound - 4, upTo: 4).reduce(0) { $0 << 8 | UInt32($1) } == checksum
  }
}
