/// Reverses the filters of PNG (PNG specification, third edition, section 9).
///
/// This code exists because Debian's libspng works byte by byte, which takes most of the decoding time.
enum PNGFilters {
  /// The number of bytes that may be read beyond the filtered rows and beyond the row above.
  static let slack = 8

  /// Restores rows. Returns false if a row has an unknown filter.
  ///
  /// - Parameters:
  ///   - count: the number of rows.
  ///   - filtered: the rows, each preceded by its filter type, without gaps; `slack` bytes after the last one must be
  ///     readable.
  ///   - above: the restored row above, or zeros; `slack` bytes after it must be readable.
  ///   - rows: the destination, with rows `stride` bytes apart; nothing is written after the last row.
  ///   - byteCount: the size of a row in bytes, without the filter type.
  ///   - step: the distance in bytes from a sample to the same sample of the next pixel, 1 to 8.
  static func undo(
    _ count: Int, _ filtered: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>,
    into rows: UnsafeMutablePointer<UInt8>, stride: Int, byteCount: Int, step: Int
  ) -> Bool {
    var above = above
    var row = 0
    while row < count {
      let source = filtered + row * (byteCount + 1)
      let target = rows + row * stride
      let done = group(source, byteCount, step, limit: count - row)
      if done > 1 {
        PNGRowGroup(
          source: source + 1, above: above, rows: target, stride: stride, byteCount: byteCount
        ).undo(done, step: step)
      } else {
        guard undo(source[0], source + 1, above, target, byteCount, step) else { return false }
      }
      row += done
      above = UnsafePointer(target + (done - 1) * stride)
    }
    return true
  }

  /// Returns the number of rows to restore together: 8, 4 or 1. Groups need pixels of at most 4 bytes, and pay off if
  /// at least two of the next eight rows have a slow filter (average or Paeth).
  private static func group(_ source: UnsafePointer<UInt8>, _ byteCount: Int, _ step: Int, limit: Int) -> Int {
    guard step <= 4 else { return 1 }
    var slow = 0
    for row in 0..<min(8, limit) {
      let filter = source[row * (byteCount + 1)]
      guard filter <= 4 else { return row >= 4 && slow >= 2 ? 4 : 1 }
      if filter >= 3 { slow += 1 }
    }
    guard slow >= 2 else { return 1 }
    return limit >= 8 ? 8 : limit >= 4 ? 4 : 1
  }

  private static func undo(
    _ filter: UInt8, _ source: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>,
    _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ step: Int
  ) -> Bool {
    switch filter {
    case 0: row.update(from: source, count: count)
    case 1: undoSub(source, row, count, step)
    case 2: for index in 0..<count { row[index] = source[index] &+ above[index] }
    case 3: undoAverage(source, above, row, count, step)
    case 4: undoPaeth(source, above, row, count, step)
    default: return false
    }
    return true
  }

  /// Calls `body` with `step` as a constant, so that the compiler generates a loop for each value.
  @inline(__always)
  private static func specialise(_ step: Int, _ body: (Int) -> Void) {
    switch step {
    case 1: body(1)
    case 2: body(2)
    case 3: body(3)
    case 4: body(4)
    case 6: body(6)
    case 8: body(8)
    default: preconditionFailure("no pixel has \(step) bytes")
    }
  }

  private static func undoSub(
    _ source: UnsafePointer<UInt8>, _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ step: Int
  ) {
    specialise(step) { step in
      var left = PNGPixel8()
      forPixels(count, step) { index, isLast in
        left &+= PNGLanes.load(source + index, step)
        PNGLanes.store(left, row + index, step, isLast)
      }
    }
  }

  private static func undoAverage(
    _ source: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>,
    _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ step: Int
  ) {
    specialise(step) { step in
      var left = PNGPixel16()
      forPixels(count, step) { index, isLast in
        let up = PNGLanes.widen(PNGLanes.load(above + index, step))
        let filtered = PNGLanes.widen(PNGLanes.load(source + index, step))
        left = (filtered &+ (left &+ up) &>> 1) & 255
        PNGLanes.store(PNGLanes.narrow(left), row + index, step, isLast)
      }
    }
  }

  private static func undoPaeth(
    _ source: UnsafePointer<UInt8>, _ above: UnsafePointer<UInt8>,
    _ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ step: Int
  ) {
    specialise(step) { step in
      var left = PNGPixel16()
      var corner = PNGPixel16()
      forPixels(count, step) { index, isLast in
        let up = PNGLanes.widen(PNGLanes.load(above + index, step))
        let filtered = PNGLanes.widen(PNGLanes.load(source + index, step))
        left = (filtered &+ PNGLanes.paeth(left, up, corner)) & 255
        corner = up
        PNGLanes.store(PNGLanes.narrow(left), row + index, step, isLast)
      }
    }
  }

  @inline(__always)
  private static func forPixels(_ count: Int, _ step: Int, _ body: (Int, Bool) -> Void) {
    var index = 0
    while index < count &- step {
      body(index, false)
      index &+= step
    }
    body(index, true)
  }
}
