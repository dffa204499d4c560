import ImageCore

/// Reads a picture into shared memory in the plugin's format.
struct FrameFiller {
  private static let stripHeight = 64

  let frame: Frame
  let picture: WirePicture
  let format: PluginFormat

  /// Reads the source to its end. Gives the alpha band where the plugin is not to see it.
  func fill(from source: any RowSource, _ context: OperationContext) throws(PictureError)
    -> PixelBuffer?
  {
    let rows = frame.inputRows(picture.byteCount)
    let stride = Int(picture.stride)
    guard !format.isDirect else {
      try forEachStrip(source.layout.height, context) { (row, count) throws(PictureError) in
        try source.read(count, into: rows + row * stride, stride: stride)
      }
      return nil
    }
    let layout = source.layout
    let strip = PixelBuffer(
      layout.with(width: layout.width, height: min(Self.stripHeight, layout.height)))
    let alpha =
      format.keepsAlphaAside
      ? PixelBuffer(layout.with(format: PixelFormat(layout.format.sample, .gray))) : nil
    var conversion = RowConversion(format, width: layout.width)
    try forEachStrip(layout.height, context) { (row, count) throws(PictureError) in
      try source.read(count, into: strip.base, stride: strip.stride)
      for index in 0..<count {
        conversion.toPlugin(strip.row(index), rows + (row + index) * stride)
        if let alpha { conversion.alpha(of: strip.row(index), into: alpha.row(row + index)) }
      }
    }
    return alpha
  }

  private func forEachStrip(
    _ height: Int, _ context: OperationContext,
    _ body: (_ row: Int, _ count: Int) throws(PictureError) -> Void
  ) throws(PictureError) {
    var row = 0
    while row < height {
      try context.checkCancellation()
      let count = min(Self.stripHeight, height - row)
      try body(row, count)
      row += count
    }
  }
}
