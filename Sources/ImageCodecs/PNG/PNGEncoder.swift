import CPNG
import ImageCore

/// Writes a PNG row by row, as the layout is: 8 or 16 bits, gray or RGB, with or without alpha.
final class PNGEncoder: PictureEncoder {
  private let writer: PNGWriter
  private let rowByteCount: Int

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings
  ) throws(PictureError) {
    writer = try PNGWriter(to: sink)
    rowByteCount = layout.rowByteCount
    try writer.start(
      layout.ihdr(interlaced: false), settings: settings, palette: nil,
      metadata: PNGMetadata(metadata, layout))
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      try writer.writeRow(rows + index * stride, byteCount: rowByteCount)
    }
  }

  /// The file was completed with the last row.
  func finish() throws(PictureError) {}
}

/// Writes the same with filters of our own and ISA-L, which take a tenth of the time.
final class PNGFastEncoder: PictureEncoder {
  private let rowByteCount: Int
  private var filter: PNGRowFilter
  private let deflater: PNGDeflater
  /// Filtered rows that wait to be compressed, and how many bytes of them there are.
  private let block: PooledBytes
  private var pending = 0
  private static let blockByteCount = 1 << 18

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings
  ) throws(PictureError) {
    let writer = try PNGWriter(to: sink)
    try writer.writeHeader(
      layout.ihdr(interlaced: false), metadata: PNGMetadata(metadata, layout))
    rowByteCount = layout.rowByteCount
    filter = PNGRowFilter(layout, filter: settings.filter)
    deflater = PNGDeflater(to: sink, effort: settings.compression)
    block = PooledBytes(capacity: max(Self.blockByteCount, filter.filteredByteCount))
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      if pending + filter.filteredByteCount > block.capacity { try compress() }
      filter.add(
        rows + index * stride, into: (block.base + pending).assumingMemoryBound(to: UInt8.self))
      pending += filter.filteredByteCount
    }
  }

  func finish() throws(PictureError) {
    try compress()
    try deflater.finish()
  }

  private func compress() throws(PictureError) {
    let bytes = UnsafeMutableRawBufferPointer(start: block.base, count: pending)
    pending = 0
    try deflater.add(bytes)
  }
}

/// Writes an interlaced PNG: rows come several times, so the whole picture is held.
final class PNGInterlacedEncoder: PictureEncoder {
  private let writer: PNGWriter
  private let settings: PNGSettings
  private let metadata: PNGMetadata
  private let frame: PixelBuffer
  private var row = 0

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings
  ) throws(PictureError) {
    writer = try PNGWriter(to: sink)
    self.settings = settings
    self.metadata = PNGMetadata(metadata, layout)
    frame = PixelBuffer(layout)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      frame.row(row + index).copyMemory(
        from: rows + index * stride, byteCount: frame.layout.rowByteCount)
    }
    row += count
  }

  func finish() throws(PictureError) {
    try writer.start(
      frame.layout.ihdr(interlaced: true), settings: settings, palette: nil, metadata: metadata)
    while let row = try writer.nextRow() {
      try writer.writeRow(frame.row(row), byteCount: frame.layout.rowByteCount)
    }
  }
}

extension PictureLayout {
  /// The header of a PNG that stores rows as they are.
  func ihdr(interlaced: Bool) -> spng_ihdr {
    let type =
      switch (format.model, format.hasAlpha) {
      case (.gray, false): SPNG_COLOR_TYPE_GRAYSCALE
      case (.gray, true): SPNG_COLOR_TYPE_GRAYSCALE_ALPHA
      case (.rgb, false): SPNG_COLOR_TYPE_TRUECOLOR
      case (.rgb, true): SPNG_COLOR_TYPE_TRUECOLOR_ALPHA
      }
    return spng_ihdr(
      width: UInt32(width), height: UInt32(height), bit_depth: format.sample == .u8 ? 8 : 16,
      color_type: UInt8(type.rawValue), compression_method: 0, filter_method: 0,
      interlace_method: interlaced ? 1 : 0)
  }
}
