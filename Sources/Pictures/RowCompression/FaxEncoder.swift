/// Encodes rows of black and white pixels as CCITT Group 4 (ITU-T T.6), the most significant bit first.
package struct FaxEncoder {
  private let width: Int
  /// The columns where the colour changes, in the previous row and in the current one. The first change is to black.
  private var before: [Int] = []
  private var changes: [Int] = []
  /// The bits that are not written yet; fewer than 8 between two codes.
  private var bits: UInt64 = 0
  private var count = 0
  package private(set) var bytes: [UInt8] = []

  package init(width: Int) { self.width = width }

  /// Encodes a row of `width` samples, 255 for white and 0 for black. Returns false, and encodes nothing, if the row
  /// contains other values.
  package mutating func add(_ row: UnsafeRawPointer) -> Bool {
    guard findChanges(row) else { return false }
    encode()
    swap(&before, &changes)
    return true
  }

  /// Fills the last byte with zeros, so that the rows so far can be decoded. Rows added later cannot be decoded.
  package mutating func flush() {
    if count % 8 > 0 { put(0, 8 - count % 8) }
  }

  /// Writes the end-of-block code (T.6, 2.4.1.1), and fills the last byte.
  package mutating func finish() {
    put(0x00_1001, 24)
    flush()
  }

  private mutating func findChanges(_ row: UnsafeRawPointer) -> Bool {
    changes.removeAll(keepingCapacity: true)
    let samples = row.assumingMemoryBound(to: UInt8.self)
    var colour = UInt8.max
    var x = 0
    while x < width {
      let same: UInt64 = colour == 0 ? 0 : .max
      while x + 8 <= width, row.loadUnaligned(fromByteOffset: x, as: UInt64.self) == same { x += 8 }
      guard x < width else { break }
      let sample = samples[x]
      if sample != colour {
        guard sample == ~colour else { return false }
        changes.append(x)
        colour = sample
      }
      x += 1
    }
    return true
  }

  /// Encodes the row from its changes of colour (T.6, 2.2).
  private mutating func encode() {
    var column = -1
    var (next, place) = (0, 0)
    while column < width {
      let isBlack = next % 2 == 1
      let change = next < changes.count ? changes[next] : width
      place = max(0, place - 2)
      while place < before.count, before[place] <= column || (place % 2 == 1) != isBlack { place += 1 }
      let above = place < before.count ? before[place] : width
      let afterAbove = place + 1 < before.count ? before[place + 1] : width
      if afterAbove < change {
        put(0b0001, 4)
        column = afterAbove
      } else if abs(change - above) <= 3 {
        putVertical(change - above)
        column = change
        next += 1
      } else {
        let end = next + 1 < changes.count ? changes[next + 1] : width
        put(0b001, 3)
        putRun(change - max(column, 0), isBlack)
        putRun(end - change, !isBlack)
        column = end
        next += 2
      }
    }
  }

  private mutating func putVertical(_ shift: Int) {
    switch shift {
    case 0: put(0b1, 1)
    case 1: put(0b011, 3)
    case -1: put(0b010, 3)
    case 2: put(0b000011, 6)
    case -2: put(0b000010, 6)
    case 3: put(0b0000011, 7)
    default: put(0b0000010, 7)
    }
  }

  private mutating func putRun(_ length: Int, _ isBlack: Bool) {
    let codes = isBlack ? FaxCodes.blackCodes : FaxCodes.whiteCodes
    var left = length
    while left >= 64 {
      let part = min(left / 64, 40)
      put(UInt64(codes[63 + part].bits), codes[63 + part].count)
      left -= part * 64
    }
    put(UInt64(codes[left].bits), codes[left].count)
  }

  private mutating func put(_ code: UInt64, _ length: Int) {
    bits = bits << UInt64(length) | code
    count += length
    while count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(count)))
    }
  }
}
