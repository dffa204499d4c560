/// Copies of whole pixels to other places: mirroring, turning, repeating. A pixel is 1 to 8 bytes.
public enum PixelMoves {
  /// Reverses the pixels of a row in place.
  public static func reverse(_ row: UnsafeMutableRawPointer, width: Int, pixelBytes: Int) {
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

  /// Fills rows from pixels that lie any fixed steps apart: one loop for all eight ways to turn and
  /// mirror a picture.
  ///
  /// - Parameters:
  ///   - source: the pixel that goes to the top left.
  ///   - columnStep: bytes from there to the pixel that goes beside it; may be negative.
  ///   - rowStep: bytes to the pixel that goes below it; may be negative.
  public static func gather(
    from source: UnsafeRawPointer, columnStep: Int, rowStep: Int,
    to destination: UnsafeMutableRawPointer, stride: Int, width: Int, height: Int, pixelBytes: Int
  ) {
    let move = Move(
      source: source, columnStep: columnStep, rowStep: rowStep, destination: destination,
      stride: stride, width: width, height: height)
    switch pixelBytes {
    case 1: move.run(UInt8.self)
    case 2: move.run(UInt16.self)
    case 3: move.run(Bytes3.self)
    case 4: move.run(UInt32.self)
    case 6: move.run(Bytes6.self)
    default: move.run(UInt64.self)
    }
  }

  /// Writes one pixel `count` times.
  public static func fill(
    _ destination: UnsafeMutableRawPointer, with pixel: UnsafeRawPointer, count: Int,
    pixelBytes: Int
  ) {
    for index in 0..<count {
      (destination + index * pixelBytes).copyMemory(from: pixel, byteCount: pixelBytes)
    }
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

private struct Move {
  let source: UnsafeRawPointer
  let columnStep: Int
  let rowStep: Int
  let destination: UnsafeMutableRawPointer
  let stride: Int
  let width: Int
  let height: Int

  /// Tiles of 32 by 32 pixels: when rows become columns, the lines of a tile stay in the first cache
  /// until all their pixels are used.
  @inline(__always)
  func run<Pixel: BitwiseCopyable>(_ type: Pixel.Type) {
    let tile = 32
    for top in Swift.stride(from: 0, to: height, by: tile) {
      for left in Swift.stride(from: 0, to: width, by: tile) {
        for y in top..<min(top + tile, height) {
          let to = destination + y * stride
          let from = source + y * rowStep
          for x in left..<min(left + tile, width) {
            let pixel = (from + x * columnStep).loadUnaligned(as: Pixel.self)
            (to + x * MemoryLayout<Pixel>.size).storeBytes(of: pixel, as: Pixel.self)
          }
        }
      }
    }
  }
}
