import ImageCore

/// A ring buffer of source rows for operations whose result rows depend on neighbouring source rows. Each source row is
/// prepared once, for example by the horizontal pass of a blur. The buffer has room for all source rows on which a
/// strip of result rows depends.
///
/// The memory grows with the width of the picture and the height of the neighbourhood, not with the picture's height.
final class RowWindow {
  let input: PictureLayout
  private let upstream: any RowSource
  private let context: OperationContext
  private let above: Int
  private let below: Int
  private let strip: PixelBuffer
  private let ring: PreparedRows
  private let prepare: @Sendable (_ row: UnsafeRawPointer, _ prepared: UnsafeMutableRawPointer) -> Void
  private var loaded = 0

  /// The maximum number of result rows for a call of `load`.
  static let stripRows = 32

  /// - Parameters:
  ///   - above: the number of source rows above row `y` on which result row `y` depends.
  ///   - below: the number of source rows below row `y` on which result row `y` depends.
  ///   - preparedByteCount: the size of a prepared row in bytes.
  ///   - prepare: prepares a source row; called on any worker. Prepared rows are 64-byte aligned.
  init(
    _ upstream: any RowSource, _ context: OperationContext, above: Int, below: Int, preparedByteCount: Int,
    prepare: @escaping @Sendable (_ row: UnsafeRawPointer, _ prepared: UnsafeMutableRawPointer) -> Void
  ) {
    input = upstream.layout
    self.upstream = upstream
    self.context = context
    self.above = above
    self.below = below
    self.prepare = prepare
    strip = PixelBuffer(
      input.with(width: input.width, height: min(Self.stripRows, input.height)))
    ring = PreparedRows(
      capacity: min(input.height, above + below + Self.stripRows), height: input.height,
      byteCount: preparedByteCount)
  }

  /// Returns the size of a window in bytes, for `workingByteCount`.
  static func byteCount(_ input: PictureLayout, neighbours: Int, preparedByteCount: Int) -> Int {
    (neighbours + stripRows) * (preparedByteCount + 64) + stripRows * (input.rowByteCount + 64)
  }

  /// Prepares the source rows on which the result rows `rows` depend; at most `stripRows` result rows. Each range must
  /// be below that of the previous call. The returned rows are valid until the next call.
  func load(_ rows: Range<Int>) throws(PictureError) -> PreparedRows {
    let end = min(input.height, rows.upperBound + below)
    while loaded < end {
      try context.checkCancellation()
      let count = min(strip.layout.height, end - loaded)
      try upstream.read(count, into: strip.base, stride: strip.stride)
      context.forRows(count, rowByteCount: strip.layout.rowByteCount) {
        [strip, ring, prepare, loaded] y in
        prepare(strip.row(y), ring.address(loaded + y))
      }
      loaded += count
    }
    return ring
  }
}

/// The rows in a `RowWindow`.
///
/// `@unchecked Sendable`: workers write different rows, and nothing is written while rows are read.
final class PreparedRows: @unchecked Sendable {
  private let memory: PooledBytes
  private let capacity: Int
  private let stride: Int
  private let height: Int

  fileprivate init(capacity: Int, height: Int, byteCount: Int) {
    self.capacity = capacity
    self.height = height
    stride = (byteCount + 63) & ~63
    // SIMD code may read up to a block beyond the end of a row.
    memory = PooledBytes(capacity: stride * capacity + PixelBuffer.slack)
  }

  fileprivate func address(_ y: Int) -> UnsafeMutableRawPointer { memory.base + y % capacity * stride }

  /// Returns prepared row `y`; if `y` is outside the picture, the first or the last row.
  func row(_ y: Int) -> UnsafeRawPointer { UnsafeRawPointer(address(max(0, min(height - 1, y)))) }
}

/// Rows that are computed from the source rows in a `RowWindow`.
final class WindowSource: RowSource {
  let layout: PictureLayout
  private let window: RowWindow
  private let context: OperationContext
  private let produce: @Sendable (_ rows: PreparedRows, _ y: Int, _ destination: UnsafeMutableRawPointer) -> Void
  private var next = 0

  /// - Parameter produce: computes result row `y` from the window's rows; called on any worker.
  init(
    _ window: RowWindow, _ context: OperationContext,
    produce:
      @escaping @Sendable (
        _ rows: PreparedRows, _ y: Int, _ destination: UnsafeMutableRawPointer
      ) -> Void
  ) {
    layout = window.input
    self.window = window
    self.context = context
    self.produce = produce
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    while done < count {
      let rows = min(RowWindow.stripRows, count - done)
      let prepared = try window.load(next..<next + rows)
      let target = SharedRows(base: destination + done * stride, stride: stride)
      context.forRows(rows, rowByteCount: layout.rowByteCount) { [produce, next] y in
        produce(prepared, next + y, target.row(y))
      }
      next += rows
      done += rows
    }
  }
}
