extension StreamingResampler {
  /// Makes target rows of 16-bit samples without alpha, few at a time: their source rows, those that come next
  /// and what is between the passes then fit the second-level cache.
  func render(
    _ targets: Range<Int>, with wide: WidePlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    let memory = scratch.wide
    let most = WidePlan.rows(plan.pixels.bands)
    for first in Swift.stride(from: targets.lowerBound, to: targets.upperBound, by: most) {
      let few = first..<min(first + most, targets.upperBound)
      weighRows(few, wide.vertical, memory)
      for row in 0..<most {
        let target = first - targets.lowerBound + row
        memory.outputs[row] = row < few.count ? output + target * stride : memory.spare
      }
      wide.weighPixels(plan.kernels, memory.rows, into: memory.outputs)
    }
  }

  /// The vertical pass, block by block of columns.
  private func weighRows(_ targets: Range<Int>, _ wide: WideWeights, _ memory: WideScratch) {
    let (bands, size) = (plan.pixels.bands, plan.pixels.bytesPerSample)
    let origin = plan.columns.lowerBound * plan.pixels.bytesPerPixel
    let needed = sourceRows(of: targets)
    func two(_ index: Int) -> Range<Int> {
      let first = targets.lowerBound + 2 * index
      return first..<min(first + 2, targets.upperBound)
    }
    let twos = (targets.count + 1) / 2
    for index in 0..<twos {
      let sources = memory.sources + index * memory.most
      for (k, row) in wide.rows(of: two(index)).enumerated() {
        // A row before the first or after the last has no weight: any will do.
        sources[k] = slot(min(max(row, needed.lowerBound), needed.upperBound - 1)) + origin
      }
    }
    let blocks = (memory.flatCount + WideScratch.block - 1) / WideScratch.block
    var ahead = rowsAhead(of: targets, steps: blocks * twos)
    for offset in Swift.stride(from: 0, to: memory.flatCount, by: WideScratch.block) {
      let count = min(WideScratch.block, memory.flatCount - offset)
      for index in 0..<twos {
        ahead.fetch { slot($0) + origin }
        wide.weighRows(
          plan.kernels, two(index), memory.sources + index * memory.most, offset: offset * size,
          count: count, UnsafeMutableRawPointer(mutating: memory.flat[2 * index]) + offset * 4,
          UnsafeMutableRawPointer(mutating: memory.flat[2 * index + 1]) + offset * 4)
      }
      guard bands == 1 else { continue }
      plan.kernels.spreadLanes(
        memory.flat, 1, offset, count, UnsafeMutableRawPointer(mutating: memory.rows[0]))
    }
  }
}
