/// A page of an uncompressed TIFF with one sample per pixel.
struct TIFFPage {
  var width: Int
  var height: Int
  var pixels: [UInt8]
  var bits = 8
  /// The value of PhotometricInterpretation.
  var photometric = 1
  var isReduced = false

  private static let stripRows = 64

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns a little-endian file of pages.
  static func file(_ pages: [TIFFPage]) -> [UInt8] {
    var bytes: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]
    var link = 4
    for page in pages {
      let start = bytes.count
      bytes += page.pixels
      let row = page.width * page.bits / 8
      let sizes = stride(from: 0, to: page.height, by: stripRows).map { min(stripRows, page.height - $0) * row }
      let offsets = bytes.count
      for strip in sizes.indices { bytes += number(start + strip * stripRows * row, 4) }
      let counts = bytes.count
      for size in sizes { bytes += number(size, 4) }
      bytes.replaceSubrange(link..<link + 4, with: number(bytes.count, 4))
      // The number of one strip stands in its entry.
      let isOne = sizes.count == 1
      let entries = [
        (254, 1, page.isReduced ? 1 : 0), (256, 1, page.width), (257, 1, page.height), (258, 1, page.bits), (259, 1, 1),
        (262, 1, page.photometric), (273, sizes.count, isOne ? start : offsets), (277, 1, 1), (278, 1, stripRows),
        (279, sizes.count, isOne ? sizes[0] : counts),
      ]
      bytes += number(entries.count, 2)
      for (tag, count, value) in entries {
        bytes += number(tag, 2) + number(4, 2) + number(count, 4) + number(value, 4)
      }
      link = bytes.count
      bytes += number(0, 4)
    }
    return bytes
  }
}
