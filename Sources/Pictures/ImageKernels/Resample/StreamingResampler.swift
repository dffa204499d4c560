import CKernels
import CProcessor

/// Resamples a picture that arrives row by row, keeping only the rows still needed.
///
/// For each strip of target rows, from the top:
/// 1. While `nextRow` is below `sourceRows(of: strip).upperBound`: put source rows into `freeRows`,
///    `advance`, and `filterRows`, as many as `rowsToFilter` says.
/// 2. `render` the strip.
///
/// Memory is the source's row size times the rows that a strip is made of, or, for enlarging and extreme
/// ratios, the target's. Nothing is allocated after the first rows that need floating point.
///
/// `@unchecked Sendable`: steps follow each other on one thread at a time. Within a step several workers may
/// call `filterRows` and `render` at once, each with its own number and its own rows. They read the results of
/// earlier steps, and write only their own rows and their own scratch memory.
package final class StreamingResampler: @unchecked Sendable {
  package let plan: ResamplePlan
  /// The most target rows a strip may have.
  package let stripRows: Int
  /// The number of workers.
  package let workers: Int
  /// Bytes from one source row to the next in `freeRows`.
  package let rowStride: Int
  /// The source row that is fed next.
  package private(set) var nextRow = 0

  /// Slots for source rows, or the caller's frame; row `y` is in slot `y % capacity`.
  private let source: UnsafeRawPointer
  /// The slots as this object owns and fills them; nil for a frame of the caller's.
  private let ring: UnsafeMutableRawPointer?
  private let capacity: Int
  /// Whether the row in a slot has no transparency.
  private let opaque: UnsafeMutablePointer<Bool>
  let scratch: [ResampleScratch]
  /// Rows after the horizontal pass; nil where the vertical pass goes first.
  private let horizontalFirst: (any HorizontalFirstRows)?
  private var pending: [Int] = []

  /// - Parameters:
  ///   - stripRows: the most target rows a strip may have, at least 1.
  ///   - workers: at least 1.
  package convenience init(_ plan: ResamplePlan, stripRows: Int, workers: Int) {
    let stripRows = min(stripRows, plan.geometry.targetHeight)
    // An odd number of cache lines: rows of a power of 2 would all compete for the same cache sets.
    let bytes = plan.geometry.sourceWidth * plan.pixels.bytesPerPixel + 63
    let rowStride = (bytes / 64 | 1) * 64
    let capacity = plan.isHorizontalFirst ? Self.stagedRows * workers : plan.mostSourceRows(of: stripRows)
    let ring = UnsafeMutableRawPointer.allocate(byteCount: rowStride * capacity + Self.slack, alignment: 64)
    self.init(plan, UnsafeRawPointer(ring), ring: ring, rowStride, capacity, stripRows: stripRows, workers: workers)
  }

  /// Resamples a frame that is in memory: nothing is copied, and `freeRows` is not used.
  ///
  /// - Parameters:
  ///   - frame: the first row; stays valid and unchanged while rows are rendered, and is readable for
  ///     `slack` bytes after the last row.
  ///   - stride: bytes from one row to the next.
  ///   - stripRows: the most target rows a strip may have, at least 1.
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

  /// Bytes after the last row of a frame that kernels may read, whose values do not matter.
  package static let slack = 320

  /// The number of source rows for each worker that wait for the horizontal pass where it goes first.
  private static let stagedRows = 16

  /// The source rows that target rows `range` are made of.
  package func sourceRows(of range: Range<Int>) -> Range<Int> { plan.sourceRows(of: range) }

  /// The room for the next source rows: how many of rows `nextRow..<end` fit, and where the first goes.
  ///
  /// `end` is at most the upper bound of the strip's `sourceRows`.
  package func freeRows(until end: Int) -> (address: UnsafeMutableRawPointer, count: Int) {
    guard let ring else { preconditionFailure("a frame has no free rows") }
    let slot = nextRow % capacity
    return (ring + slot * rowStride, min(end - nextRow, capacity - slot))
  }

  /// Records that `count` rows have been put into `freeRows`.
  package func advance(by count: Int) {
    if plan.premultiplies, plan.integers != nil {
      for row in nextRow..<nextRow + count {
        // Rows of a frame are far from each other: each begins with a wait for memory.
        let soon = min(row + 8, nextRow + count - 1)
        imghost_prefetch(slot(soon) + plan.columns.lowerBound * plan.pixels.bands, 64)
        opaque[row % capacity] = Opacity.isOpaque(slot(row), pixels: plan.pixels, columns: plan.columns)
      }
    }
    nextRow += count
  }

  /// The number of fed rows that need the horizontal pass before target rows `strip` can be rendered.
  package func rowsToFilter(for strip: Range<Int>) -> Int {
    guard let horizontalFirst else { return 0 }
    pending.removeAll(keepingCapacity: true)
    let first = max(sourceRows(of: strip).lowerBound, nextRow - capacity)
    for row in first..<max(first, nextRow) where horizontalFirst.claim(row) { pending.append(row) }
    return pending.count
  }

  /// Runs the horizontal pass over some of the `rowsToFilter`.
  package func filterRows(_ indices: Range<Int>, worker: Int) {
    guard let horizontalFirst, !indices.isEmpty else { return }
    horizontalFirst.filter(
      pending[indices], source: { self.slot($0) }, scratch: scratch[worker])
  }

  /// Makes target rows `targets`, part of the strip, at `output`, rows `stride` bytes apart.
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

  /// The first byte of source row `row`, which must be one of the last that were fed.
  func slot(_ row: Int) -> UnsafeRawPointer {
    // Every row of a frame has its own place: no division.
    source + (row < capacity ? row : row % capacity) * rowStride
  }

  /// The end of the rows that have been fed or are in the caller's frame.
  var knownRows: Int { ring == nil ? capacity : nextRow }

  /// The source rows in memory: those that were fed last, or all of the caller's frame.
  var keptRows: Range<Int> { ring == nil ? 0..<capacity : max(0, nextRow - capacity)..<nextRow }

  private func isInteger(_ target: Int) -> Bool {
    plan.integers != nil && (!plan.premultiplies || isOpaque(target))
  }

  /// Whether all source rows of a target row are opaque: then premultiplying changes nothing.
  private func isOpaque(_ target: Int) -> Bool {
    sourceRows(of: target..<target + 1).allSatisfy { opaque[$0 % capacity] }
  }
}

