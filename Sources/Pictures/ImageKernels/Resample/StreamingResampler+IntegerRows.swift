import CKernels

extension StreamingResampler {
  /// Stores, for up to four target rows, the ranges of their groups of source rows, the rows' addresses, and the
  /// addresses of the rows to prefetch for the next target rows.
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
    // These are the rows for the next target rows and some of the following, so that prefetching is spread more evenly.
    let wanted = next.isEmpty ? made : sourceRows(of: next).upperBound
    let end = min(knownRows, max(wanted, made + range.count * weights.rows / 2))
    scratch.aheadCount = max(0, end - made)
    for row in 0..<scratch.aheadCount { scratch.ahead[row] = slot(made + row) + origin }
  }

  /// Runs the vertical pass over 8-bit samples: a block of columns of target rows that have been gathered, into
  /// `scratch.flat` or, with four bands, into `scratch.paired`.
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
