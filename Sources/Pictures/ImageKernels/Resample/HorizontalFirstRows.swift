/// Source rows after the horizontal pass, which runs first; they are as wide as the target.
///
/// Several workers filter and render rows at the same time, according to the rules of `StreamingResampler`.
protocol HorizontalFirstRows: AnyObject {
  /// Reserves a slot for a source row; returns false if it already has one.
  func claim(_ row: Int) -> Bool
  /// Runs the horizontal pass over some source rows, whose addresses `source` returns, into their slots.
  func filter(
    _ rows: ArraySlice<Int>, source: (Int) -> UnsafeRawPointer, scratch: ResampleScratch)
  /// Runs the vertical pass: writes target rows to `output`, `stride` bytes apart.
  func render(_ targets: Range<Int>, into output: UnsafeMutableRawPointer, stride: Int, scratch: ResampleScratch)
}

extension ResamplePlan {
  /// Returns room for the source rows of a strip; nil if the vertical pass runs first.
  func horizontalFirstRows(stripRows: Int) -> (any HorizontalFirstRows)? {
    guard isHorizontalFirst else { return nil }
    let capacity = mostSourceRows(of: stripRows)
    if let integers { return HorizontalFirstIntegerRows(self, integers, capacity: capacity) }
    return HorizontalFirstFloatRows(self, capacity: capacity)
  }
}

/// Slots for the last filtered rows; row `y` is in slot `y % capacity`.
struct RowRing {
  /// The bytes of a row.
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