extension StreamingResampler {
  /// Stores, for up to four target rows, the ranges of their groups of source rows, the rows' addresses, and the addresses
  /// of the rows to prefetch for the next target rows.
  func gather(_ targets: Range<Int>, _ integers: IntegerPlan, _ scratch: ResampleScratch) {
    guard let weights = integers.interleaved else { return }
    let range = weights.units(of: targets)
    for (index, target) in targets.enumerated() {
      let own = weights.units[target]
      scratch.ranges[2 * index] = Int32(own.lowerBound - range.lowerBound)
      scratch.ranges[2 * index + 1] = Int32(own.upperBound - range.lowerBound)
    }
    let origin = plan.columns.lowerBound * plan.pixels.bands
    if plan.kernels.interleaveRows8 == nil {
      // Rows outside the picture have weights of 0.
      let kept = keptRows
      for row in 0..<range.count * weights.rows {
        let clamped = min(max(range.lowerBound * weights.rows + row, kept.lowerBound), kept.upperBound - 1)
        scratch.rows[row] = slot(clamped) + origin
      }
    }
    let nextEnd = min(targets.upperBound + ResampleScratch.rows, plan.geometry.targetHeight)
    let next = targets.upperBound..<nextEnd
    let made = range.upperBound * weights.rows
    // The rows that the next target rows need and some of those that follow, so that fetching comes more evenly.
    let wanted = next.isEmpty ? made : sourceRows(of: next).upperBound
    let end = min(knownRows, max(wanted, made + range.count * weights.rows / 2))
    scratch.aheadCount = max(0, end - made)
    for row in 0..<scratch.aheadCount { scratch.ahead[row] = slot(made + row) + origin }
  }

