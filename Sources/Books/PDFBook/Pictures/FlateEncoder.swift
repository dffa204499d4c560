import ImageCore
import RowCompression

/// Compresses rows losslessly for a PDF with Flate.
///
/// Works on any thread and independently of the writer. The result is in memory. Alpha goes into a stream of its own.
package final class FlateEncoder: PictureEncoder {
  private let layout: PictureLayout
  private let iccProfile: [UInt8]
  private let colour: BandCompressor
  private let alpha: BandCompressor?
  /// Whether all alpha samples so far were opaque.
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

  /// The picture, ready to be added to a book; without a mask if it is opaque. Available only after `finish()`.
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

/// Filters and compresses rows of some bands of a picture, as PNG does.
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
