import ImageCore

/// Reads one input picture of a call into shared memory, in the plugin's format.
struct FrameFiller {
  private static let stripHeight = 64

  let frame: Frame
  /// The index of the input, from 0.
  let index: Int
  let picture: WirePicture
  let format: PluginFormat

  /// Reads all rows of the source. Returns the alpha band if it bypasses the plugin; otherwise nil.
  func fill(from source: any RowSource, _ context: OperationContext) throws(PictureError) -> PixelBuffer? {
    let rows = frame.inputRows(picture.byteCount, of: index)
    let stride = Int(picture.stride)
    let layout = source.layout
    var alpha: PixelBuffer?
    if format.isDirect(layout.format) {
      try forEachStrip(layout.height, context) { (row, count) throws(PictureError) in
        try source.read(count, into: rows + row * stride, stride: stride)
      }
    } else {
      let strip = PixelBuffer(layout.with(width: layout.width, height: min(Self.stripHeight, layout.height)))
      if format.keepsAlphaAside, layout.format.hasAlpha {
        alpha = PixelBuffer(layout.with(format: PixelFormat(layout.format.sample, .gray)))
      }
      var conversion = RowConversion(format, outer: layout.format, width: layout.width)
      try forEachStrip(layout.height, context) { (row, count) throws(PictureError) in
        try source.read(count, into: strip.base, stride: strip.stride)
        for index in 0..<count {
          conversion.toPlugin(strip.row(index), rows + (row + index) * stride)
          if let alpha { conversion.alpha(of: strip.row(index), into: alpha.row(row + index)) }
        }
      }
    }
    pad(rows, layout)
    return alpha
  }

  /// Pads a picture to the plugin's size by repeating the last pixel of each row, and then the last row.
  private func pad(_ rows: UnsafeMutableRawPointer, _ layout: PictureLayout) {
    let (stride, width, height) = (Int(picture.stride), Int(picture.width), Int(picture.height))
    let size = format.pixelByteCount
    if width > layout.width {
      for y in 0..<layout.height {
        let last = rows + y * stride + (layout.width - 1) * size
        for x in 1...(width - layout.width) { (last + x * size).copyMemory(from: last, byteCount: size) }
      }
    }
    let last = rows + (layout.height - 1) * stride
    for y in layout.height..<max(height, layout.height) {
      (rows + y * stride).copyMemory(from: last, byteCount: width * size)
    }
  }

  private func forEachStrip(
    _ height: Int, _ context: OperationContext, _ body: (_ row: Int, _ count: Int) throws(PictureError) -> Void
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
