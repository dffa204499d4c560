import ImageCore
import RowCompression

/// Compresses rows losslessly for a PDF: the encoder of pages with `format = "png"`.
///
/// Works on any thread, before and independent of the writer; the result is in memory. Alpha goes into a
/// stream of its own.
public final class FlateEncoder: PictureEncoder {
  private let layout: PictureLayout
  private let iccProfile: [UInt8]
  private let colour: FilteredDeflater
  private let alpha: FilteredDeflater?
  /// Whether no sample of alpha was less than full, of the rows so far.
  public private(set) var isOpaque = true

  /// - Parameters:
  ///   - layout: gray or RGB, 8 or 16 bits, with or without alpha.
  ///   - iccProfile: left out where it does not fit.
  public init(_ layout: PictureLayout, iccProfile: [UInt8] = []) {
    let format = layout.format
    self.layout = layout
    self.iccProfile = iccProfile
    self.colour = FilteredDeflater(
      width: layout.width, bands: format.model.bandCount, sampleBytes: format.sample.byteCount)
    self.alpha =
      format.hasAlpha
      ? FilteredDeflater(
        width: layout.width, bands: 1, sampleBytes: format.sample.byteCount) : nil
  }

  public func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    let format = layout.format
    for row in 0..<count {
      let start = rows + row * stride
      colour.add(start, firstBand: 0, pixelBands: format.bands)
      if alpha != nil, isOpaque { isOpaque = format.isOpaque(start, width: layout.width) }
      alpha?.add(start, firstBand: format.bands - 1, pixelBands: format.bands)
    }
  }

  public func finish() throws(PictureError) {
    colour.finish()
    alpha?.finish()
  }

  /// What was written, ready to be added to a book; without opacity where all is opaque. Only after `finish()`.
  public var picture: PDFPicture {
    PDFPicture(
      data: .bytes(colour.output), compression: .flate, width: layout.width, height: layout.height,
      colourSpace: layout.format.model == .gray ? .gray : .rgb,
      bits: layout.format.sample.byteCount * 8, mask: isOpaque ? nil : alpha?.output,
      iccProfile: iccProfile)
  }
}

/// Rows of some bands of a picture, PNG-filtered and deflated.
final class FilteredDeflater {
  private let width: Int
  private let bands: Int
  private let sampleBytes: Int
  private var filter: RowFilter
  private let deflater = Deflater(.chosen)
  /// The bands of a row, where there are others beside them.
  private var gathered: [UInt8]
  private let block: RowBlock

  init(width: Int, bands: Int, sampleBytes: Int) {
    self.width = width
    self.bands = bands
    self.sampleBytes = sampleBytes
    filter = RowFilter(width: width, bands: bands, sampleBytes: sampleBytes)
    gathered = [UInt8](repeating: 0, count: width * bands * sampleBytes)
    block = RowBlock(rowByteCount: filter.filteredByteCount)
  }

  var output: [UInt8] { deflater.output }

  func finish() {
    deflater.add(block.takeAll())
    deflater.finish()
  }

  /// Adds the bands from `firstBand` on of one row of pixels with `pixelBands` bands.
  func add(_ row: UnsafeRawPointer, firstBand: Int, pixelBands: Int) {
    if block.isFull { deflater.add(block.takeAll()) }
    let target = block.nextRow()
    if pixelBands == bands {
      filter.add(row, into: target)
    } else {
      gather(row, firstBand: firstBand, pixelBands: pixelBands)
      gathered.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        filter.add(base, into: target)
      }
    }
  }

  private func gather(_ row: UnsafeRawPointer, firstBand: Int, pixelBands: Int) {
    let (size, step) = (bands * sampleBytes, pixelBands * sampleBytes)
    let source = row + firstBand * sampleBytes
    gathered.withUnsafeMutableBytes { bytes in
      for x in 0..<width {
        for index in 0..<size {
          bytes[x * size + index] = source.load(fromByteOffset: x * step + index, as: UInt8.self)
        }
      }
    }
  }
}
