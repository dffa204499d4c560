import CProcessor

/// Source rows that the next target rows need, fetched bit by bit into the second-level cache while the
/// present ones are made. Processors foresee the way along a row, not from one row's block of columns to the
/// next row's.
struct RowsAhead {
  /// The row that is fetched next, and how far it has been.
  private var row: Int
  private var offset = 0
  private let end: Int
  /// Bytes of a row that are needed, and how many are fetched at each step.
  private let rowSize: Int
  private let stepSize: Int

  /// - Parameters:
  ///   - rows: source rows; their first needed byte is where `fetch` is told.
  ///   - rowSize: bytes of a row.
  ///   - steps: calls of `fetch` that they are spread over, at least 1.
  init(_ rows: Range<Int>, rowSize: Int, steps: Int) {
    row = rows.lowerBound
    end = rows.upperBound
    self.rowSize = rowSize
    // Whole cache lines.
    stepSize = (rows.count * rowSize / steps + 127) & ~63
  }

  /// Starts fetching the next share.
  mutating func fetch(_ address: (_ row: Int) -> UnsafeRawPointer) {
    var rest = stepSize
    while rest > 0, row < end {
      let count = min(rest, rowSize - offset)
      imghost_prefetch_second_level(address(row) + offset, count)
      rest -= count
      offset += count
      if offset == rowSize { (row, offset) = (row + 1, 0) }
    }
  }
}

extension StreamingResampler {
  /// The rows that as many target rows as `targets` need next and that these do not, as far as they are there.
  func rowsAhead(of targets: Range<Int>, steps: Int) -> RowsAhead {
    let first = sourceRows(of: targets).upperBound
    let last = min(targets.upperBound + targets.count, plan.geometry.targetHeight) - 1
    let end = min(sourceRows(of: last..<last + 1).upperBound, knownRows)
    return RowsAhead(
      first..<max(first, end), rowSize: plan.columns.count * plan.pixels.bytesPerPixel,
      steps: steps)
  }
}
