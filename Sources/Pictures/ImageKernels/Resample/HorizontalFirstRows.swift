/// Source rows after the horizontal pass, which goes first: as wide as the target.
///
/// Several workers filter and render rows at once, by `StreamingResampler`'s rules.
protocol HorizontalFirstRows: AnyObject {
  /// Reserves a slot for a source row; false when it has one.
  func claim(_ row: Int) -> Bool
  /// Runs the horizontal pass over some source rows, which begin where `source` says, into their slots.
  func filter(
    _ rows: ArraySlice<Int>, source: (Int) -> UnsafeRawPointer, scratch: ResampleScratch)
  /// Runs the vertical pass: makes target rows at `output`, `stride` bytes apart.
  func render(_ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, scratch: ResampleScratch)
}

extension ResamplePlan {
  /// Room for the rows that a strip is made of; nil where the vertical pass goes first.
  func horizontalFirstRows(stripRows: Int) -> (any HorizontalFirstRows)? {
    guard isHorizontalFirst else { return nil }
    let capacity = mostSourceRows(of: stripRows)
    if let integers { return HorizontalFirstIntegerRows(self, integers, capacity: capacity) }
    return HorizontalFirstFloatRows(self, capacity: capacity)
  }
}

/// Slots for the last filtered rows; row `y` is in slot `y % capacity`.
struct RowRing {
  /// Bytes of a row.
  let rowSize: Int
  let memory: UnsafeMutableRawPointer
  /// The source row in each slot.
  private var rows: [Int]

  init(rowSize: Int, capacity: Int) {
    self.rowSize = rowSize
    memory = .allocate(byteCount: rowSize * capacity, alignment: 64)
    rows = [Int](repeating: -1, count: capacity)
  }

  func slot(_ row: Int) -> UnsafeMutableRawPointer { memory + row % rows.count * rowSize }

  mutating func claim(_ row: Int) -> Bool {
    guard rows[row % rows.count] != row else { return false }
    rows[row % rows.count] = row
    return true
  }
}
