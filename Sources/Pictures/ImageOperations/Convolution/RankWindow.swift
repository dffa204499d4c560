import ImageCore
import ImageKernels

extension RowWindow {
  /// Creates a window of rows in which the first and the last pixel of each row are repeated `margin` times.
  ///
  /// - Parameter finish: modifies a prepared row of `width + 2 * margin` pixels.
  static func repeatingEdges(
    _ upstream: any RowSource, _ context: OperationContext, margin: Int,
    finish: @escaping @Sendable (UnsafeMutableRawPointer) -> Void = { _ in }
  ) -> RowWindow {
    let layout = upstream.layout
    let pixelBytes = layout.format.bytesPerPixel
    return RowWindow(
      upstream, context, above: margin, below: margin,
      preparedByteCount: paddedByteCount(layout, margin: margin)
    ) { row, prepared in
      let start = prepared + margin * pixelBytes
      start.copyMemory(from: row, byteCount: layout.rowByteCount)
      for x in 1...margin {
        (start - x * pixelBytes).copyMemory(from: row, byteCount: pixelBytes)
        (start + layout.rowByteCount + (x - 1) * pixelBytes).copyMemory(
          from: row + layout.rowByteCount - pixelBytes, byteCount: pixelBytes)
      }
      finish(prepared)
    }
  }

  /// Returns the size in bytes of a row with its margins.
  static func paddedByteCount(_ layout: PictureLayout, margin: Int) -> Int {
    layout.rowByteCount + 2 * margin * layout.format.bytesPerPixel
  }
}
