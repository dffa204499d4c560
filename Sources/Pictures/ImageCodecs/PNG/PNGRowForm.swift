import ImageCore

/// The format of samples in a PNG's rows, and their conversion to the picture's layout.
struct PNGRowForm {
  /// The size of a stored row in bytes, without its filter type.
  let byteCount: Int
  /// The number of bytes of a pixel as filters count it (PNG, 9.2), at least 1.
  let step: Int
  private let kind: Kind
  private let width: Int

  private enum Kind {
    case same
    /// 16-bit samples with the high byte first; a row has `count` samples.
    case swapped(count: Int)
    /// Pixels of up to 8 bits, which index a table with entries of 1, 3 or 4 bytes.
    case numbers(bits: Int, entries: [UInt8], size: Int)
  }

  /// Whether restored rows have the size of the layout's rows, so that `convert` works in place.
  var isStored: Bool {
    if case .numbers = kind { return false }
    return true
  }

  /// Chooses the form; nil for files that only libspng can read: interlaced pictures, and gray and RGB ones with a
  /// transparent colour.
  init?(_ reader: PNGReader) throws(PictureError) {
    let layout = reader.layout
    let bits = Int(reader.ihdr.bit_depth)
    let isPalette = reader.ihdr.color_type == 3
    guard !reader.isInterlaced, isPalette || !reader.hasTransparency else { return nil }
    width = layout.width
    if isPalette || bits < 8 {
      byteCount = (width * bits + 7) / 8
      step = 1
      let size = layout.format.bytesPerPixel
      let entries = isPalette ? try reader.palette(size) : Self.grays(bits)
      kind = .numbers(bits: bits, entries: entries, size: size)
    } else {
      byteCount = layout.rowByteCount
      step = layout.format.bytesPerPixel
      kind = bits == 16 ? .swapped(count: byteCount / 2) : .same
    }
  }

  /// Returns the table that scales samples of `bits` bits to 8 bits (PNG, 13.12).
  private static func grays(_ bits: Int) -> [UInt8] {
    let greatest = 1 << bits - 1
    return (0...greatest).map { UInt8($0 * 255 / greatest) }
  }

  /// Converts a restored row to the layout; `source` and `row` are the same if `isStored`.
  func convert(_ source: UnsafeMutableRawPointer, into row: UnsafeMutableRawPointer) {
    switch kind {
    case .same: break
    case .swapped(let count):
      let samples = row.assumingMemoryBound(to: UInt16.self)
      for index in 0..<count { samples[index] = UInt16(bigEndian: samples[index]) }
    case .numbers(let bits, let entries, let size):
      entries.withUnsafeBufferPointer { entries in
        let table = entries.baseAddress!
        let numbers = UnsafePointer(source.assumingMemoryBound(to: UInt8.self))
        let samples = row.assumingMemoryBound(to: UInt8.self)
        switch (bits, size) {
        case (8, 3): expand(numbers, 8, table, 3, samples)
        case (8, 4): expand(numbers, 8, table, 4, samples)
        case (_, 1): expand(numbers, bits, table, 1, samples)
        case (_, 3): expand(numbers, bits, table, 3, samples)
        default: expand(numbers, bits, table, 4, samples)
        }
      }
    }
  }

  @inline(__always)
  private func expand(
    _ numbers: UnsafePointer<UInt8>, _ bits: Int, _ entries: UnsafePointer<UInt8>, _ size: Int,
    _ row: UnsafeMutablePointer<UInt8>
  ) {
    // A byte contains 1, 2, 4 or 8 pixels, the leftmost in the highest bits.
    let places = bits == 8 ? 0 : bits == 4 ? 1 : bits == 2 ? 2 : 3
    let last = 1 << places &- 1
    let mask = 1 << bits &- 1
    for pixel in 0..<width {
      let shift = (last &- (pixel & last)) &* bits
      let number = Int(numbers[pixel >> places]) >> shift & mask
      let entry = entries + (number &* size)
      for byte in 0..<size { row[pixel &* size &+ byte] = entry[byte] }
    }
  }
}
