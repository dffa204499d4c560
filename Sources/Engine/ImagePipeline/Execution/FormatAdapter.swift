import ImageCore

/// An encoder, and the conversion of rows to its pixel format, such as from 16 to 8 bits, or to one without alpha.
package final class FormatAdapter {
  private let encoder: any PictureEncoder
  private let conversion: FormatConversion
  private let width: Int
  private let strip: PixelBuffer?

  /// - Parameter width: the number of pixels in each row that is written to the adapter.
  package init(_ encoder: any PictureEncoder, _ conversion: FormatConversion, width: Int, to target: PictureLayout) {
    self.encoder = encoder
    self.width = width
    self.conversion = conversion
    strip = conversion.isIdentity ? nil : PixelBuffer(target.with(width: target.width, height: min(16, target.height)))
  }

  package func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    guard let strip else { return try encoder.write(count, from: rows, stride: stride) }
    var row = 0
    while row < count {
      let part = min(strip.layout.height, count - row)
      for y in 0..<part { conversion.convert(rows + (row + y) * stride, to: strip.row(y), width: width) }
      try encoder.write(part, from: strip.base, stride: strip.stride)
      row += part
    }
  }

  package func finish() throws(PictureError) { try encoder.finish() }

  var mayPassAfresh: Bool { encoder.mayPassAfresh }
}
