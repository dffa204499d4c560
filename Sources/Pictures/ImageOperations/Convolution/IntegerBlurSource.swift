import ImageCore
import ImageKernels

/// A Gaussian blur of 8-bit samples without alpha, for which 16-bit integers are precise enough. Premultiplied colours
/// need more precision, because they are later divided by alpha.
final class IntegerBlurSource: RowSource {
  let layout: PictureLayout
  private let kernel: IntegerConvolution
  private let window: RowWindow
  private let context: OperationContext
  private var next = 0

  /// The number of samples in a part of a row. The vertical pass computes one part of all result rows before the next,
  /// so this part of about 100 source rows stays in the second-level cache.
  private static let block = 1024

  init(_ upstream: any RowSource, _ kernel: IntegerConvolution, _ context: OperationContext) {
    layout = upstream.layout
    self.kernel = kernel
    self.context = context
    let (width, bands) = (layout.width, layout.bands)
    window = RowWindow(
      upstream, context, above: kernel.radius, below: kernel.radius,
      preparedByteCount: IntegerConvolution.paddedCount(width * bands) * MemoryLayout<Int16>.size
    ) { row, prepared in
      let count = kernel.scratchCount(width: width, bands: bands)
      withUnsafeTemporaryAllocation(of: Int16.self, capacity: count) { scratch in
        kernel.smoothAcross(
          row, width: width, bands: bands, scratch: scratch.baseAddress!,
          into: prepared.assumingMemoryBound(to: Int16.self))
      }
    }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    let samples = layout.width * layout.bands
    let blocks = (samples + Self.block - 1) / Self.block
    var done = 0
    while done < count {
      let rows = next..<next + min(RowWindow.stripRows, count - done)
      let prepared = try window.load(rows)
      let target = SharedRows(base: destination + done * stride, stride: stride)
      context.forRows(blocks, rowByteCount: Self.block * rows.count) { [kernel] block in
        let first = block * Self.block
        Self.smooth(
          kernel, prepared, rows, first..<min(first + Self.block, samples), into: target)
      }
      next += rows.count
      done += rows.count
    }
  }

  /// Computes the vertical pass for the samples `part` of result rows `rows`, two rows at a time.
  private static func smooth(
    _ kernel: IntegerConvolution, _ prepared: PreparedRows, _ rows: Range<Int>, _ part: Range<Int>,
    into target: SharedRows
  ) {
    let most = 2 * kernel.radius + 2
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: most) { sources in
      for y in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
        let hasBelow = y + 1 < rows.upperBound
        let count = hasBelow ? most : most - 1
        for tap in 0..<count {
          sources.initializeElement(
            at: tap,
            to: prepared.row(y - kernel.radius + tap)
              + part.lowerBound * MemoryLayout<Int16>.size)
        }
        let place = y - rows.lowerBound
        kernel.smoothDown(
          UnsafeMutableBufferPointer(rebasing: sources[..<count]), count: part.count,
          into: target.row(place) + part.lowerBound,
          and: hasBelow ? target.row(place + 1) + part.lowerBound : nil)
      }
    }
  }
}
