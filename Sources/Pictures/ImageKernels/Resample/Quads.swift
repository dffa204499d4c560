/// Functions that unpack the rows of horizontal passes, which have four samples per pixel: three or four bands of one
/// row, two bands of each of two rows, or one band of each of four rows.
enum Quads {
  /// Copies the used samples to `rows` rows, `stride` bytes apart.
  static func unpack8(
    _ quads: UnsafeRawPointer, bands: Int, count: Int, rows: Int, into output: UnsafeMutableRawPointer, stride: Int
  ) {
    let pixels = quads.assumingMemoryBound(to: UInt32.self)
    switch bands {
    case 4: output.copyMemory(from: quads, byteCount: count * 4)
    case 3: unpackTriples8(pixels, count, output)
    case 2:
      for row in 0..<rows {
        let address = output + row * stride
        for x in 0..<count {
          let sample = UInt16(truncatingIfNeeded: pixels[x].littleEndian >> UInt32(row * 16))
          address.storeBytes(of: sample.littleEndian, toByteOffset: 2 * x, as: UInt16.self)
        }
      }
    default:
      for row in 0..<rows {
        let address = output + row * stride
        for x in 0..<count {
          let sample = UInt8(truncatingIfNeeded: pixels[x].littleEndian >> UInt32(row * 8))
          address.storeBytes(of: sample, toByteOffset: x, as: UInt8.self)
        }
      }
    }
  }

  /// Does the same as `unpack8` for 16-bit samples.
  static func unpack16(
    _ quads: UnsafeRawPointer, bands: Int, count: Int, rows: Int, into output: UnsafeMutableRawPointer, stride: Int
  ) {
    switch bands {
    case 4: output.copyMemory(from: quads, byteCount: count * 8)
    case 3: unpackTriples16(quads, count, output)
    case 2:
      for row in 0..<rows {
        let (from, to) = (quads + 4 * row, output + row * stride)
        for x in 0..<count {
          let pixel = from.loadUnaligned(fromByteOffset: 8 * x, as: UInt32.self)
          to.storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
        }
      }
    default:
      for row in 0..<rows {
        let (from, to) = (quads + 2 * row, output + row * stride)
        for x in 0..<count {
          let sample = from.loadUnaligned(fromByteOffset: 8 * x, as: UInt16.self)
          to.storeBytes(of: sample, toByteOffset: 2 * x, as: UInt16.self)
        }
      }
    }
  }

  // Every write except the last writes a fourth sample, which the next pixel overwrites.

  private static func unpackTriples8(_ pixels: UnsafePointer<UInt32>, _ count: Int, _ output: UnsafeMutableRawPointer) {
    for x in 0..<count - 1 { output.storeBytes(of: pixels[x], toByteOffset: 3 * x, as: UInt32.self) }
    let last = count - 1
    (output + 3 * last).copyMemory(from: pixels + last, byteCount: 3)
  }

  private static func unpackTriples16(_ quads: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer) {
    let pixels = quads.assumingMemoryBound(to: UInt64.self)
    for x in 0..<count - 1 { output.storeBytes(of: pixels[x], toByteOffset: 6 * x, as: UInt64.self) }
    let last = count - 1
    (output + 6 * last).copyMemory(from: pixels + last, byteCount: 6)
  }
}
