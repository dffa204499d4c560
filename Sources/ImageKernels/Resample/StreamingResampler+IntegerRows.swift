extension StreamingResampler {
  /// Writes down which interleaved rows each of up to four target rows is made of, and which source rows are to be
  /// fetched meanwhile for the next ones.
  func gather(_ targets: Range<Int>, _ integers: IntegerPlan, _ scratch: ResampleScratch) {
    guard let weights = integers.interleaved else { return }
    let range = weights.units(of: targets)
    for (index, target) in targets.enumerated() {
      let own = weights.units[target]
      scratch.ranges[2 * index] = Int32(own.lowerBound - range.lowerBound)
      scratch.ranges[2 * index + 1] = Int32(own.upperBound - range.lowerBound)
    }
    // Of the next target rows about half of the source rows are new.
    let made = range.upperBound * weights.rows
    let more = min(knownRows - made, range.count * weights.rows / 2)
    scratch.aheadCount = max(0, more)
    for row in 0..<scratch.aheadCount {
      scratch.ahead[row] = slot(made + row) + plan.columns.lowerBound * plan.pixels.bands
    }
  }

  /// The vertical pass of 8-bit samples: a block of columns of target rows that have been gathered, into
  /// `scratch.flat` or, of four bands, into `scratch.paired`.
  func weighRows(
    _ targets: Range<Int>, _ block: IntegerBlock, _ integers: IntegerPlan,
    _ scratch: ResampleScratch
  ) {
    guard let weights = integers.interleaved, let ring = scratch.interleaved else { return }
    let bands = plan.pixels.bands
    let origin = plan.columns.lowerBound * bands
    let (rows, offset) = ring.present(
      weights.units(of: targets), block, known: keptRows, height: plan.geometry.sourceHeight,
      plan.kernels
    ) { slot($0) + origin }
    for row in 0..<targets.count {
      scratch.blockOutputs[row] = UnsafeMutableRawPointer(
        mutating: bands == 4 ? scratch.paired[row] + block.offset * 2 : scratch.flat[row])
    }
    weights.coefficients.withUnsafeBytes { coefficients in
      guard let base = coefficients.baseAddress else { return }
      plan.kernels.weighInterleaved(
        rows, offset, scratch.ranges, base + targets.lowerBound * weights.stride, weights.stride,
        targets.count, block.count, integers.verticalShift, bands, scratch.blockOutputs,
        scratch.ahead, scratch.aheadCount, block.offset)
    }
  }
}
