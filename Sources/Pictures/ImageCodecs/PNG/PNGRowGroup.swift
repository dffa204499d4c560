/// Reverses the filters of four or eight rows together, for pixels of 1 to 4 bytes.
///
/// With the Paeth and average filters, each pixel depends on the one to its left, so a vector cannot hold neighbours of
/// one row. Instead, it holds pixels of four rows, each one pixel behind the row above. Eight rows use two vectors:
/// while one waits for its last result, the processor computes the other.
struct PNGRowGroup {
  /// The rows' filtered bytes, starting after the first row's filter type; rows are `byteCount` + 1 bytes apart.
  let source: UnsafePointer<UInt8>
  /// The restored row above the first row of the group.
  let above: UnsafePointer<UInt8>
  let rows: UnsafeMutablePointer<UInt8>
  let stride: Int
  let byteCount: Int

  /// Restores 4 or 8 rows whose filter types are valid.
  func undo(_ count: Int, step: Int) {
    let (first, second) = (filters(0), count == 8 ? filters(4) : PNGFilterMasks())
    let isMixed = !(first.areAllPaeth && (count == 4 || second.areAllPaeth))
    run(count, step, isMixed, first, second)
  }

  private func filters(_ row: Int) -> PNGFilterMasks {
    var filters = PNGFilterMasks()
    for lane in 0..<4 { filters.set(lane, source[(row + lane) * (byteCount + 1) - 1]) }
    return filters
  }

  private func run(_ count: Int, _ step: Int, _ isMixed: Bool, _ first: PNGFilterMasks, _ second: PNGFilterMasks) {
    var upper = PNGDiagonal()
    var lower = PNGDiagonal()
    // The last row ends `lag` bytes later than the first. Near the ends, some rows are inactive.
    let lag = (count - 1) * step
    var index = 0
    while index < byteCount + lag {
      // A pixel is stored as four bytes; the extra bytes belong to the next pixel, which overwrites them.
      while index >= lag, index &+ 4 <= byteCount {
        let carry = upper.last
        upper.advance(
          load(0, index, step), below: PNGLanes.word(above + index), isMixed, first)
        store(upper.left, 0, index, step)
        if count == 8 {
          lower.advance(load(4, index, step), below: carry, isMixed, second)
          store(lower.left, 4, index, step)
        }
        index &+= step
      }
      let carry = upper.last
      let word = index < byteCount ? PNGLanes.word(above + index, step) : 0
      upper.advance(loadInside(0, index, step), below: word, isMixed, first)
      storeInside(upper.left, 0, index, step)
      if count == 8 {
        lower.advance(loadInside(4, index, step), below: carry, isMixed, second)
        storeInside(lower.left, 4, index, step)
      }
      index &+= step
    }
  }

  /// Returns the next pixels of the four rows from `row` on; `index` is the position in row 0.
  @inline(__always)
  private func load(_ row: Int, _ index: Int, _ step: Int) -> SIMD16<UInt8> {
    let distance = byteCount &+ 1 &- step
    let first = source + (index &+ row &* distance)
    let words = SIMD4<UInt32>(
      PNGLanes.word(first), PNGLanes.word(first + distance), PNGLanes.word(first + 2 &* distance),
      PNGLanes.word(first + 3 &* distance))
    return unsafeBitCast(words, to: SIMD16<UInt8>.self)
  }

  @inline(__always)
  private func store(_ pixels: SIMD16<UInt8>, _ row: Int, _ index: Int, _ step: Int) {
    let words = unsafeBitCast(pixels, to: SIMD4<UInt32>.self)
    let distance = stride &- step
    let first = UnsafeMutableRawPointer(rows + (index &+ row &* distance))
    for lane in 0..<4 { first.storeBytes(of: words[lane], toByteOffset: lane &* distance, as: UInt32.self) }
  }

  /// Returns the same pixels as `load`, but zeros for rows that have not started or have ended. Reads nothing outside
  /// the rows.
  private func loadInside(_ row: Int, _ index: Int, _ step: Int) -> SIMD16<UInt8> {
    var words = SIMD4<UInt32>()
    for lane in 0..<4 where contains(index - (row + lane) * step) {
      let place = index + (row + lane) * (byteCount + 1 - step)
      words[lane] = PNGLanes.word(source + place, step)
    }
    return unsafeBitCast(words, to: SIMD16<UInt8>.self)
  }

  private func storeInside(_ pixels: SIMD16<UInt8>, _ row: Int, _ index: Int, _ step: Int) {
    for lane in 0..<4 where contains(index - (row + lane) * step) {
      let target = rows + (index + (row + lane) * (stride - step))
      for byte in 0..<step { target[byte] = pixels[4 * lane + byte] }
    }
  }

  private func contains(_ index: Int) -> Bool { index >= 0 && index < byteCount }
}

/// Four pixels in four rows, each one pixel to the left of the pixel in the row above.
private struct PNGDiagonal {
  private(set) var left = SIMD16<UInt8>()
  private var corner = SIMD16<UInt8>()

  /// The lowest row's pixel.
  var last: UInt32 { unsafeBitCast(left, to: SIMD4<UInt32>.self)[3] }

  /// Restores the next pixel of each row.
  ///
  /// - Parameters:
  ///   - first: the restored pixel above the uppermost row's pixel. The previous call restored the pixels above the
  ///     other three.
  ///   - isMixed: whether a row has a filter other than Paeth.
  @inline(__always)
  mutating func advance(_ filtered: SIMD16<UInt8>, below first: UInt32, _ isMixed: Bool, _ filters: PNGFilterMasks) {
    let words = unsafeBitCast(left, to: SIMD4<UInt32>.self)
    let up = unsafeBitCast(SIMD4<UInt32>(first, words[0], words[1], words[2]), to: SIMD16<UInt8>.self)
    let paeth = PNGLanes.paeth(left, up, corner)
    corner = up
    guard isMixed else {
      left = filtered &+ paeth
      return
    }
    let average = (left & up) &+ ((left ^ up) &>> 1)
    left =
      filtered
      &+ ((paeth & filters.paeth) | (average & filters.average) | (left & filters.sub) | (up & filters.up))
  }
}

/// The filters of four rows: for each filter, a mask that is 255 in the four lanes of each row with this filter.
private struct PNGFilterMasks {
  private(set) var sub = SIMD16<UInt8>()
  private(set) var up = SIMD16<UInt8>()
  private(set) var average = SIMD16<UInt8>()
  private(set) var paeth = SIMD16<UInt8>()
  private(set) var areAllPaeth = true

  mutating func set(_ row: Int, _ filter: UInt8) {
    if filter != 4 { areAllPaeth = false }
    for lane in 4 * row..<4 * row + 4 {
      switch filter {
      case 1: sub[lane] = 255
      case 2: up[lane] = 255
      case 3: average[lane] = 255
      case 4: paeth[lane] = 255
      default: break
      }
    }
  }
}
