/// Files of a few bytes, made without a library, whose headers may claim anything.
public enum TinyFiles {
  /// Returns a TIFF with gray pages of one pixel each, whose value is the page's number modulo 251.
  public static func tiff(pages: Int) -> [UInt8] {
    let table = 256
    let entryCount = 8, size = 2 + 12 * entryCount + 4
    var file: [UInt8] = [0x49, 0x49, 42, 0]
    let first = 8 + table
    file += number(first, 4) + (0..<table).map { UInt8($0) }
    file.reserveCapacity(first + pages * size)
    for page in 1...pages {
      let next = page < pages ? first + page * size : 0
      file += directory(width: 1, height: 1, compression: 1, offset: 8 + page % 251, byteCount: 1, next: next)
    }
    return file
  }

  /// Returns a TIFF with one page in one strip, whose bytes are meaningless.
  public static func tiff(width: Int, height: Int, compression: Int) -> [UInt8] {
    [0x49, 0x49, 42, 0, 8, 0, 0, 0]
      + directory(width: width, height: height, compression: compression, offset: 110, byteCount: 60, next: 0)
      + [UInt8](repeating: 0x5a, count: 60)
  }

  private static func directory(width: Int, height: Int, compression: Int, offset: Int, byteCount: Int, next: Int)
    -> [UInt8]
  {
    let entries = [
      (256, width), (257, height), (258, 8), (259, compression), (262, 1), (273, offset), (278, height),
      (279, byteCount),
    ]
    var bytes = number(entries.count, 2)
    for (tag, value) in entries { bytes += number(tag, 2) + [4, 0, 1, 0, 0, 0] + number(value, 4) }
    return bytes + number(next, 4)
  }

  /// Returns a GIF whose frames set one pixel each.
  public static func gif(side: Int, frames: Int) -> [UInt8] {
    let size = number(side, 2) + number(side, 2)
    let frame: [UInt8] =
      [0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0] + [2, 2, 0x44, 1, 0]
    var file = Array("GIF89a".utf8) + size + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    file.reserveCapacity(file.count + frames * frame.count)
    for _ in 0..<frames { file += frame }
    return file + [0x3b]
  }

  /// Returns the header of a JPEG XL codestream (ISO/IEC 18181-1, SizeHeader), followed by zeros.
  public static func jpegXL(side: Int) -> [UInt8] {
    var bits: [UInt8] = []
    func put(_ value: Int, _ count: Int) { for index in 0..<count { bits.append(UInt8(value >> index & 1)) } }
    put(0, 1)
    put(3, 2)
    put(side - 1, 30)
    put(0, 3)
    put(3, 2)
    put(side - 1, 30)
    put(1, 1)
    while bits.count % 8 != 0 { bits.append(0) }
    let bytes = stride(from: 0, to: bits.count, by: 8).map { start -> UInt8 in
      var byte: UInt8 = 0
      for index in 0..<8 { byte |= bits[start + index] << UInt8(index) }
      return byte
    }
    return [0xff, 0x0a] + bytes + [UInt8](repeating: 0, count: 200)
  }

  /// Returns a PDF with one empty page that is `side` points wide and high.
  public static func pdf(side: Int) -> [UInt8] {
    let page = "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 \(side) \(side)]>>endobj"
    return Array(
      """
      %PDF-1.4
      1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj \(page)
      trailer<</Root 1 0 R>>

      """.utf8)
  }

  public static func qoi(side: Int) -> [UInt8] {
    let size = Array(number(side, 4).reversed())
    return Array("qoif".utf8) + size + size + [4, 0] + [UInt8](repeating: 0xfd, count: 100)
  }

  public static func bmp(side: Int, compression: Int) -> [UInt8] {
    let depth = compression == 0 ? 24 : 8
    let header = number(40, 4) + number(side, 4) + number(side, 4) + [1, 0] + number(depth, 2)
    let rest = number(compression, 4) + number(0, 12) + number(compression == 0 ? 0 : 256, 4) + number(0, 4)
    return Array("BM".utf8) + number(100, 4) + number(0, 4) + number(54 + (compression == 0 ? 0 : 1_024), 4) + header
      + rest + [UInt8](repeating: 0xff, count: 1_100)
  }

  /// Little-endian bytes.
  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
  }
}
