/// Compresses with the LZW of TIFF 6.0, section 13: an encoder for tests, the plainest there is.
enum LZWCodes {
  private static let clear = 256
  private static let end = 257

  /// - Parameter most: the entries after which the dictionary starts anew; at most 4,095.
  static func encoded(_ bytes: [UInt8], restartingAt most: Int = 4_095) -> [UInt8] {
    var writer = BitWriter()
    // The codes of strings, by the code of all but the last byte, and that byte.
    var known: [Int: Int] = [:]
    var (next, width) = (clear + 2, 9)
    writer.put(clear, width)
    var last: Int?
    for byte in bytes {
      guard let code = last else {
        last = Int(byte)
        continue
      }
      if let longer = known[code << 8 | Int(byte)] {
        last = longer
        continue
      }
      writer.put(code, width)
      known[code << 8 | Int(byte)] = next
      next += 1
      // The width grows one code early.
      if next > (1 << width) - 1 { width += 1 }
      if next == most {
        writer.put(clear, width)
        (known, next, width) = ([:], clear + 2, 9)
      }
      last = Int(byte)
    }
    if let last {
      writer.put(last, width)
      if next + 1 > (1 << width) - 1, width < 12 { width += 1 }
    }
    writer.put(end, width)
    return writer.finish()
  }

  /// Codes from the highest bit on.
  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var bits = 0
    private var count = 0

    mutating func put(_ code: Int, _ width: Int) {
      bits = bits << width | code
      count += width
      while count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 255))
      }
      bits &= (1 << count) - 1
    }

    mutating func finish() -> [UInt8] {
      if count > 0 { put(0, 8 - count) }
      return bytes
    }
  }
}
