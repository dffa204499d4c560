/// Resamples a picture that arrives row by row, keeping only the rows still needed.
///
/// For each strip of target rows, from the top:
/// 1. While `nextRow` is below `sourceRows(of: strip).upperBound`: put source rows into `freeRows`,
///    `advance`, and `fold` the `foldableRows`.
/// 2. `render` the strip.
///
/// Memory is the source's row size times the rows that a strip is made of, or, in floating point, the
/// target's. Nothing is allocated after the first rows that need floating point.
///
/// `@unchecked Sendable`: steps follow each other on one thread at a time. Within a step `fold` and
/// `render` may run on several threads at once as long as each has its own `lane` and its own rows: they
/// read what earlier steps wrote, and write their lane's scratch and their own rows only.
public final class StreamingResampler: @unchecked Sendable {
  public let plan: ResamplePlan
  /// The most target rows a strip may have.
  public let stripRows: Int
  /// Workers that may fold or render at once.
  public let lanes: Int
  /// Bytes from one source row to the next in `freeRows`.
  public let rowStride: Int
  /// The source row that is fed next.
  public private(set) var nextRow = 0

  /// Slots for source rows; row `y` is in slot `y % capacity`.
  private let ring: UnsafeMutableRawPointer
  private let capacity: Int
  /// Whether the row in a slot has no transparency.
  private let opaque: UnsafeMutablePointer<Bool>
  let scratch: [ResampleScratch]
  private(set) var folded: FoldedRows?
  private var pending: [Int] = []

  /// - Parameters:
  ///   - stripRows: the most target rows a strip may have, at least 1.
  ///   - lanes: workers that may fold or render at once, at least 1.
  public init(_ plan: ResamplePlan, stripRows: Int, lanes: Int) {
    self.plan = plan
    self.stripRows = min(stripRows, plan.geometry.targetHeight)
    self.lanes = lanes
    // An odd number of cache lines: rows of a power of 2 would all compete for the same cache sets.
    let bytes = plan.geometry.sourceWidth * plan.pixels.bytesPerPixel + 192
    rowStride = ((bytes + 63) / 64 | 1) * 64
    capacity =
      plan.integers != nil ? plan.mostSourceRows(of: self.stripRows) : Self.stagedRows * lanes
    ring = .allocate(byteCount: rowStride * capacity + 128, alignment: 64)
    opaque = .allocate(capacity: capacity)
    opaque.initialize(repeating: true, count: capacity)
    scratch = (0..<lanes).map { _ in ResampleScratch(plan) }
    if plan.integers == nil { folded = FoldedRows(plan, stripRows: self.stripRows) }
  }

  deinit {
    ring.deallocate()
    opaque.deallocate()
  }

  /// Source rows that wait to be folded where all are.
  private static let stagedRows = 16

  /// The source rows that target rows `range` are made of.
  public func sourceRows(of range: Range<Int>) -> Range<Int> { plan.sourceRows(of: range) }

  /// Room for the next source rows: how many of rows `nextRow..<end` fit, and where the first goes.
  ///
  /// `end` is at most the upper bound of the strip's `sourceRows`.
  public func freeRows(until end: Int) -> (address: UnsafeMutableRawPointer, count: Int) {
    let slot = nextRow % capacity
    return (ring + slot * rowStride, min(end - nextRow, capacity - slot))
  }

  /// Takes note that `count` rows have been put into `freeRows`.
  public func advance(by count: Int) {
    if plan.premultiplies, plan.integers != nil {
      for row in nextRow..<nextRow + count {
        opaque[row % capacity] = Opacity.isOpaque(
          slot(row), pixels: plan.pixels, columns: plan.columns)
      }
    }
    nextRow += count
  }

  /// How many of the fed rows must be folded before target rows `strip` can be rendered.
  public func foldableRows(for strip: Range<Int>) -> Int {
    pending.removeAll(keepingCapacity: true)
    let needed = sourceRows(of: strip)
    if plan.integers == nil {
      collect(max(needed.lowerBound, nextRow - capacity)..<max(needed.lowerBound, nextRow))
    } else if plan.premultiplies, nextRow >= needed.upperBound {
      for target in strip where !isOpaque(target) {
        collect(sourceRows(of: target..<target + 1))
      }
    }
    return pending.count
  }

  /// Adds those of `rows` that are not folded yet to the pending ones.
  private func collect(_ rows: Range<Int>) {
    if folded == nil, !rows.isEmpty { folded = FoldedRows(plan, stripRows: stripRows) }
    guard let folded else { return }
    for row in rows where folded.claim(row) { pending.append(row) }
  }

  /// Weighs the horizontal neighbours of some of the `foldableRows` in floating point.
  public func fold(_ indices: Range<Int>, lane: Int) {
    guard let folded else { return }
    for index in indices {
      folded.fold(pending[index], from: slot(pending[index]), scratch: scratch[lane])
    }
  }

  /// Makes target rows `targets`, part of the strip, at `output`, rows `stride` bytes apart.
  public func render(
    _ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, lane: Int
  ) {
    var row = targets.lowerBound
    while row < targets.upperBound {
      var count = 0
      while count < ResampleScratch.rows, row + count < targets.upperBound, isInteger(row + count) {
        count += 1
      }
      let address = output + (row - targets.lowerBound) * stride
      if count > 0, let integers = plan.integers {
        render(row..<row + count, with: integers, into: address, stride: stride, scratch[lane])
      } else {
        count = 1
        folded?.render(row, into: address, scratch: scratch[lane])
      }
      row += count
    }
  }

  /// The first byte of source row `row`, which must be one of the last that were fed.
  func slot(_ row: Int) -> UnsafeRawPointer { UnsafeRawPointer(ring + row % capacity * rowStride) }

  private func isInteger(_ target: Int) -> Bool {
    plan.integers != nil && (!plan.premultiplies || isOpaque(target))
  }

  /// Whether all source rows of a target row are opaque: then weighing by alpha changes nothing.
  private func isOpaque(_ target: Int) -> Bool {
    sourceRows(of: target..<target + 1).allSatisfy { opaque[$0 % capacity] }
  }
}
