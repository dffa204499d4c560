/// Decodes rows of CCITT Group 4 (ITU-T T.6), the most significant bit first. The uncompressed mode, which scanners do
/// not write, is treated as damage.
package struct FaxDecoder {
  private let data: UnsafeRawBufferPointer
  private let width: Int
  /// The next bits, from the highest down; `count` of them are valid.
  private var bits: UInt64 = 0
  private var count = 0
  private var offset = 0
  /// The columns where the colour changes, in the previous row and in the current one. The first change is to black.
  private var before: [Int] = []
  private var changes: [Int] = []

  /// - Parameter data: the encoded rows, which must outlive the decoder.
  package init(_ data: UnsafeRawBufferPointer, width: Int) {
    self.data = data
    self.width = width
  }

  /// Decodes the next row. Returns false if the data ends or is damaged there.
  package mutating func next() -> Bool {
    swap(&before, &changes)
    changes.removeAll(keepingCapacity: true)
    // The column up to which the row is decoded; -1 is the imaginary pixel before a row.
    var column = -1
    var place = 0
    while column < width {
      // Finds b1 (T.6, 2.2.1): the first change in the previous row that is right of `column` and to the opposite
      // colour.
      let isBlack = changes.count % 2 == 1
      place = max(0, place - 2)
      while place < before.count, before[place] <= column || (place % 2 == 1) != isBlack { place += 1 }
      let above = place < before.count ? before[place] : width
      switch mode() {
      case .vertical(let shift)?:
        guard above + shift >= max(column, 0), above + shift <= width else { return false }
        column = above + shift
        change(at: column)
      case .pass?:
        column = place + 1 < before.count ? before[place + 1] : width
      case .horizontal?:
        guard let first = run(isBlack), let second = run(!isBlack) else { return false }
        let start = max(column, 0)
        guard first + second <= width - start else { return false }
        change(at: start + first)
        change(at: start + first + second)
        column = start + first + second
      case nil: return false
      }
    }
    return true
  }

  /// Writes the row that was decoded last, one byte per pixel.
  package func write(white: UInt8, black: UInt8, to row: UnsafeMutablePointer<UInt8>) {
    row.update(repeating: white, count: width)
    for index in stride(from: 0, to: changes.count, by: 2) {
      let end = index + 1 < changes.count ? changes[index + 1] : width
      (row + changes[index]).update(repeating: black, count: end - changes[index])
    }
  }

  /// Returns whether the end-of-block code follows (T.6, 2.4.1.1).
  package mutating func endsWithBlock() -> Bool {
    fill()
    return count >= 24 && bits >> 40 == 0x00_1001
  }

  /// Adds a change of colour. Two changes in the same column cancel each other, because a run of zero pixels does not
  /// change the colour.
  private mutating func change(at column: Int) {
    if changes.last == column { changes.removeLast() } else if column < width { changes.append(column) }
  }

  // MARK: Codes

  private enum Mode {
    case pass, horizontal
    case vertical(Int)
  }

  /// Consumes the code of a mode (T.6, table 1). Returns nil if the data ends or is damaged.
  private mutating func mode() -> Mode? {
    fill()
    let (mode, length): (Mode, Int)
    switch bits >> 57 {
    case 0b1000000...0b1111111: (mode, length) = (.vertical(0), 1)
    case 0b0110000...0b0111111: (mode, length) = (.vertical(1), 3)
    case 0b0100000...0b0101111: (mode, length) = (.vertical(-1), 3)
    case 0b0010000...0b0011111: (mode, length) = (.horizontal, 3)
    case 0b0001000...0b0001111: (mode, length) = (.pass, 4)
    case 0b0000110...0b0000111: (mode, length) = (.vertical(2), 6)
    case 0b0000100...0b0000101: (mode, length) = (.vertical(-2), 6)
    case 0b0000011: (mode, length) = (.vertical(3), 7)
    case 0b0000010: (mode, length) = (.vertical(-3), 7)
    default: return nil
    }
    return skip(length) ? mode : nil
  }

  /// Consumes the codes of a run: any number of codes for 64 or more pixels, and one for fewer. Returns nil if the data
  /// ends or is damaged, or if the run is longer than a row.
  private mutating func run(_ isBlack: Bool) -> Int? {
    let table = isBlack ? FaxCodes.blackRuns : FaxCodes.whiteRuns
    var total = 0
    while true {
      fill()
      let entry = Int(table[Int(bits >> UInt64(64 - FaxCodes.bits))])
      guard entry > 0, skip(entry % 16) else { return nil }
      total += entry / 16
      guard total <= width else { return nil }
      if entry / 16 < 64 { return total }
    }
  }

  private mutating func fill() {
    while count <= 56, offset < data.count {
      bits |= UInt64(data[offset]) << UInt64(56 - count)
      count += 8
      offset += 1
    }
  }

  /// Skips bits. Returns false if the data has fewer.
  private mutating func skip(_ length: Int) -> Bool {
    guard length <= count else { return false }
    bits <<= UInt64(length)
    count -= length
    return true
  }
}