  /// The vertical pass of 8-bit samples: a block of columns of target rows that have been gathered, into
  /// `scratch.flat` or, of four bands, into `scratch.paired`.
  func filterRows(_ targets: Range<Int>, _ block: IntegerBlock, _ integers: IntegerPlan, _ scratch: ResampleScratch) {
    guard let weights = integers.interleaved else { return }
    let bands = plan.pixels.bands
    var (rows, offset) = (UnsafePointer(scratch.rows), block.offset)
    if let ring = scratch.interleaved, let interleave = plan.kernels.interleaveRows8 {
      let origin = plan.columns.lowerBound * bands
      (rows, offset) = ring.present(
        weights.units(of: targets), block, known: keptRows, height: plan.geometry.sourceHeight, interleave
      ) { slot($0) + origin }
    }
    for row in 0..<targets.count {
      scratch.blockOutputs[row] = UnsafeMutableRawPointer(
        mutating: bands == 4 ? scratch.paired[row] + block.offset * 2 : scratch.flat[row])
    }
    weights.coefficients.withUnsafeBytes { coefficients in
      guard let base = coefficients.baseAddress else { return }
      var pass = VerticalPass8(
        rows: rows, offset: offset, ranges: scratch.ranges,
        coefficients: base + targets.lowerBound * weights.stride, stride: weights.stride,
        targets: targets.count, count: block.count, shift: integers.verticalShift, bands: bands,
        outputs: scratch.blockOutputs, ahead: scratch.ahead, aheadCount: scratch.aheadCount,
        aheadOffset: block.offset)
      plan.kernels.filterRows8(&pass)
    }
  }
}

extension StreamingResampler {
  /// Makes target rows of 16-bit samples without alpha, eight at a time. Each block of columns goes through the vertical
  /// pass and, as far as pixels have all their neighbours, through the horizontal one at once, so that the samples between
  /// the passes stay in the cache.
  func render(
    _ targets: Range<Int>, with wide: WidePlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    let memory = scratch.memory(for: wide)
    var held = 0..<0
    for first in Swift.stride(from: targets.lowerBound, to: targets.upperBound, by: WidePlan.rows) {
      let few = first..<min(first + WidePlan.rows, targets.upperBound)
      for row in 0..<WidePlan.rows {
        let target = first - targets.lowerBound + row
        memory.outputs[row] = row < few.count ? output + target * stride : memory.spare
      }
      gather(few, memory, after: held)
      render(few, with: wide, memory)
      held = sourceRows(of: few)
    }
  }

  private func render(_ targets: Range<Int>, with wide: WidePlan, _ memory: WideScratch) {
    let (bands, lanes) = (plan.pixels.bands, memory.lanes)
    var (done, split) = (0, 0)
    for block in memory.blocks {
      wide.filterRows(
        plan.kernels, targets, offset: block.offset * 2, count: block.count, memory,
        into: lanes + block.place * WidePlan.laneSize, ahead: memory.ahead(of: block))
      wide.filterPixels(plan.kernels, done..<block.finished, lanes, origin: block.origin, into: memory.samples)
      done = block.finished
      // Samples are split by eights; the rest waits.
      let end = done == plan.geometry.targetWidth ? done * bands : done * bands & ~7
      plan.kernels.splitEightRows16(memory.samples, split, end - split, memory.outputs)
      split = end
      if block.moved.isEmpty { continue }
      lanes.copyMemory(
        from: lanes + block.moved.lowerBound * WidePlan.laneSize,
        byteCount: block.moved.count * WidePlan.laneSize)
    }
  }

