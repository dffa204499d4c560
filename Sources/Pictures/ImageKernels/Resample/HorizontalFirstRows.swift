/// Source rows after the horizontal pass: as wide as the target.
///
/// Rows are folded and rendered by several threads at once under `StreamingResampler`'s rules.
protocol HorizontalFirstRows: AnyObject {
  /// Reserves a slot for a source row; false when it has one.
  func claim(_ row: Int) -> Bool
  /// Weighs the pixels of some source rows, which begin where `source` says, into their slots.
  func filter(
    _ rows: ArraySlice<Int>, source: (Int) -> UnsafeRawPointer, scratch: ResampleScratch)
  /// Makes target rows at `output`, `stride` bytes apart, from folded rows.
  func render(
    _ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int,
    scratch: ResampleScratch)
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

/// Slots for the last rows that were folded; row `y` is in slot `y % capacity`.
struct RowRing {
  /// Bytes of a row.
  let rowSize: Int
  let memory: UnsafeMutableRawPointer
  /// Which source row each slot holds.
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
