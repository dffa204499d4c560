enum Opacity {
  /// Returns whether every pixel of `columns` of an 8-bit row has full alpha in its last band. There are 2 or 4 bands.
  static func isOpaque(_ row: UnsafeRawPointer, pixels: ResamplePixels, columns: Range<Int>) -> Bool {
    let bands = pixels.bands
    let start = row + columns.lowerBound * bands
    let byteCount = columns.count * bands
    let block = MemoryLayout<SIMD64<UInt8>>.size
    // The mask selects the bytes that are alpha, in native byte order.
    let mask = (bands == 4 ? 0xff00_0000_ff00_0000 : 0xff00_ff00_ff00_ff00 as UInt64).littleEndian
    var offset = 0
    while offset + block <= byteCount {
      // The row is checked in parts; the first one is small, because pictures with transparency often begin with it.
      let end = min(byteCount, offset + (offset == 0 ? 1 : 16) * block)
      var all = SIMD8<UInt64>(repeating: .max)
      while offset + block <= end {
        all &= (start + offset).loadUnaligned(as: SIMD8<UInt64>.self)
        offset += block
      }
      for part in 0..<8 where all[part] & mask != mask { return false }
    }
    while offset < byteCount {
      guard start.load(fromByteOffset: offset + bands - 1, as: UInt8.self) == 255 else { return false }
      offset += bands
    }
    return true
  }
}
