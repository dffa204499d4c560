import CZlib
import ImageCore

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
  ///   - level: of zlib, 1 to 9.
  public init(_ layout: PictureLayout, iccProfile: [UInt8] = [], level: Int = 6) {
    let format = layout.format
    self.layout = layout
    self.iccProfile = iccProfile
    self.colour = FilteredDeflater(
      width: layout.width, bands: format.model.bandCount, sampleBytes: format.sample.byteCount,
      level: level)
    self.alpha =
      format.hasAlpha
      ? FilteredDeflater(
        width: layout.width, bands: 1, sampleBytes: format.sample.byteCount, level: level) : nil
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
  private let deflater: Deflater
  private var previous: [UInt8]
  private var current: [UInt8]
  private var filtered: [UInt8]
  private var best: [UInt8]

  init(width: Int, bands: Int, sampleBytes: Int, level: Int) {
    let count = width * bands * sampleBytes
    self.width = width
    self.bands = bands
    self.sampleBytes = sampleBytes
    self.deflater = Deflater(level: level)
    self.previous = [UInt8](repeating: 0, count: count)
    self.current = previous
    self.filtered = [UInt8](repeating: 0, count: count + 1)
    self.best = filtered
  }

  var output: [UInt8] { deflater.output }

  func finish() { deflater.finish() }

  /// Adds the bands from `firstBand` on of one row of pixels with `pixelBands` bands.
  func add(_ row: UnsafeRawPointer, firstBand: Int, pixelBands: Int) {
    gather(row, firstBand: firstBand, pixelBands: pixelBands)
    var least = Int.max
    for filter in UInt8(0)...4 {
      let cost = PNGFilter.apply(
        filter, current, previous, bytesPerPixel: bands * sampleBytes, into: &filtered)
      if cost < least {
        least = cost
        swap(&best, &filtered)
      }
    }
    deflater.add(best)
    swap(&previous, &current)
  }

  /// Copies the bands; 16-bit samples are stored with the high byte first (PDF 32000-1:2008, 8.9.5.2).
  private func gather(_ row: UnsafeRawPointer, firstBand: Int, pixelBands: Int) {
    for x in 0..<width {
      for band in 0..<bands {
        let source = x * pixelBands + firstBand + band
        let target = x * bands + band
        if sampleBytes == 1 {
          current[target] = row.load(fromByteOffset: source, as: UInt8.self)
        } else {
          let sample = row.loadUnaligned(fromByteOffset: source * 2, as: UInt16.self)
          current[target * 2] = UInt8(sample >> 8)
          current[target * 2 + 1] = UInt8(sample & 0xff)
        }
      }
    }
  }
}