  /// Stores the addresses of some target rows' source rows, the range of each target row, and the rows to prefetch: those
  /// after `held`, and the known and new ones of the next target rows.
  private func gather(_ targets: Range<Int>, _ memory: WideScratch, after held: Range<Int>) {
    let origin = plan.columns.lowerBound * plan.pixels.bytesPerPixel
    gather(targets, into: memory.sources, memory.ranges)
    let needed = sourceRows(of: targets)
    memory.fresh = min(max(held.upperBound - needed.lowerBound, 0), needed.count)..<needed.count
    memory.nextCount = 0
    let last = min(targets.upperBound + WidePlan.rows, plan.geometry.targetHeight)
    guard last > targets.upperBound else { return }
    let next = sourceRows(of: targets.upperBound..<last)
    let first = max(next.lowerBound, needed.upperBound)
    for row in first..<max(first, min(next.upperBound, knownRows)) {
      memory.nextSources[memory.nextCount] = slot(row) + origin
      memory.nextCount += 1
    }
  }
}

extension StreamingResampler {
  /// Makes up to four target rows in 16-bit arithmetic, block by block of source columns: the vertical pass and, while
  /// its results are in the first-level cache, the horizontal one as far as target columns have all their sources.
  func render(
    _ targets: Range<Int>, with integers: IntegerPlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    let bands = plan.pixels.bands
    // Four lanes hold one row of 3 or 4 bands, two rows of 2, four rows of 1.
    let rowsAtOnce = bands > 2 ? 1 : 4 / bands
    let groups = (targets.count + rowsAtOnce - 1) / rowsAtOnce
    for group in 0..<groups {
      scratch.outputs[group] = bands > 2 ? output + group * stride : scratch.quads[group]
    }
    gather(targets, integers, scratch)
    for block in scratch.blocks {
      filterRows(targets, block, integers, scratch)
      for group in 0..<groups where bands != 4 {
        let paired = UnsafeMutableRawPointer(mutating: scratch.paired[group])
        plan.kernels.pairPixels(
          scratch.flat + group * rowsAtOnce, bands, block.pairs.count,
          paired + block.pairs.lowerBound * 16)
      }
      filterPixels(block.columns, groups, integers, scratch, step: bands == 3 ? 3 : 4)
    }
    finish(targets, groups, integers, into: output, stride: stride, scratch)
  }

  /// Moves the samples that the horizontal pass could not put in place.
  private func finish(
    _ targets: Range<Int>, _ groups: Int, _ integers: IntegerPlan,
    into output: UnsafeMutableRawPointer, stride: Int, _ scratch: ResampleScratch
  ) {
    let (bands, count) = (plan.pixels.bands, plan.geometry.targetWidth)
    switch bands {
    case 4: break
    case 3:
      // Pixels of three bytes are written with a fourth, which the next one covers; the last has none.
      for group in 0..<groups { scratch.outputs[group] = scratch.quads[group] }
      filterPixels(count - 1..<count, groups, integers, scratch, step: 4)
      for group in 0..<groups {
        let last = output + group * stride + 3 * (count - 1)
        last.copyMemory(from: scratch.quads[group], byteCount: 3)
      }
    default:
      let rowsAtOnce = 4 / bands
      for group in 0..<groups {
        let first = group * rowsAtOnce
        Quads.unpack8(
          scratch.quads[group], bands: bands, count: count,
          rows: min(rowsAtOnce, targets.count - first), into: output + first * stride,
          stride: stride)
      }
    }
  }

  /// The horizontal pass of target columns `columns`, `step` bytes apart from where
  /// `scratch.outputs` say, which then are after them.
  private func filterPixels(
    _ columns: Range<Int>, _ groups: Int, _ integers: IntegerPlan, _ scratch: ResampleScratch, step: Int
  ) {
    integers.filterPixels(columns, groups, scratch, step: step, plan.kernels.filterPixels8)
    for group in 0..<groups { scratch.outputs[group] += columns.count * step }
  }
}
