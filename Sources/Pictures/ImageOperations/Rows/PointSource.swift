import ImageCore

/// Rows that are modified in place: `upstream` writes into the reader's memory, and the rows are transformed there
/// while they are still in the cache.
final class PointSource: RowSource {
  let layout: PictureLayout
  private let upstream: any RowSource
  private let context: OperationContext
  private let transform: @Sendable (_ row: UnsafeMutableRawPointer, _ width: Int) -> Void

  /// - Parameter transform: modifies one row of pixels; called on any worker.
  init(
    _ upstream: any RowSource, _ context: OperationContext,
    transform: @escaping @Sendable (_ row: UnsafeMutableRawPointer, _ width: Int) -> Void
  ) {
    self.layout = upstream.layout
    self.upstream = upstream
    self.context = context
    self.transform = transform
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try context.checkCancellation()
    try upstream.read(count, into: destination, stride: stride)
    let rows = SharedRows(base: destination, stride: stride)
    context.forRows(count, rowByteCount: layout.rowByteCount) { [transform, layout] y in
      transform(rows.row(y), layout.width)
    }
  }
}

/// Rows whose pixels are converted to another format. The rows of `upstream` are read into a strip, and converted from
/// there into the reader's memory.
final class ConvertingSource: RowSource {
  let layout: PictureLayout
  private let upstream: any RowSource
  private let context: OperationContext
  private let strip: PixelBuffer
  private let transform: @Sendable (_ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int) -> Void

  private static let stripRows = 64

  /// - Parameters:
  ///   - format: the format of the result.
  ///   - transform: converts one row of pixels; called on any worker.
  init(
    _ upstream: any RowSource, to format: PixelFormat, _ context: OperationContext,
    transform:
      @escaping @Sendable (
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int
      ) -> Void
  ) {
    let input = upstream.layout
    self.layout = input.with(format: format)
    self.upstream = upstream
    self.context = context
    self.strip = PixelBuffer(input.with(width: input.width, height: min(Self.stripRows, input.height)))
    self.transform = transform
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    while done < count {
      try context.checkCancellation()
      let rows = min(count - done, strip.layout.height)
      try upstream.read(rows, into: strip.base, stride: strip.stride)
      let target = SharedRows(base: destination + done * stride, stride: stride)
      let byteCount = strip.layout.rowByteCount
      context.forRows(rows, rowByteCount: byteCount) { [strip, transform, layout] y in
        transform(strip.row(y), target.row(y), layout.width)
      }
      done += rows
    }
  }
}
