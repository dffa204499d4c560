/// Undoes the filters of PNG (PNG specification, third edition, section 9), in place.
///
/// The one in Debian's libspng goes byte by byte, and takes most of the time that a PNG takes.
enum PNGFilters {
  /// - Parameters:
  ///   - filter: 0 to 4.
  ///   - row: `count` filtered bytes, which become samples.
  ///   - above: the row above, or zeros.
  ///   - pixelBytes: bytes from a sample to the next pixel's: 1 to 4.
  static func undo(
    _ filter: UInt8, _ row: UnsafeMutablePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int,
    pixelBytes: Int
  ) {
    switch filter {
    case 1: undoSub(row, count, pixelBytes)
    case 2: undoUp(row, above, count)
    case 3: undoAverage(row, above, count, pixelBytes)
    case 4:
      switch pixelBytes {
      case 3: undoPaeth(row, above, count, step: 3)
      case 4: undoPaeth(row, above, count, step: 4)
      default: undoPaethBytes(row, above, count, pixelBytes)
      }
    default: break
    }
  }

  private static func undoSub(_ row: UnsafeMutablePointer<UInt8>, _ count: Int, _ step: Int) {
    guard step >= 3 else {
      for index in stride(from: step, to: count, by: 1) { row[index] &+= row[index - step] }
      return
    }
    var left = SIMD4<UInt8>()
    var index = 0
    while index &+ 4 <= count {
      left &+= load(row + index)
      store(left, row + index, step)
      index &+= step
    }
    finish(row, index, count) { row[$0] &+ ($0 >= step ? row[$0 - step] : 0) }
  }

  private static func undoUp(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int
  ) {
    for index in 0..<count { row[index] &+= above[index] }
  }

  private static func undoAverage(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, _ step: Int
  ) {
    func predicted(_ index: Int) -> UInt8 {
      let left = index >= step ? UInt16(row[index - step]) : 0
      return row[index] &+ UInt8((left + UInt16(above[index])) >> 1)
    }
    guard step >= 3 else { return finish(row, 0, count, predicted) }
    var left = SIMD4<UInt16>()
    var index = 0
    while index &+ 4 <= count {
      let up = SIMD4<UInt16>(truncatingIfNeeded: load(above + index))
      let average = SIMD4<UInt8>(truncatingIfNeeded: (left &+ up) &>> 1)
      let value = load(row + index) &+ average
      store(value, row + index, step)
      left = SIMD4<UInt16>(truncatingIfNeeded: value)
      index &+= step
    }
    finish(row, index, count, predicted)
  }

  /// All samples of a pixel at once. 9.4: of left, above and upper left the one that is nearest to
  /// left + above - upper left.
  ///
  /// Written so that little waits for the pixel on the left. With t = 3 * upper left - left - above, the
  /// greater of left and above is nearest where t is at most the lesser, the lesser where t is at least the
  /// greater, else upper left; ties included. (F. Giesen, in stb_image 2.29.)
  @inline(__always)
  private static func undoPaeth(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, step: Int
  ) {
    var left = SIMD4<Int16>()
    var corner = SIMD4<Int16>()
    var index = 0
    while index &+ 4 <= count {
      let up = SIMD4<Int16>(truncatingIfNeeded: load(above + index))
      let filtered = SIMD4<Int16>(truncatingIfNeeded: load(row + index))
      let t = (corner &* 3 &- up) &- left
      let lesser = pointwiseMin(left, up)
      let greater = pointwiseMax(left, up)
      let nearest = corner.replacing(with: lesser, where: greater .<= t)
        .replacing(with: greater, where: t .<= lesser)
      left = (filtered &+ nearest) & 255
      store(SIMD4<UInt8>(truncatingIfNeeded: left), row + index, step)
      corner = up
      index &+= step
    }
    finish(row, index, count) { paeth(row, above, $0, step) }
  }

  private static func undoPaethBytes(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, _ step: Int
  ) {
    finish(row, 0, count) { paeth(row, above, $0, step) }
  }

  private static func paeth(
    _ row: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ index: Int, _ step: Int
  ) -> UInt8 {
    let left = index >= step ? Int(row[index - step]) : 0
    let up = Int(above[index])
    let corner = index >= step ? Int(above[index - step]) : 0
    let (a, b, c) = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
    let nearest = a <= b && a <= c ? left : b <= c ? up : corner
    return row[index] &+ UInt8(nearest)
  }

  /// The last bytes, one by one.
  @inline(__always)
  private static func finish(
    _ row: UnsafeMutablePointer<UInt8>, _ first: Int, _ count: Int, _ value: (Int) -> UInt8
  ) {
    var index = first
    while index < count {
      row[index] = value(index)
      index += 1
    }
  }

  @inline(__always)
  private static func load(_ bytes: UnsafePointer<UInt8>) -> SIMD4<UInt8> {
    UnsafeRawPointer(bytes).loadUnaligned(as: SIMD4<UInt8>.self)
  }

  /// Writes a pixel of three or four bytes, and nothing beyond: what follows is still filtered.
  @inline(__always)
  private static func store(
    _ pixel: SIMD4<UInt8>, _ bytes: UnsafeMutablePointer<UInt8>, _ step: Int
  ) {
    if step == 4 {
      UnsafeMutableRawPointer(bytes).storeBytes(of: pixel, as: SIMD4<UInt8>.self)
    } else {
      let word = unsafeBitCast(pixel, to: UInt32.self).littleEndian
      UnsafeMutableRawPointer(bytes).storeBytes(
        of: UInt16(truncatingIfNeeded: word).littleEndian, as: UInt16.self)
      bytes[2] = UInt8(truncatingIfNeeded: word >> 16)
    }
  }
}
