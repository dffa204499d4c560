import CKernels

extension StreamingResampler {
  /// Computes target rows of 16-bit samples without alpha, eight at a time. After the vertical pass over a block of
  /// columns, the horizontal pass immediately computes the pixels whose source columns are complete, while these are
  /// still in the cache.
  func render(
    _ targets: Range<Int>, with wide: WidePlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    guard let memory = scratch.wide else { return }
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
      // Samples are copied to the target rows in groups of eight; a remainder is copied with the next block.
      let end = done == plan.geometry.targetWidth ? done * bands : done * bands & ~7
      plan.kernels.splitEightRows16(memory.samples, split, end - split, memory.outputs)
      split = end
      if block.moved.isEmpty { continue }
      lanes.copyMemory(
        from: lanes + block.moved.lowerBound * WidePlan.laneSize,
        byteCount: block.moved.count * WidePlan.laneSize)
    }
  }

  /// Stores the addresses of the source rows of some target rows, the range of each target row, and the rows to
  /// prefetch: the source rows after `held`, and those source rows of the next target rows that are known but not
  /// needed yet.
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
