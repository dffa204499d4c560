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

/// Writes an interlaced PNG. The passes need the same rows repeatedly, so the whole picture is kept in memory.
final class PNGInterlacedEncoder: PictureEncoder {
  private let sink: any ByteSink
  private let settings: PNGSettings
  private let metadata: PNGMetadata
  private let context: OperationContext
  private let frame: PixelBuffer
  private var row = 0

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) {
    self.sink = sink
    self.settings = settings
    self.context = context
    self.metadata = PNGMetadata(metadata, layout)
    frame = PixelBuffer(layout)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      frame.row(row + index).copyMemory(from: rows + index * stride, byteCount: frame.layout.rowByteCount)
    }
    row += count
  }

  func finish() throws(PictureError) {
    let layout = frame.layout
    try PNGWriter(to: sink).writeHeader(layout.ihdr(interlaced: true), metadata: metadata)
    let whole = RowFilter(RowFilter.Bands(layout), kind: settings.rowFilter)
    let compressor = RowCompressor(
      whole, height: layout.height, effort: settings.frameEffort, context: context.onOneWorker)
    let chunks = PNGChunkWriter(to: sink)
    let (pixel, line) = (layout.format.bytesPerPixel, PooledBytes(capacity: layout.rowByteCount))
    for pass in Adam7Pass.passes(width: layout.width, height: layout.height) {
      let part = layout.with(width: pass.columns.count, height: pass.rows.count)
      compressor.begin(RowFilter(RowFilter.Bands(part), kind: settings.rowFilter))
      for y in pass.rows {
        try context.checkCancellation()
        let row = UnsafeRawPointer(frame.row(y))
        var target = line.base
        for x in pass.columns {
          target.copyMemory(from: row + x * pixel, byteCount: pixel)
          target += pixel
        }
        try compressor.add(
          1, from: line.base, stride: part.rowByteCount, write: chunks.writeData)
      }
    }
    try compressor.finish(write: chunks.writeData)
    try chunks.writeEnd()
  }
}

/// A pass of an interlaced PNG (PNG, 8.2): columns and rows of the picture at regular intervals.
struct Adam7Pass {
  let columns: [Int]
  let rows: [Int]

  /// Returns the passes that have pixels, in the order of the file.
  static func passes(width: Int, height: Int) -> [Adam7Pass] {
    places.map { place in
      Adam7Pass(
        columns: Array(stride(from: place.left, to: width, by: place.across)),
        rows: Array(stride(from: place.top, to: height, by: place.down)))
    }.filter { !$0.columns.isEmpty && !$0.rows.isEmpty }
  }

  private static let places: [(left: Int, top: Int, across: Int, down: Int)] = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
    (1, 0, 2, 2), (0, 1, 1, 2),
  ]
}

/// Writes a PNG with a palette of at most a given number of colours, and quantises pictures with more colours.
///
/// The whole picture is kept in memory with 8 bits per sample.
final class PNGQuantisingEncoder: PictureEncoder {
  private let frame: PixelBuffer
  private let conversion: FormatConversion
  private let colours: Int
  private let writer: PNGIndexWriter
  private let context: OperationContext
  private var row = 0

  /// - Parameter colours: the maximum number of colours, 2 to 256.
  init(
    to sink: any ByteSink, layout: PictureLayout, colours: Int, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) throws(PictureError) {
    frame = PixelBuffer(Self.reduced(layout))
    conversion = FormatConversion(from: layout.format, to: frame.layout.format)
    self.colours = colours
    self.context = context
    writer = PNGIndexWriter(to: sink, layout: layout, metadata: metadata, settings: settings, context: context)
  }

  /// Returns the maximum memory in bytes that is needed in addition to the palette indices.
  static func byteCount(_ layout: PictureLayout, colours: Int) -> Int {
    PixelBuffer.byteCount(reduced(layout))
      + Quantiser.byteCount(width: layout.width, height: layout.height, colours: colours, layout.format.hasAlpha)
  }

  private static func reduced(_ layout: PictureLayout) -> PictureLayout {
    layout.with(format: PixelFormat(.u8, layout.format.model, alpha: layout.format.hasAlpha))
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      conversion.convert(rows + index * stride, to: frame.row(row + index), width: frame.layout.width)
    }
    row += count
  }

  func finish() throws(PictureError) {
    if let exact = exact() { try writer.write(exact) } else { try writer.write(reduced()) }
  }

  /// Returns the picture with its colours unchanged; nil if it has too many.
  private func exact() -> PNGIndexedPicture? {
    var picture = PNGIndexedPicture(frame.layout, limit: colours)
    for y in 0..<frame.layout.height {
      let row = UnsafeRawBufferPointer(start: frame.row(y), count: frame.layout.rowByteCount)
      guard picture.add(row) else { return nil }
    }
    return picture
  }

  private func reduced() throws(PictureError) -> PNGIndexedPicture {
    let quantised = try Quantiser.reduce(frame, to: colours, context: context)
    return PNGIndexedPicture(frame.layout, PNGPalette(quantised.colours), quantised.indices)
  }
}
