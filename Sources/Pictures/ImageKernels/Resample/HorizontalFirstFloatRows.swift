/// The horizontal pass first, in floating point with four lanes per pixel. For extreme ratios, at which a target row
/// depends on more source rows than are worth keeping.
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
