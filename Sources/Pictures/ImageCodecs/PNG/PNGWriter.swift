import CISAL
import CPNG
import ImageCore

/// Writes a PNG; used by one worker at a time.
final class PNGWriter: PNGContext {
  private let sink: any ByteSink
  private var writeFailure: PictureError?

  init(to sink: any ByteSink) throws(PictureError) {
    self.sink = sink
    try super.init(SPNG_CTX_ENCODER.rawValue, failure: .cannotEncode("not enough memory to encode a PNG"))
  }

  /// Writes everything before the pixels, which the caller writes afterwards; wraps `spng_encode_chunks`.
  func writeHeader(_ ihdr: spng_ihdr, palette: PNGPalette? = nil, metadata: PNGMetadata) throws(PictureError) {
    try withHeader(ihdr, metadata) { () throws(PictureError) in
      if let palette { try set(palette) }
      try check(spng_encode_chunks(context))
    }
    try PNGChunkWriter(to: sink).writeTexts(metadata)
  }

  /// Sets the header, and calls `body` to write it.
  private func withHeader(_ ihdr: spng_ihdr, _ metadata: PNGMetadata, _ body: () throws(PictureError) -> Void)
    throws(PictureError)
  {
    var ihdr = ihdr
    try check(spng_set_ihdr(context, &ihdr))
    if var resolution = metadata.phys { try check(spng_set_phys(context, &resolution)) }
    try metadata.withChunks { profile, exif throws(PictureError) in
      // libspng keeps these pointers until the header is written, which happens before this function returns.
      if var profile { try check(spng_set_iccp(context, &profile)) }
      if var exif { try check(spng_set_exif(context, &exif)) }
      try body()
    }
  }

  private func set(_ palette: PNGPalette) throws(PictureError) {
    var colours = palette.plte
    try check(spng_set_plte(context, &colours))
    if var transparency = palette.trns { try check(spng_set_trns(context, &transparency)) }
  }

  override func check(_ code: Int32) throws(PictureError) {
    if let writeFailure { throw writeFailure }
    guard code != 0 else { return }
    throw .codec(.cannotEncode("the PNG cannot be written (\(String(cString: spng_strerror(code))))"))
  }

  override func transfer(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 {
    do throws(PictureError) {
      try sink.write(UnsafeRawBufferPointer(bytes))
      return 0
    } catch {
      writeFailure = error
      return Int32(SPNG_IO_ERROR.rawValue)
    }
  }
}

/// Writes the chunks of a PNG that libspng does not write: texts, compressed data (IDAT) and IEND (PNG, 5.3).
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
