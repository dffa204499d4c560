import ImageCore

/// Writes a PNG with a palette of a given number of colours, and quantises pictures with more colours.
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
