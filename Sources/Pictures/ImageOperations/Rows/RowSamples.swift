import ImageCore

/// Functions that load and store a single sample of a row by its index.
enum RowSamples {
  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int, _ type: SampleType) -> Int {
    switch type {
    case .u8: Int(row.load(fromByteOffset: index, as: UInt8.self))
    case .u16: Int(row.load(fromByteOffset: 2 * index, as: UInt16.self))
    }
  }

  @inline(__always)
  static func store(_ value: Int, _ row: UnsafeMutableRawPointer, _ index: Int, _ type: SampleType) {
    switch type {
    case .u8: row.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
    case .u16: row.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
    }
  }
}

extension PixelBuffer {
  /// Writes a colour into the first pixel.
  func setFirstPixel(_ colour: Colour) {
    for (band, value) in colour.samples(in: layout.format).enumerated() {
      RowSamples.store(value, base, band, layout.format.sample)
    }
  }
}
