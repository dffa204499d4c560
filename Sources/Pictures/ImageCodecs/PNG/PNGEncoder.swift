import CPNG
import ImageCore
import RowCompression

/// Writes a PNG row by row in the picture's layout: 8 or 16 bits, gray or RGB, with or without alpha.
final class PNGEncoder: PictureEncoder {
  private let compressor: RowCompressor
  private let chunks: PNGChunkWriter

  /// - Parameter context: provides the workers that filter and compress.
  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata,
    settings: PNGSettings, context: OperationContext
  ) throws(PictureError) {
    let writer = try PNGWriter(to: sink)
    try writer.writeHeader(
      layout.ihdr(interlaced: false), metadata: PNGMetadata(metadata, layout))
    compressor = RowCompressor(
      RowFilter(RowFilter.Bands(layout), kind: settings.rowFilter), height: layout.height, effort: settings.effort,
      context: context)
    chunks = PNGChunkWriter(to: sink)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try compressor.add(count, from: rows, stride: stride, write: chunks.writeData)
  }

  func finish() throws(PictureError) {
    try compressor.finish(write: chunks.writeData)
    try chunks.writeEnd()
  }
}

extension PictureLayout {
  /// Returns the header of a PNG that stores rows in this format.
  func ihdr(interlaced: Bool) -> spng_ihdr {
    let type =
      switch (format.model, format.hasAlpha) {
      case (.gray, false): SPNG_COLOR_TYPE_GRAYSCALE
      case (.gray, true): SPNG_COLOR_TYPE_GRAYSCALE_ALPHA
      case (.rgb, false): SPNG_COLOR_TYPE_TRUECOLOR
      case (.rgb, true): SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
      case (.cmyk, _): preconditionFailure("a PNG holds no CMYK")
      }
    return spng_ihdr(
      width: UInt32(width), height: UInt32(height), bit_depth: format.sample == .u8 ? 8 : 16,
      color_type: UInt8(type.rawValue), compression_method: 0, filter_method: 0,
      interlace_method: interlaced ? 1 : 0)
  }
}
