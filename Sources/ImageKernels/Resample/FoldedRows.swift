/// Source rows after the horizontal pass in floating point: target columns, four lanes each. For extreme
/// ratios, where a target row is made of more source rows than are worth keeping.
///
/// Rows are folded and rendered by several threads at once under `StreamingResampler`'s rules.
final class FoldedRows {
  private let plan: ResamplePlan
  private let capacity: Int
  /// Bytes of a row, a multiple of 256.
  private let rowSize: Int
  private let ring: UnsafeMutableRawPointer
  /// Which source row each slot holds.
  private var rows: [Int]
  private let weights: FloatPlan?

  init(_ plan: ResamplePlan, stripRows: Int) {
    self.plan = plan
    // 16-bit samples with alpha need Double.
    let isDouble = plan.premultiplies && plan.pixels.bytesPerSample == 2
    let lane = isDouble ? MemoryLayout<SIMD4<Double>>.size : MemoryLayout<SIMD4<Float>>.size
    rowSize = (plan.geometry.targetWidth * lane + 255) & ~255
    capacity = plan.mostSourceRows(of: stripRows)
    ring = .allocate(byteCount: rowSize * capacity, alignment: 64)
    rows = [Int](repeating: -1, count: capacity)
    weights =
      isDouble
      ? nil : FloatPlan(plan.horizontal, plan.vertical, origin: plan.columns.lowerBound)
  }

  deinit { ring.deallocate() }

  /// Reserves a slot for a source row; false when it has one.
  func claim(_ row: Int) -> Bool {
    guard rows[row % capacity] != row else { return false }
    rows[row % capacity] = row
    return true
  }

  private func slot(_ row: Int) -> UnsafeMutableRawPointer { ring + row % capacity * rowSize }

  /// Weighs the pixels of source row `row`, which begins at `source`, into its slot.
  func fold(_ row: Int, from source: UnsafeRawPointer, scratch: ResampleScratch) {
    let (bands, count) = (plan.pixels.bands, plan.columns.count)
    let input = source + plan.columns.lowerBound * plan.pixels.bytesPerPixel
    guard let weights else {
      let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.decode16(bands, plan.premultiplies, count, input, lanes)
      FloatPasses.weighPixels(
        plan.horizontal, plan.columns.lowerBound, lanes,
        slot(row).assumingMemoryBound(to: SIMD4<Double>.self))
      return
    }
    let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Float>.self)
    if plan.pixels.bytesPerSample == 2 {
      FloatPasses.decode16(bands, plan.premultiplies, count, input, lanes)
    } else {
      FloatPasses.decode8(bands, plan.premultiplies, count, input, lanes)
    }
    weights.weighPixels(plan.kernels, lanes, into: slot(row))
  }

  /// Makes one target row at `output` from folded rows.
  func render(_ target: Int, into output: UnsafeMutableRawPointer, scratch: ResampleScratch) {
    let axis = plan.vertical
    let taps = axis.tapCounts[target]
    for k in 0..<taps { scratch.sources[k] = UnsafeRawPointer(slot(axis.starts[target] + k)) }
    let (bands, count) = (plan.pixels.bands, plan.geometry.targetWidth)
    guard let weights else {
      let sums = scratch.sums.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.weighRows(axis, target, scratch.sources, count, sums)
      FloatPasses.encode16(sums, bands, plan.premultiplies, count, output)
      return
    }
    let sums = scratch.sums.assumingMemoryBound(to: SIMD4<Float>.self)
    weights.weighRows(
      plan.kernels, target, taps, scratch.sources, floats: rowSize / 4, into: sums)
    if plan.pixels.bytesPerSample == 2 {
      FloatPasses.encode16(sums, bands, plan.premultiplies, count, output)
    } else {
      FloatPasses.encode8(sums, bands, plan.premultiplies, count, output)
    }
  }
}
