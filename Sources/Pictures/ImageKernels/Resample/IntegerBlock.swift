/// A block of the needed source columns, and the target columns that can be completed with it.
struct IntegerBlock {
  /// The first sample, and the number of samples: a multiple of 128, which may extend beyond the row's end in the last
  /// block.
  let offset: Int
  let count: Int
  /// Pairs of pixels, counted from the first needed column.
  let pairs: Range<Int>
  /// The target columns whose last source column is in this block. With three bands, the very last one is computed
  /// separately.
  let columns: Range<Int>

  /// - Parameters:
  ///   - size: the number of samples of a block, a multiple of 128 and of two pixels.
  ///   - pairs: the number of pixel pairs of a row, an even number.
  ///   - flatCount: the number of their samples, rounded up to a multiple of 128.
  static func blocks(_ plan: ResamplePlan, size: Int, pairs: Int, flatCount: Int) -> [IntegerBlock] {
    let axis = plan.horizontal
    let width = plan.geometry.targetWidth - (plan.pixels.bands == 3 ? 1 : 0)
    let pairsOfBlock = size / (2 * plan.pixels.bands)
    var blocks: [IntegerBlock] = []
    var column = 0
    for offset in stride(from: 0, to: flatCount, by: size) {
      let first = blocks.count * pairsOfBlock
      let isLast = offset + size >= flatCount
      let end = isLast ? pairs : min(pairs, first + pairsOfBlock)
      let known = plan.columns.lowerBound + 2 * end
      let firstColumn = column
      while column < width, isLast || axis.starts[column] + axis.tapCounts[column] <= known { column += 1 }
      blocks.append(
        IntegerBlock(
          offset: offset, count: min(size, flatCount - offset), pairs: min(first, end)..<end,
          columns: firstColumn..<column))
    }
    return blocks
  }
}
