import CKernels

extension StreamingResampler {
  /// Computes up to four target rows in 16-bit arithmetic. For each block of source columns, the vertical pass runs;
  /// then, while its results are in the first-level cache, the horizontal pass computes the target columns whose source
  /// columns are complete.
  func render(
    _ targets: Range<Int>, with integers: IntegerPlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    let bands = plan.pixels.bands
    // The four lanes contain one row with 3 or 4 bands, two rows with 2 bands, or four rows with 1 band.
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

  /// Moves samples to their target rows where the horizontal pass could not write them directly.
  private func finish(
    _ targets: Range<Int>, _ groups: Int, _ integers: IntegerPlan,
    into output: UnsafeMutableRawPointer, stride: Int, _ scratch: ResampleScratch
  ) {
    let (bands, count) = (plan.pixels.bands, plan.geometry.targetWidth)
    switch bands {
    case 4: break
    case 3:
      // Pixels of three bytes are written with a fourth byte, which the next pixel overwrites. Nothing would overwrite
      // that of the last pixel, so the last pixel is computed separately.
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

  /// Runs the horizontal pass for target columns `columns`. Writes pixels `step` bytes apart, starting at the addresses
  /// in `scratch.outputs`, and advances these addresses.
  private func filterPixels(
    _ columns: Range<Int>, _ groups: Int, _ integers: IntegerPlan, _ scratch: ResampleScratch, step: Int
  ) {
    integers.filterPixels(columns, groups, scratch, step: step, plan.kernels.filterPixels8)
    for group in 0..<groups { scratch.outputs[group] += columns.count * step }
  }
}

extension StreamingResampler {
  /// Stores, for up to four target rows, the range of groups of source rows that each one needs, and the addresses of
  /// rows to prefetch for the next target rows. If the kernels do not interleave rows, also stores the addresses of the
  /// source rows.
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
      // Rows outside the picture have weights of 0, so any row in memory can take their place.
      let kept = keptRows
      for row in 0..<range.count * weights.rows {
        let clamped = min(max(range.lowerBound * weights.rows + row, kept.lowerBound), kept.upperBound - 1)
        scratch.rows[row] = slot(clamped) + origin
      }
    }
    let nextEnd = min(targets.upperBound + ResampleScratch.rows, plan.geometry.targetHeight)
    let next = targets.upperBound..<nextEnd
    let made = range.upperBound * weights.rows
    // Some rows beyond those of the next target rows are prefetched as well, which spreads prefetching more evenly.
    let wanted = next.isEmpty ? made : sourceRows(of: next).upperBound
    let end = min(knownRows, max(wanted, made + range.count * weights.rows / 2))
    scratch.aheadCount = max(0, end - made)
    for row in 0..<scratch.aheadCount { scratch.ahead[row] = slot(made + row) + origin }
  }

  /// Runs the vertical pass over a block of columns of 8-bit samples, for target rows whose source rows have been
  /// gathered. The results are in `scratch.flat` or, with four bands, in `scratch.paired`.
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
