extension StreamingResampler {
  /// Computes up to four target rows in 16-bit arithmetic, block by block of source columns: the vertical pass and,
  /// while its results are in the first-level cache, the horizontal one for the target columns whose sources are
  /// complete.
  func render(
    _ targets: Range<Int>, with integers: IntegerPlan, into output: UnsafeMutableRawPointer, stride: Int,
    _ scratch: ResampleScratch
  ) {
    let bands = plan.pixels.bands
    // The four lanes hold one row of 3 or 4 bands, two rows of 2, or four rows of 1.
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

  /// Moves the samples that the horizontal pass could not write to their places.
  private func finish(
    _ targets: Range<Int>, _ groups: Int, _ integers: IntegerPlan,
    into output: UnsafeMutableRawPointer, stride: Int, _ scratch: ResampleScratch
  ) {
    let (bands, count) = (plan.pixels.bands, plan.geometry.targetWidth)
    switch bands {
    case 4: break
    case 3:
      // Pixels of three bytes are written with a fourth one, which the next pixel overwrites; the last pixel has no
      // successor.
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

  /// Runs the horizontal pass for target columns `columns`, `step` bytes apart from the addresses in `scratch.outputs`,
  /// which then point after them.
  private func filterPixels(
    _ columns: Range<Int>, _ groups: Int, _ integers: IntegerPlan, _ scratch: ResampleScratch, step: Int
  ) {
    integers.filterPixels(columns, groups, scratch, step: step, plan.kernels.filterPixels8)
    for group in 0..<groups { scratch.outputs[group] += columns.count * step }
  }
}
