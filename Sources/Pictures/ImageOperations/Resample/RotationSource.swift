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
    let target = SharedRows(base: destination, stride: stride)
    let share = max(Self.rowsAtOnce, (count + context.parallelism - 1) / max(1, context.parallelism))
    context.parallelFor((count + share - 1) / share) { [context, next] index in
      let end = min((index + 1) * share, count)
      for start in Swift.stride(from: index * share, to: end, by: Self.rowsAtOnce) {
        context.allowPreemption()
        let rows = next + start..<next + min(start + Self.rowsAtOnce, end)
        frame.render(rows, into: target.row(start), stride: stride)
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
