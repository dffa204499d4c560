/// The colours of a picture: one by one, or grouped in cells of similar colours if there are many.
///
/// Colours are premultiplied red, green, blue and alpha from 0 to 255, so that less visible pixels count less.
struct ColourHistogram {
  struct Cell {
    var sums = SIMD4<UInt64>()
    /// The colour that more than half of the pixels have, if there is one (Boyer-Moore vote).
    var candidate = SIMD4<Int32>()
    var count: UInt64 = 0
    var votes: Int64 = 0

    var mean: SIMD4<Float> { SIMD4<Float>(SIMD4<Double>(sums) / Double(count)) }
  }

  /// The maximum number of colours that are counted individually.
  static let mostColours = 1 << 16

  private(set) var cells: [Cell] = []
  /// The key of each cell: its colours without the low bits.
  private var keys: [UInt32] = []
  /// A hash table with the index of each cell plus 1; 0 for an empty slot.
  private var slots: [UInt32]
  /// The number of low bits of a component that do not select the cell.
  private let dropped: UInt32
  private let hasAlpha: Bool

  /// - Parameter isExact: whether each colour has a cell of its own; `add` then returns false for too many colours.
  init(pixels: Int, hasAlpha: Bool, isExact: Bool) {
    self.hasAlpha = hasAlpha
    dropped = isExact ? 0 : hasAlpha ? 3 : 2
    slots = [UInt32](repeating: 0, count: 1 << Self.slotBits)
    let most = isExact ? min(pixels, Self.mostColours) : Self.mostCells(pixels: pixels, hasAlpha)
    cells.reserveCapacity(most)
    keys.reserveCapacity(most)
  }

  private static let slotBits: UInt32 = 20

  /// Returns the maximum number of cells: 6 bits each of red, green and blue. With alpha, 5 bits each; most of these
  /// cells stay empty, because a premultiplied component cannot exceed alpha.
  static func mostCells(pixels: Int, _ hasAlpha: Bool) -> Int { min(pixels, hasAlpha ? 360_000 : 1 << 18) }

  static func byteCount(pixels: Int, _ hasAlpha: Bool) -> Int {
    (4 << slotBits) + mostCells(pixels: pixels, hasAlpha) * (MemoryLayout<Cell>.stride + 4)
  }

  /// Counts a row of colours.
  ///
  /// - Returns: whether every colour of the row has a cell; false if there are too many colours.
  mutating func add(_ row: [SIMD4<Int32>]) -> Bool {
    let limit = dropped == 0 ? Self.mostColours : Int.max
    for colour in row {
      let index = index(key(colour))
      guard index < limit else { return false }
      cells[index].add(colour)
    }
    return true
  }

  /// Returns the index of a key's cell, which is created if necessary; `mostColours` if there are too many colours.
  @inline(__always)
  private mutating func index(_ key: UInt32) -> Int {
    var slot = Int((key &* 0x9e37_79b1) >> (32 - Self.slotBits))
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if keys[index] == key { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    if dropped == 0, cells.count == Self.mostColours { return cells.count }
    cells.append(Cell())
    keys.append(key)
    slots[slot] = UInt32(cells.count)
    return cells.count - 1
  }

  @inline(__always)
  private func key(_ colour: SIMD4<Int32>) -> UInt32 {
    let parts = SIMD4<UInt32>(truncatingIfNeeded: colour) &>> dropped
    let key = parts.x << 24 | parts.y << 16 | parts.z << 8
    guard hasAlpha else { return key }
    // Transparent and opaque pixels have cells of their own.
    guard dropped > 0 else { return key | UInt32(colour.w) }
    return key | (colour.w == 0 ? 0 : colour.w == 255 ? 31 : 1 + UInt32(colour.w - 1) * 30 / 254)
  }
}

extension ColourHistogram.Cell {
  @inline(__always)
  fileprivate mutating func add(_ colour: SIMD4<Int32>) {
    count += 1
    sums &+= SIMD4<UInt64>(truncatingIfNeeded: colour)
    if candidate == colour {
      votes += 1
    } else if votes == 0 {
      candidate = colour
      votes = 1
    } else {
      votes -= 1
    }
  }
}
