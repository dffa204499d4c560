import CZlib
import ImageCore
import RowCompression

/// Compresses rows for a PDF losslessly, with Flate.
///
/// An encoder works on any thread and independently of `PDFWriter`. It keeps the result in memory, with alpha in a
/// stream of its own.
package final class FlateEncoder: PictureEncoder {
  private let layout: PictureLayout
  private let iccProfile: [UInt8]
  private let colour: BandCompressor
  private let alpha: BandCompressor?
  /// Whether all alpha samples so far have been opaque.
  package private(set) var isOpaque = true

  /// - Parameters:
  ///   - layout: gray, RGB or CMYK, 8 or 16 bits, with or without alpha.
  ///   - iccProfile: the profile; omitted if it is for another colour space.
  ///   - context: the context whose workers filter and compress.
  package init(_ layout: PictureLayout, iccProfile: [UInt8] = [], context: OperationContext = .serial) {
    let format = layout.format
    self.layout = layout
    self.iccProfile = iccProfile
    let colours = format.model.bandCount
    colour = BandCompressor(layout, bands: 0..<colours, context: context)
    alpha = format.hasAlpha ? BandCompressor(layout, bands: colours..<format.bands, context: context) : nil
  }

  package func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    let format = layout.format
    try colour.add(count, from: rows, stride: stride)
    guard let alpha else { return }
    var row = 0
    while isOpaque && row < count {
      isOpaque = format.isOpaque(rows + row * stride, width: layout.width)
      row += 1
    }
    try alpha.add(count, from: rows, stride: stride)
  }

  package func finish() throws(PictureError) {
    try colour.finish()
    try alpha?.finish()
  }

  /// The picture, ready to be added to a book; without a mask if it is opaque. Valid only after `finish()`.
  package var picture: PDFPicture {
    PDFPicture(
      data: .bytes(colour.output), compression: .flate,
      format: PDFPicture.Format(
        width: layout.width, height: layout.height,
        colourSpace: PDFPicture.ColourSpace(layout.format.model),
        bits: layout.format.sample.byteCount * 8), mask: isOpaque ? nil : alpha?.output,
      iccProfile: iccProfile)
  }
}

/// Filters and compresses rows as in PNG: either the colours or the alpha of a picture.
private final class BandCompressor {
  private let compressor: RowCompressor
  private(set) var output: [UInt8] = []

  init(_ layout: PictureLayout, bands: Range<Int>, context: OperationContext) {
    let format = layout.format
    compressor = RowCompressor(
      RowFilter(
        RowFilter.Bands(
          width: layout.width, sampleBytes: format.sample.byteCount, bands: bands,
          of: format.bands)),
      height: layout.height, context: context)
  }

  func add(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try compressor.add(count, from: rows, stride: stride) { output += $0 }
  }

  func finish() throws(PictureError) { try compressor.finish { output += $0 } }
}

/// Compresses bytes piece by piece into a zlib stream (RFC 1950) in memory, using zlib's `deflate`.
final class Deflater {
  /// The stream is on the heap, because zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var room = [UInt8](repeating: 0, count: 1 << 15)
  private(set) var output: [UInt8] = []

  /// - Parameters:
  ///   - level: 0 to 9.
  ///   - windowBits: the binary logarithm of the window's size in bytes, 9 to 15. The compressor takes four times the
  ///     window's size, plus 2^(`memoryLevel` + 9) bytes. `memoryLevel` is 1 to 9.
  init(level: Int, windowBits: Int = 15, memoryLevel: Int = 8) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let status = deflateInit2_(
      stream, Int32(level), Z_DEFLATED, Int32(windowBits), Int32(memoryLevel), Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(status == Z_OK, "zlib \(ZLIB_VERSION) cannot start: \(status)")
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  func add(_ bytes: [UInt8]) { deflate(bytes, Z_NO_FLUSH) }

  /// Returns the compressed bytes that have not been taken yet.
  func takeOutput() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  /// Ends the stream. Call once.
  func finish() { deflate([], Z_FINISH) }

  /// Returns `bytes` as a zlib stream.
  static func compress(_ bytes: [UInt8], level: Int) -> [UInt8] {
    let deflater = Deflater(level: level)
    deflater.add(bytes)
    deflater.finish()
    return deflater.output
  }

  private func deflate(_ bytes: [UInt8], _ flush: Int32) {
    bytes.withUnsafeBufferPointer { bytes in
      room.withUnsafeMutableBufferPointer { room in
        // zlib declares the input mutable, but only reads it.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.pointee.avail_in = UInt32(bytes.count)
        // When zlib does not fill the buffer, it has consumed all input.
        repeat {
          stream.pointee.next_out = room.baseAddress
          stream.pointee.avail_out = UInt32(room.count)
          CZlib.deflate(stream, flush)
          output += room[..<(room.count - Int(stream.pointee.avail_out))]
        } while stream.pointee.avail_out == 0
      }
    }
  }
}
