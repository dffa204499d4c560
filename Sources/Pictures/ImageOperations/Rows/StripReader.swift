import ImageCore

/// A reader that returns single rows of a source, from the top down. It reads the source in strips of several rows, and
/// discards rows that are not requested.
final class StripReader {
  let layout: PictureLayout
  private let upstream: any RowSource
  private let context: OperationContext
  private let strip: PixelBuffer
  private var first = 0
  private var count = 0

  private static let stripRows = 32

  init(_ upstream: any RowSource, _ context: OperationContext) {
    layout = upstream.layout
    self.upstream = upstream
    self.context = context
    strip = PixelBuffer(layout.with(width: layout.width, height: min(Self.stripRows, layout.height)))
  }

  /// Returns row `y`, which must not be above the row of an earlier call. The memory is valid until the next call.
  func row(_ y: Int) throws(PictureError) -> UnsafeRawPointer {
    precondition(y >= first && y < layout.height, "rows are read from the top down")
    while y >= first + count {
      try context.checkCancellation()
      first += count
      count = min(strip.layout.height, layout.height - first)
      try upstream.read(count, into: strip.base, stride: strip.stride)
    }
    return UnsafeRawPointer(strip.row(y - first))
  }
}
