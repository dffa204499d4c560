/// Loops that copy whole pixels to other places: mirroring, rotating, filling. A pixel has 1, 2, 3, 4, 6 or 8 bytes.
package enum PixelMoves {
  /// Reverses the pixels of a row in place.
  package static func reverse(_ row: UnsafeMutableRawPointer, width: Int, pixelBytes: Int) {
    switch pixelBytes {
    case 1: reverse(row, width, as: UInt8.self)
    case 2: reverse(row, width, as: UInt16.self)
    case 3: reverse(row, width, as: Bytes3.self)
    case 4: reverse(row, width, as: UInt32.self)
    case 6: reverse(row, width, as: Bytes6.self)
    default: reverse(row, width, as: UInt64.self)
    }
  }

  private static func reverse<Pixel: BitwiseCopyable>(
    _ row: UnsafeMutableRawPointer, _ width: Int, as type: Pixel.Type
  ) {
    let size = MemoryLayout<Pixel>.size
    for index in 0..<width / 2 {
      let left = row + index * size
      let right = row + (width - 1 - index) * size
      let pixel = left.loadUnaligned(as: Pixel.self)
      left.storeBytes(of: right.loadUnaligned(as: Pixel.self), as: Pixel.self)
      right.storeBytes(of: pixel, as: Pixel.self)
    }
  }

  /// Fills rows with source pixels at fixed distances, which covers all eight ways to rotate and mirror a picture.
  package static func gather(
    from source: PixelSteps, to destination: UnsafeMutableRawPointer, stride: Int, width: Int, height: Int,
    pixelBytes: Int
  ) {
    let move = Move(
      source: source.first, columnStep: source.column, rowStep: source.row,
      destination: destination, stride: stride, width: width, height: height)
    if source.column == pixelBytes { return move.copyRows(width * pixelBytes) }
    switch pixelBytes {
    case 1: move.run(UInt8.self)
    case 2: move.run(UInt16.self)
    case 3: move.runThrees()
    case 4: move.run(UInt32.self)
    case 6: move.run(Bytes6.self)
    default: move.run(UInt64.self)
    }
  }

  /// Writes one pixel `count` times.
  package static func fill(
    _ destination: UnsafeMutableRawPointer, with pixel: UnsafeRawPointer, count: Int, pixelBytes: Int
  ) {
    for index in 0..<count { (destination + index * pixelBytes).copyMemory(from: pixel, byteCount: pixelBytes) }
  }
}

/// The addresses of source pixels at fixed distances.
package struct PixelSteps {
  /// The source pixel that becomes the upper left one of the result.
  let first: UnsafeRawPointer
  /// The number of bytes from a source pixel to the pixel that becomes its right neighbour; may be negative.
  let column: Int
  /// The number of bytes from a source pixel to the pixel that becomes its lower neighbour; may be negative.
  let row: Int

  package init(first: UnsafeRawPointer, column: Int, row: Int) {
    self.first = first
    self.column = column
    self.row = row
  }
}

/// A pixel of three 8-bit samples.
private struct Bytes3: BitwiseCopyable {
  var a: UInt8
  var b: UInt8
  var c: UInt8
}

/// A pixel of three 16-bit samples.
private struct Bytes6: BitwiseCopyable {
  var a: UInt16
  var b: UInt16
  var c: UInt16
}

/// The source, the destination and the size of a call of `PixelMoves.gather`.
private struct Move {
  let source: UnsafeRawPointer
  let columnStep: Int
  let rowStep: Int
  let destination: UnsafeMutableRawPointer
  let stride: Int
  let width: Int
  let height: Int

  /// Copies rows whose pixels are already in order.
  func copyRows(_ byteCount: Int) {
    for y in 0..<height {
      (destination + y * stride).copyMemory(from: source + y * rowStep, byteCount: byteCount)
    }
  }

  @inline(__always)
  func run<Pixel: BitwiseCopyable>(_ type: Pixel.Type) {
    let size = MemoryLayout<Pixel>.size
    forTiles(of: 0..<width) { y, columns in
      var from = source + y * rowStep + columns.lowerBound * columnStep
      var to = destination + y * stride + columns.lowerBound * size
      for _ in columns {
        to.storeBytes(of: from.loadUnaligned(as: Pixel.self), as: Pixel.self)
        from += columnStep
        to += size
      }
    }
  }

  /// Copies pixels of three bytes with four-byte moves; the next pixel overwrites the fourth byte.
  ///
  /// The first and the last pixel of a row are copied as three bytes: either may be the last pixel of the source, which
  /// has no fourth byte to read, and the bytes after the target row may belong to other code.
  func runThrees() {
    guard width > 2 else { return run(Bytes3.self) }
    forTiles(of: 1..<width - 1) { y, columns in
      var from = source + y * rowStep + columns.lowerBound * columnStep
      var to = destination + y * stride + columns.lowerBound * 3
      for _ in columns {
        to.storeBytes(of: from.loadUnaligned(as: UInt32.self), as: UInt32.self)
        from += columnStep
        to += 3
      }
    }
    for y in 0..<height {
      for x in [0, width - 1] {
        (destination + y * stride + x * 3).copyMemory(from: source + y * rowStep + x * columnStep, byteCount: 3)
      }
    }
  }

  /// Calls `body` for each row of each tile of 32 by 32 pixels: when rows become columns, the cache lines of a tile
  /// stay in the first-level cache until all their pixels are copied. If rows stay rows, tiles are as wide as the
  /// picture.
  @inline(__always)
  private func forTiles(of columns: Range<Int>, _ body: (_ y: Int, _ columns: Range<Int>) -> Void) {
    let tile = rowStep.magnitude > columnStep.magnitude ? max(1, columns.count) : 32
    for top in Swift.stride(from: 0, to: height, by: 32) {
      for left in Swift.stride(from: columns.lowerBound, to: columns.upperBound, by: tile) {
        for y in top..<min(top + 32, height) { body(y, left..<min(left + tile, columns.upperBound)) }
      }
    }
  }
}
