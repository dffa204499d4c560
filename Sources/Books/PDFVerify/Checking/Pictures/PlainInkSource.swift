import ImageCore

/// RGB rows of a CMYK JPEG without its profile, R = (1 - C)(1 - K) and so on, which come nearest to poppler's.
///
/// A PDF has amounts of ink unless a Decode array inverts them (PDF 32000-1:2008, 7.4.8 and 8.9.5.2). Decoders of files
/// take samples for 1 - ink.
final class PlainInkSource: RowSource {
  let layout: PictureLayout
  private let source: any RowSource
  private let isInverted: Bool
  private let conversion: FormatConversion
  private let row: PixelBuffer

  /// - Parameter isInverted: whether the PDF stores 1 - ink, as files do.
  init(_ source: any RowSource, isInverted: Bool) {
    self.source = source
    self.isInverted = isInverted
    layout = source.layout.with(format: source.layout.format.with(model: .rgb))
    conversion = FormatConversion(from: source.layout.format, to: layout.format)
    row = PixelBuffer(source.layout.with(width: layout.width, height: 1))
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      try source.read(1, into: row.base, stride: row.stride)
      if !isInverted {
        let bytes = row.base.assumingMemoryBound(to: UInt8.self)
        // 255 - v, and 65,535 - v of both bytes.
        for place in 0..<source.layout.rowByteCount { bytes[place] = ~bytes[place] }
      }
      conversion.convert(row.base, to: destination + index * stride, width: layout.width)
    }
  }
}
