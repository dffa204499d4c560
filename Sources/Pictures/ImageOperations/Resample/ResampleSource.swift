import ImageCore
import ImageKernels

/// Rows of a resampled picture, computed as they are read.
///
/// The rows of a strip are divided among the workers. The result depends neither on the number of workers nor on the
/// number of rows read at once.
final class ResampleSource: RowSource {
  let layout: PictureLayout
  private let input: any RowSource
  /// The whole source if it is already in memory; otherwise nil.
  private let frame: PixelBuffer?
  private let resampler: StreamingResampler
  private let context: OperationContext
  private var next = 0

  /// The maximum numbers of target rows that one of several workers, and all of them together, compute at once. More
  /// than 16 workers compute 4 rows each, the number of rows that the kernels compute together.
  private static let (rowsPerWorker, rowsTogether) = (16, 64)
  /// The minimum number of products per worker, about 50 µs of work, for which dividing rows among workers pays off.
  private static let worthwhile = 2_000_000

  init(_ input: any RowSource, plan: ResamplePlan, context: OperationContext) {
    layout = input.layout.with(
      width: plan.geometry.targetWidth, height: plan.geometry.targetHeight)
    self.input = input
    self.context = context
    let isLarge = plan.productsPerRow * Self.rowsPerWorker >= Self.worthwhile
    let workers = isLarge ? max(1, context.parallelism) : 1
    let each = max(4, min(Self.rowsPerWorker, Self.rowsTogether / workers))
    let stripRows = workers == 1 ? plan.rowsAtOnce : each * workers
    frame = (input as? BufferSource)?.unread
    if let frame {
      precondition(PixelBuffer.slack >= StreamingResampler.slack)
      resampler = StreamingResampler(
        plan, frame: frame.base, stride: frame.stride, stripRows: stripRows, workers: workers)
    } else {
      resampler = StreamingResampler(plan, stripRows: stripRows, workers: workers)
    }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    precondition(next + count <= layout.height, "read past the last row")
    var done = 0
    while done < count {
      try context.checkCancellation()
      let strip = next..<next + min(resampler.stripRows, count - done)
      try feed(strip)
      render(strip, into: destination + done * stride, stride: stride)
      next = strip.upperBound
      done += strip.count
    }
  }

  /// Reads and filters the source rows that a strip needs.
  private func feed(_ strip: Range<Int>) throws(PictureError) {
    let end = resampler.sourceRows(of: strip).upperBound
    repeat {
      if resampler.nextRow < end {
        if frame != nil {
          resampler.advance(by: end - resampler.nextRow)
        } else {
          let (address, count) = resampler.freeRows(until: end)
          try input.read(count, into: address, stride: resampler.rowStride)
          resampler.advance(by: count)
        }
      }
      let resampler = resampler
      share(resampler.rowsToFilter(for: strip), multiple: 1) { rows, worker in
        resampler.filterRows(rows, worker: worker)
      }
    } while resampler.nextRow < end
  }

  private func render(
    _ strip: Range<Int>, into destination: UnsafeMutableRawPointer, stride: Int
  ) {
    let resampler = resampler
    let target = SharedRows(base: destination, stride: stride)
    share(strip.count, multiple: 4) { rows, worker in
      let targets = strip.lowerBound + rows.lowerBound..<strip.lowerBound + rows.upperBound
      resampler.render(targets, into: target.row(rows.lowerBound), stride: stride, worker: worker)
    }
  }

  /// Divides `count` rows among the workers. In each part except the last, the number of rows is a multiple of
  /// `multiple`.
  private func share(_ count: Int, multiple: Int, _ body: @Sendable (_ rows: Range<Int>, _ worker: Int) -> Void) {
    guard count > 0 else { return }
    let each = (count + resampler.workers - 1) / resampler.workers
    let size = (each + multiple - 1) / multiple * multiple
    context.parallelFor((count + size - 1) / size) { [context] worker in
      context.allowPreemption()
      body(worker * size..<min((worker + 1) * size, count), worker)
    }
  }
}

extension ResamplePixels {
  init(_ format: PixelFormat) {
    self.init(bands: format.bands, bytesPerSample: format.sample.byteCount, hasAlpha: format.hasAlpha)
  }
}
