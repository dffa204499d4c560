extension PixelFormat {
  /// Whether no sample of a row's alpha is less than full; true where there is no alpha.
  ///
  /// - Parameters:
  ///   - row: pixels of this format, at any address.
  ///   - width: the number of pixels.
  public func isOpaque(_ row: UnsafeRawPointer, width: Int) -> Bool {
    guard hasAlpha else { return true }
    let first = row + (bytesPerPixel - sample.byteCount)
    switch sample {
    case .u8:
      for x in 0..<width where first.load(fromByteOffset: x * bytesPerPixel, as: UInt8.self) != .max { return false }
    case .u16:
      for x in 0..<width
      where first.loadUnaligned(fromByteOffset: x * bytesPerPixel, as: UInt16.self) != .max {
        return false
      }
    }
    return true
  }
}
