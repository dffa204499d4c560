import ImageCore
import ImageKernels

/// Rows of a picture that is rotated by any angle, or mapped. The whole input is read before the first row is computed.
final class RotationSource: RowSource {
  let layout: PictureLayout
  private let input: any RowSource
  private let plan: RotationPlan
  private let background: Colour
  private let context: OperationContext
  private var frame: RotationFrame?
  private var memory: PooledBytes?
  private var next = 0

  init(_ input: any RowSource, plan: RotationPlan, layout: PictureLayout, background: Colour, context: OperationContext)
  {
    self.input = input
    self.plan = plan
    self.layout = layout
    self.background = background
    self.context = context
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    let frame = try wholeFrame()
    try context.checkCancellation()
    let first = next
    context.forEachShare(of: count, writing: destination) { [context] rows, destination in
      for start in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: RotationSource.rowsAtOnce) {
        context.allowPreemption()
        let end = min(start + RotationSource.rowsAtOnce, rows.upperBound)
        frame.render(first + start..<first + end, into: destination + start * stride, stride: stride)
      }
    }
    next += count
    // The frame is most of the memory that the task uses, so it is freed after the last row.
    if next == layout.height { (self.frame, memory) = (nil, nil) }
  }

  /// The number of rows between two points at which more urgent work may run.
  private static let rowsAtOnce = 8

  private func wholeFrame() throws(PictureError) -> RotationFrame {
    if let frame { return frame }
    let target = ResamplePixels(layout.format)
    let memory = PooledBytes(capacity: RotationFrame.byteCount(plan, target))
    self.memory = memory
    let frame = RotationFrame(
      plan, source: ResamplePixels(input.layout.format), target: target,
      background: background.samples(in: layout.format), memory: memory.base)
    let strip = PixelBuffer(input.layout.with(width: input.layout.width, height: 16))
    var row = 0
    while row < input.layout.height {
      try context.checkCancellation()
      let count = min(16, input.layout.height - row)
      try input.read(count, into: strip.base, stride: strip.stride)
      for index in 0..<count { frame.fill(row: row + index, from: strip.row(index)) }
      row += count
    }
    self.frame = frame
    return frame
  }
}

extension OperationContext {
  /// Divides `count` rows among the workers. Each call of `body` receives its share of the rows, and `destination`.
  fileprivate func forEachShare(
    of count: Int, writing destination: UnsafeMutableRawPointer,
    _ body: @Sendable (_ rows: Range<Int>, _ destination: UnsafeMutableRawPointer) -> Void
  ) {
    // `nonisolated(unsafe)` is safe here: workers write different rows, and `parallelFor` returns after all workers.
    nonisolated(unsafe) let destination = destination
    let size = max(8, (count + parallelism - 1) / max(1, parallelism))
    parallelFor((count + size - 1) / size) { index in
      body(index * size..<min((index + 1) * size, count), destination)
    }
  }
}
