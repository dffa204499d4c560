import CKernels

/// Source rows after the horizontal pass, when that pass runs first. They are as wide as the target.
///
/// Several workers filter rows, and then render rows, concurrently; see the steps of `StreamingResampler`.
protocol HorizontalFirstRows: AnyObject {
  /// Reserves a slot for a source row; returns false if it already has one.
  func claim(_ row: Int) -> Bool
  /// Runs the horizontal pass over source rows, and writes the results into the slots of these rows.
  ///
  /// - Parameter source: returns the address of a source row.
  func filter(
    _ rows: ArraySlice<Int>, source: (Int) -> UnsafeRawPointer, scratch: ResampleScratch)
  /// Runs the vertical pass, and writes target rows to `output`, `stride` bytes apart.
  func render(_ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, scratch: ResampleScratch)
}

extension ResamplePlan {
  /// Returns room for the filtered source rows of a strip; nil if the vertical pass runs first.
  func horizontalFirstRows(stripRows: Int) -> (any HorizontalFirstRows)? {
    guard isHorizontalFirst else { return nil }
    let capacity = mostSourceRows(of: stripRows)
    if let integers { return HorizontalFirstIntegerRows(self, integers, capacity: capacity) }
    return HorizontalFirstFloatRows(self, capacity: capacity)
  }
}

/// Slots for the last filtered rows; row `y` is in slot `y % capacity`.
struct RowRing {
  let rowSize: Int
  let memory: UnsafeMutableRawPointer
  /// The source row in each slot.
  private var rows: [Int]

  init(rowSize: Int, capacity: Int) {
    self.rowSize = rowSize
    memory = .allocate(byteCount: rowSize * capacity, alignment: 64)
    rows = [Int](repeating: -1, count: capacity)
  }

  func slot(_ row: Int) -> UnsafeMutableRawPointer { memory + row % rows.count * rowSize }

  mutating func claim(_ row: Int) -> Bool {
    guard rows[row % rows.count] != row else { return false }
    rows[row % rows.count] = row
    return true
  }
}

/// Rows that the horizontal pass converts from 8-bit samples to 16-bit samples with 6 fraction bits. Used for
/// enlarging, where the horizontal pass has fewer rows to process if it runs first.
final class HorizontalFirstIntegerRows: HorizontalFirstRows {
  private let plan: ResamplePlan
  private let integers: IntegerPlan
  private var ring: RowRing
  /// The number of samples of a target row.
  private let count: Int

  init(_ plan: ResamplePlan, _ integers: IntegerPlan, capacity: Int) {
    self.plan = plan
    self.integers = integers
    count = plan.geometry.targetWidth * plan.pixels.bands
    // The vertical pass reads a multiple of 64 samples. With three bands, the horizontal pass writes a sample after the
    // last.
    let rowSize = (count + 63) / 64 * 128 + 64
    ring = RowRing(rowSize: rowSize, capacity: capacity)
  }

  deinit { ring.memory.deallocate() }

  func claim(_ row: Int) -> Bool { ring.claim(row) }

  func filter(_ rows: ArraySlice<Int>, source: (Int) -> UnsafeRawPointer, scratch: ResampleScratch) {
    var rest = rows
    while !rest.isEmpty {
      filter(few: rest.prefix(ResampleScratch.rows), source, scratch)
      rest = rest.dropFirst(ResampleScratch.rows)
    }
  }

  private func filter(few rows: ArraySlice<Int>, _ source: (Int) -> UnsafeRawPointer, _ scratch: ResampleScratch) {
    let bands = plan.pixels.bands
    // The four lanes contain one row with 3 or 4 bands, two rows with 2 bands, or four rows with 1 band.
    let rowsAtOnce = bands > 2 ? 1 : 4 / bands
    let groups = (rows.count + rowsAtOnce - 1) / rowsAtOnce
    for (index, row) in rows.enumerated() {
      Widening.widen(
        source(row) + plan.columns.lowerBound * bands, count: plan.columns.count * bands,
        into: UnsafeMutableRawPointer(mutating: scratch.flat[index]))
    }
    for group in 0..<groups {
      plan.kernels.pairPixels(
        scratch.flat + group * rowsAtOnce, bands, scratch.pairs,
        UnsafeMutableRawPointer(mutating: scratch.paired[group]))
      scratch.outputs[group] = bands > 2 ? ring.slot(rows[rows.startIndex + group]) : scratch.quads[group]
    }
    // Filtering a group of four rows and discarding one is cheaper than filtering three rows one by one.
    if groups == 3 { scratch.outputs[3] = scratch.quads[3] }
    integers.filterPixels(
      0..<plan.geometry.targetWidth, groups == 3 ? 4 : groups, scratch,
      step: bands == 3 ? 6 : 8, plan.kernels.filterPixels16)
    for (index, row) in rows.enumerated() where bands < 3 {
      let quads = scratch.quads[index / rowsAtOnce] + index % rowsAtOnce * bands * 2
      Quads.unpack16(quads, bands: bands, count: plan.geometry.targetWidth, rows: 1, into: ring.slot(row), stride: 0)
    }
  }

  /// The number of samples of a block. Each block is completed for all target rows before the next block begins, so its
  /// samples of about eight filtered rows stay in the first-level cache.
  private static let block = 1024

