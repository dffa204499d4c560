extension StreamingResampler {
  /// Makes up to four target rows in 16-bit arithmetic: vertical pass in blocks of columns, then the
  /// horizontal one over all four.
  func render(
    _ targets: Range<Int>, with integers: IntegerPlan, into output: UnsafeMutableRawPointer,
    stride: Int, _ scratch: ResampleScratch
  ) {
    weighRows(targets, integers, scratch)
    let bands = plan.pixels.bands
    // Four lanes hold one row of 3 or 4 bands, two rows of 2, four rows of 1.
    let rowsAtOnce = bands > 2 ? 1 : 4 / bands
    let groups = (targets.count + rowsAtOnce - 1) / rowsAtOnce
    for group in 0..<groups {
      let paired = UnsafeMutableRawPointer(mutating: scratch.paired[group])
      plan.kernels.pairPixels(
        scratch.flat + group * rowsAtOnce, bands, scratch.pairs, paired)
      scratch.outputs[group] = bands == 4 ? output + group * stride : scratch.quads[group]
    }
    weighPixels(groups, integers, scratch)
    for group in 0..<groups where bands != 4 {
      let first = group * rowsAtOnce
      Quads.unpack8(
        scratch.quads[group], bands: bands, count: plan.geometry.targetWidth,
        rows: min(rowsAtOnce, targets.count - first), into: output + first * stride, stride: stride)
    }
  }

  private func weighRows(
    _ targets: Range<Int>, _ integers: IntegerPlan, _ scratch: ResampleScratch
  ) {
    let axis = plan.vertical
    let taps = integers.vertical.taps
    for (index, target) in targets.enumerated() {
      let last = axis.tapCounts[target] - 1
      for k in 0..<taps {
        scratch.sources[index * taps + k] = slot(axis.starts[target] + min(k, last))
      }
    }
    let origin = plan.columns.lowerBound * plan.pixels.bands
    let shift = integers.vertical.shift - IntegerPlan.fractionBits
    integers.vertical.coefficients.withUnsafeBufferPointer { coefficients in
      guard let base = coefficients.baseAddress else { return }
      for offset in Swift.stride(from: 0, to: scratch.flatCount, by: ResampleScratch.block) {
        let count = min(ResampleScratch.block, scratch.flatCount - offset)
        for (index, target) in targets.enumerated() {
          plan.kernels.weighRows(
            scratch.sources + index * taps, base + target * taps,
            (axis.tapCounts[target] + 1) & ~1, origin + offset, count, shift,
            UnsafeMutableRawPointer(mutating: scratch.flat[index]) + offset * 2)
        }
      }
    }
  }

  private func weighPixels(
    _ groups: Int, _ integers: IntegerPlan, _ scratch: ResampleScratch
  ) {
    let weights = integers.horizontal
    let shift = weights.shift + IntegerPlan.fractionBits
    let count = plan.geometry.targetWidth
    weights.starts.withUnsafeBufferPointer { starts in
      weights.coefficients.withUnsafeBufferPointer { coefficients in
        guard let starts = starts.baseAddress, let base = coefficients.baseAddress else { return }
        if groups == 4 {
          plan.kernels.weighPixelsOfFourRows(
            scratch.paired, starts, base, weights.taps, count, shift, scratch.outputs)
        } else {
          for group in 0..<groups {
            plan.kernels.weighPixels(
              scratch.paired[group], starts, base, weights.taps, count, shift,
              scratch.outputs[group])
          }
        }
      }
    }
  }
}
