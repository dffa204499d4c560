import CProcessor

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
      scratch.outputs[group] = bands > 2 ? output + group * stride : scratch.quads[group]
    }
    let count = plan.geometry.targetWidth
    switch bands {
    case 4: weighPixels(0..<count, groups, integers, scratch, step: 4)
    case 3:
      // Pixels of three bytes are written with a fourth, which the next one covers; the last has none.
      weighPixels(0..<count - 1, groups, integers, scratch, step: 3)
      for group in 0..<groups { scratch.outputs[group] = scratch.quads[group] }
      weighPixels(count - 1..<count, groups, integers, scratch, step: 4)
      for group in 0..<groups {
        let last = output + group * stride + 3 * (count - 1)
        last.copyMemory(from: scratch.quads[group], byteCount: 3)
      }
    default:
      weighPixels(0..<count, groups, integers, scratch, step: 4)
      for group in 0..<groups {
        let first = group * rowsAtOnce
        Quads.unpack8(
          scratch.quads[group], bands: bands, count: count,
          rows: min(rowsAtOnce, targets.count - first), into: output + first * stride,
          stride: stride)
      }
    }
  }

  /// The vertical pass: block by block of columns, source rows are interleaved two by two, which all four
  /// target rows share, and weighed.
  private func weighRows(
    _ targets: Range<Int>, _ integers: IntegerPlan, _ scratch: ResampleScratch
  ) {
    let weights = integers.vertical
    let needed = sourceRows(of: targets)
    let firstPair = needed.lowerBound / 2
    let pairs = firstPair..<(needed.upperBound + 1) / 2
    let origin = plan.columns.lowerBound * plan.pixels.bands
    let blockSize = ResampleScratch.block * 4
    let shift = integers.verticalShift
    weights.coefficients.withUnsafeBufferPointer { coefficients in
      guard let base = coefficients.baseAddress else { return }
      for offset in Swift.stride(from: 0, to: scratch.flatCount, by: ResampleScratch.block) {
        let count = min(ResampleScratch.block, scratch.flatCount - offset)
        for pair in pairs {
          // A row before the first or after the last has no weight: any will do.
          let upper = slot(max(2 * pair, needed.lowerBound)) + origin + offset
          let lower = slot(min(2 * pair + 1, needed.upperBound - 1)) + origin + offset
          plan.kernels.pairRows(
            upper, lower, count, scratch.rowPairs + (pair - firstPair) * blockSize)
          // Processors foresee neither the jump to the next row nor the way back to the next block.
          imghost_prefetch(upper + count, ResampleScratch.block)
          imghost_prefetch(lower + count, ResampleScratch.block)
        }
        for (index, target) in targets.enumerated() {
          let start = Int(weights.starts[target])
          let end = plan.vertical.starts[target] + plan.vertical.tapCounts[target]
          plan.kernels.weighPairs(
            scratch.pairAddresses + (start / 2 - firstPair), base + target * weights.taps,
            (end + 1) / 2 - start / 2, count, shift,
            UnsafeMutableRawPointer(mutating: scratch.flat[index]) + offset * 2)
        }
      }
    }
  }

  /// The horizontal pass of target columns `columns`, `step` bytes apart in `scratch.outputs`.
  private func weighPixels(
    _ columns: Range<Int>, _ groups: Int, _ integers: IntegerPlan, _ scratch: ResampleScratch,
    step: Int
  ) {
    let weights = integers.horizontal
    let shift = integers.horizontalShift
    weights.starts.withUnsafeBufferPointer { starts in
      weights.coefficients.withUnsafeBufferPointer { coefficients in
        guard let starts = starts.baseAddress, let base = coefficients.baseAddress else { return }
        let first = starts + columns.lowerBound
        let own = base + columns.lowerBound * weights.taps
        if groups == 4 {
          plan.kernels.weighPixelsOfFourRows(
            scratch.paired, first, own, weights.taps, columns.count, shift, scratch.outputs, step)
        } else {
          for group in 0..<groups {
            plan.kernels.weighPixels(
              scratch.paired[group], first, own, weights.taps, columns.count, shift,
              scratch.outputs[group], step)
          }
        }
      }
    }
  }
}
