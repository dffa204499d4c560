import CProcessor

extension StreamingResampler {
  /// The vertical pass of 8-bit samples: a block of columns of up to four target rows, into `scratch.flat` or,
  /// of four bands, into `scratch.paired`.
  func weighRows(
    _ targets: Range<Int>, _ block: IntegerBlock, _ integers: IntegerPlan,
    _ scratch: ResampleScratch
  ) {
    guard let weights = integers.interleaved, let ring = scratch.interleaved,
      let first = targets.first, let last = targets.last
    else { return }
    let range = weights.units[first].lowerBound..<weights.units[last].upperBound
    let isPaired = plan.pixels.bands == 4
    let origin = plan.columns.lowerBound * plan.pixels.bands
    let (rows, offset) = ring.present(
      range, block, known: keptRows, height: plan.geometry.sourceHeight, plan.kernels
    ) { slot($0) + origin }
    // Of the next target rows about half of the source rows are new.
    let made = range.upperBound * weights.rows
    let more = min(knownRows, made + (made - range.lowerBound * weights.rows) / 2)
    weights.coefficients.withUnsafeBytes { coefficients in
      guard let base = coefficients.baseAddress else { return }
      for (index, target) in targets.enumerated() {
        let output = isPaired ? scratch.paired[index] + block.offset * 2 : scratch.flat[index]
        let own = weights.units[target]
        // Rows of the next target rows, a few at a time: processors drop what is asked for all at once.
        for row in Swift.stride(from: made + index, to: more, by: ResampleScratch.rows) {
          imghost_prefetch_far(slot(row) + origin + block.offset, block.count)
        }
        plan.kernels.weighInterleaved(
          rows + (own.lowerBound - range.lowerBound), offset, base + target * weights.stride,
          own.count, block.count, integers.verticalShift, plan.pixels.bands,
          UnsafeMutableRawPointer(mutating: output))
      }
    }
  }
}
