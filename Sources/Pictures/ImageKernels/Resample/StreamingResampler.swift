import CProcessor

/// Resamples a picture row by row, and keeps only the source rows that are still needed.
///
/// For each strip of target rows, from the top:
/// 1. While `nextRow` is below `sourceRows(of: strip).upperBound`: write source rows to `freeRows`, call `advance`, and
///    call `filterRows` for as many rows as `rowsToFilter` returns.
/// 2. `render` the strip.
///
/// If the vertical pass runs first, the object keeps as many source rows as a strip depends on. If the horizontal pass
/// runs first (for enlarging and extreme ratios), it keeps the filtered versions of these rows, as wide as the target,
/// and a few unfiltered rows for each worker. Scratch memory for each kind of arithmetic is allocated once.
///
/// `@unchecked Sendable`: callers run these steps one after another. Within a step, concurrent calls of `filterRows` or
/// `render` write only their own rows and the scratch memory of their own worker.
package final class StreamingResampler: @unchecked Sendable {
  package let plan: ResamplePlan
  /// The maximum number of target rows in a strip.
  package let stripRows: Int
  /// The number of workers.
  package let workers: Int
  /// The number of bytes from one source row to the next in `freeRows`.
  package let rowStride: Int
  /// The next source row to be provided.
  package private(set) var nextRow = 0

  /// Slots for source rows, or the caller's frame; row `y` is in slot `y % capacity`.
  private let source: UnsafeRawPointer
  /// The slots, if this object owns them; nil for a frame of the caller.
  private let ring: UnsafeMutableRawPointer?
  private let capacity: Int
  /// Whether the row in a slot has no transparency.
  private let opaque: UnsafeMutablePointer<Bool>
  let scratch: [ResampleScratch]
  /// Rows after the horizontal pass; nil if the vertical pass runs first.
  private let horizontalFirst: (any HorizontalFirstRows)?
  private var pending: [Int] = []

  /// - Parameters:
  ///   - stripRows: the maximum number of target rows in a strip, at least 1.
  ///   - workers: at least 1.
  package convenience init(_ plan: ResamplePlan, stripRows: Int, workers: Int) {
    let stripRows = min(stripRows, plan.geometry.targetHeight)
    // The stride is an odd number of cache lines, because rows at distances of a power of 2 compete for the same cache
    // sets.
    let bytes = plan.geometry.sourceWidth * plan.pixels.bytesPerPixel + 63
    let rowStride = (bytes / 64 | 1) * 64
    let capacity = plan.isHorizontalFirst ? Self.stagedRows * workers : plan.mostSourceRows(of: stripRows)
    let ring = UnsafeMutableRawPointer.allocate(byteCount: rowStride * capacity + Self.slack, alignment: 64)
    self.init(plan, UnsafeRawPointer(ring), ring: ring, rowStride, capacity, stripRows: stripRows, workers: workers)
  }

  /// Resamples a frame that is in memory, without copying it; `freeRows` is not used.
  ///
  /// - Parameters:
  ///   - frame: the address of the first row. The frame must stay valid and unchanged while rows are rendered, and must
  ///     be readable for `slack` bytes after the last row.
  ///   - stride: the number of bytes from one row to the next.
  ///   - stripRows: the maximum number of target rows in a strip, at least 1.
  ///   - workers: at least 1.
  package convenience init(_ plan: ResamplePlan, frame: UnsafeRawPointer, stride: Int, stripRows: Int, workers: Int) {
    self.init(
      plan, frame, ring: nil, stride, plan.geometry.sourceHeight,
      stripRows: min(stripRows, plan.geometry.targetHeight), workers: workers)
  }

  private init(
    _ plan: ResamplePlan, _ source: UnsafeRawPointer, ring: UnsafeMutableRawPointer?,
    _ rowStride: Int, _ capacity: Int, stripRows: Int, workers: Int
  ) {
    self.plan = plan
    self.stripRows = stripRows
    self.workers = workers
    self.rowStride = rowStride
    self.source = source
    self.ring = ring
    self.capacity = capacity
    opaque = .allocate(capacity: capacity)
    opaque.initialize(repeating: true, count: capacity)
    scratch = (0..<workers).map { _ in ResampleScratch(plan) }
    horizontalFirst = plan.horizontalFirstRows(stripRows: stripRows)
  }

  deinit {
    ring?.deallocate()
    opaque.deallocate()
  }

  /// The number of bytes after the last row of a frame that kernels may read. Their values do not matter.
  package static let slack = 320

  /// The number of slots per worker for source rows if the horizontal pass runs first.
  private static let stagedRows = 16

  /// Returns the source rows of target rows `range`.
  package func sourceRows(of range: Range<Int>) -> Range<Int> { plan.sourceRows(of: range) }

  /// Returns where to write the next source rows: the address for row `nextRow`, and the number of rows of
  /// `nextRow..<end` for which there is room.
  ///
  /// - Parameter end: at most the upper bound of the strip's `sourceRows`.
  package func freeRows(until end: Int) -> (address: UnsafeMutableRawPointer, count: Int) {
    guard let ring else { preconditionFailure("a frame has no free rows") }
    let slot = nextRow % capacity
    return (ring + slot * rowStride, min(end - nextRow, capacity - slot))
  }

  /// Records that the next `count` source rows are available: in `freeRows`, or in the caller's frame.
  package func advance(by count: Int) {
    if plan.premultiplies, plan.integers != nil {
      for row in nextRow..<nextRow + count {
        // The rows of a frame are far apart, so without prefetching, each would begin with a cache miss.
        let soon = min(row + 8, nextRow + count - 1)
        imghost_prefetch(slot(soon) + plan.columns.lowerBound * plan.pixels.bands, 64)
        opaque[row % capacity] = Opacity.isOpaque(slot(row), pixels: plan.pixels, columns: plan.columns)
      }
    }
    nextRow += count
  }

  /// Returns the number of provided rows that need the horizontal pass before target rows `strip` can be rendered.
  package func rowsToFilter(for strip: Range<Int>) -> Int {
    guard let horizontalFirst else { return 0 }
    pending.removeAll(keepingCapacity: true)
    let first = max(sourceRows(of: strip).lowerBound, nextRow - capacity)
    for row in first..<max(first, nextRow) where horizontalFirst.claim(row) { pending.append(row) }
    return pending.count
  }

  /// Runs the horizontal pass over some of the rows that `rowsToFilter` has counted.
  ///
  /// - Parameter indices: a part of `0..<rowsToFilter`.
  package func filterRows(_ indices: Range<Int>, worker: Int) {
    guard let horizontalFirst, !indices.isEmpty else { return }
    horizontalFirst.filter(
      pending[indices], source: { self.slot($0) }, scratch: scratch[worker])
  }

  /// Computes target rows `targets`, a part of the strip, and writes them to `output`, `stride` bytes apart.
  package func render(_ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, worker: Int) {
    if let horizontalFirst {
      horizontalFirst.render(targets, into: output, stride: stride, scratch: scratch[worker])
      return
    }
    var row = targets.lowerBound
    while row < targets.upperBound {
      let address = output + (row - targets.lowerBound) * stride
      let isInteger = isInteger(row)
      var count = 1
      let most = isInteger ? ResampleScratch.rows : plan.otherRowsAtOnce
      while count < most, row + count < targets.upperBound,
        self.isInteger(row + count) == isInteger
      { count += 1 }
      let rows = row..<row + count
      if isInteger, let integers = plan.integers {
        render(rows, with: integers, into: address, stride: stride, scratch[worker])
      } else if let wide = plan.wide {
        render(rows, with: wide, into: address, stride: stride, scratch[worker])
      } else if let premultiplied = plan.premultiplied {
        render(rows, with: premultiplied, into: address, stride: stride, scratch[worker])
      } else if let floats = plan.floats {
        render(rows, with: floats, into: address, stride: stride, scratch[worker])
      }
      row += count
    }
  }

  /// Returns the first byte of source row `row`, which must still be in memory.
  func slot(_ row: Int) -> UnsafeRawPointer {
    // Rows below the capacity, which includes all rows of a frame, need no division.
    source + (row < capacity ? row : row % capacity) * rowStride
  }

  /// The number of source rows that have been provided: those of the whole frame if the caller has one.
  var knownRows: Int { ring == nil ? capacity : nextRow }

  /// The source rows in memory: the last `capacity` rows that were provided, or the caller's whole frame.
  var keptRows: Range<Int> { ring == nil ? 0..<capacity : max(0, nextRow - capacity)..<nextRow }

  private func isInteger(_ target: Int) -> Bool {
    plan.integers != nil && (!plan.premultiplies || isOpaque(target))
  }

  /// Returns whether all source rows of a target row are opaque, in which case premultiplying changes nothing.
  private func isOpaque(_ target: Int) -> Bool {
    sourceRows(of: target..<target + 1).allSatisfy { opaque[$0 % capacity] }
  }
}