  func render(_ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, scratch: ResampleScratch) {
    for offset in Swift.stride(from: 0, to: count, by: Self.block) {
      for target in targets {
        render(
          target, offset..<min(offset + Self.block, count),
          into: output + (target - targets.lowerBound) * stride, scratch: scratch)
      }
    }
  }

  /// Computes samples `part` of a target row that begins at `output`; `part` begins at a multiple of 64.
  private func render(_ target: Int, _ part: Range<Int>, into output: UnsafeMutableRawPointer, scratch: ResampleScratch)
  {
    let (axis, weights) = (plan.vertical, integers.vertical)
    let last = axis.tapCounts[target] - 1
    let taps = (axis.tapCounts[target] + 1) & ~1
    for k in 0..<taps {
      let row = ring.slot(axis.starts[target] + min(k, last))
      scratch.sources[k] = UnsafeRawPointer(row + part.lowerBound * 2)
    }
    // The last samples go through scratch memory, because the pass writes 64 at a time.
    let whole = part.count & ~63
    weights.coefficients.withUnsafeBufferPointer { coefficients in
      guard let base = coefficients.baseAddress else { return }
      var pass = VerticalPass16(
        rows: scratch.sources, coefficients: base + target * weights.taps, taps: taps,
        count: whole, shift: integers.verticalShift, output: output + part.lowerBound,
        nextCoefficients: nil, nextOutput: nil)
      plan.kernels.filterRows16(&pass)
      if whole == part.count { return }
      for k in 0..<taps { scratch.sources[k] += whole * 2 }
      let end = pass.output + whole
      (pass.count, pass.output) = (64, scratch.quads[0])
      plan.kernels.filterRows16(&pass)
      end.copyMemory(from: scratch.quads[0], byteCount: part.count - whole)
    }
  }
}

/// Rows after the horizontal pass in floating point, with four lanes per pixel. Used for extreme ratios, where a target
/// row depends on too many source rows to keep them all unfiltered.
final class HorizontalFirstFloatRows: HorizontalFirstRows {
  private let plan: ResamplePlan
  private var ring: RowRing
  private let weights: FloatPlan?

  init(_ plan: ResamplePlan, capacity: Int) {
    self.plan = plan
    let lane = plan.needsDouble ? MemoryLayout<SIMD4<Double>>.size : MemoryLayout<SIMD4<Float>>.size
    let rowSize = (plan.geometry.targetWidth * lane + 255) & ~255
    ring = RowRing(rowSize: rowSize, capacity: capacity)
    weights = plan.needsDouble ? nil : FloatPlan(plan.horizontal, plan.vertical, origin: plan.columns.lowerBound)
  }

  deinit { ring.memory.deallocate() }

  func claim(_ row: Int) -> Bool { ring.claim(row) }

  func filter(_ rows: ArraySlice<Int>, source: (Int) -> UnsafeRawPointer, scratch: ResampleScratch) {
    for row in rows { filter(row, from: source(row), scratch: scratch) }
  }

  private func filter(_ row: Int, from source: UnsafeRawPointer, scratch: ResampleScratch) {
    let (bands, count) = (plan.pixels.bands, plan.columns.count)
    let input = source + plan.columns.lowerBound * plan.pixels.bytesPerPixel
    guard let weights else {
      let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.decode16(bands, plan.premultiplies, count, input, lanes)
      FloatPasses.filterPixels(
        plan.horizontal, plan.columns.lowerBound, lanes,
        ring.slot(row).assumingMemoryBound(to: SIMD4<Double>.self))
      return
    }
    let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Float>.self)
    if plan.decodesLight {
      plan.widenPixels(input, count, into: lanes)
    } else if plan.pixels.bytesPerSample == 2 {
      FloatPasses.decode16(bands, plan.premultiplies, count, input, lanes)
    } else {
      FloatPasses.decode8(bands, plan.premultiplies, count, input, lanes)
    }
    var (rows, output) = (UnsafeRawPointer(lanes), ring.slot(row))
    weights.filterPixels(plan.kernels, 0..<plan.geometry.targetWidth, &rows, count: 1, into: &output)
  }

  func render(_ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, scratch: ResampleScratch) {
    for target in targets {
      render(
        target, into: output + (target - targets.lowerBound) * stride, scratch: scratch)
    }
  }

  private func render(_ target: Int, into output: UnsafeMutableRawPointer, scratch: ResampleScratch) {
    let axis = plan.vertical
    let taps = axis.tapCounts[target]
    for k in 0..<taps { scratch.sources[k] = UnsafeRawPointer(ring.slot(axis.starts[target] + k)) }
    let (bands, count) = (plan.pixels.bands, plan.geometry.targetWidth)
    guard let weights else {
      let sums = scratch.sums.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.filterRows(axis, target, scratch.sources, count, sums)
      FloatPasses.encode16(sums, bands, plan.premultiplies, count, output)
      return
    }
    let sums = scratch.sums.assumingMemoryBound(to: SIMD4<Float>.self)
    weights.filterRows(plan.kernels, target, taps, scratch.sources, floats: ring.rowSize / 4, into: sums)
    if plan.decodesLight { plan.encodeLanes(sums, count) }
    if plan.pixels.bytesPerSample == 2 {
      FloatPasses.encode16(sums, bands, plan.premultiplies, count, output)
    } else {
      FloatPasses.encode8(sums, bands, plan.premultiplies, count, output)
    }
  }
}
