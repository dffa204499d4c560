import ImageCore

/// A conversion of colours to be measured.
enum ColourJob: String, CaseIterable {
  case p3 = "Display P3 to sRGB, 8 bits"
  case wideP3 = "Display P3 to sRGB, 16 bits"
  case cmyk = "CMYK (FOGRA39) to sRGB, 8 bits"

  var source: [UInt8] { (self == .cmyk ? StandardProfile.cmyk : .displayP3).bytes }
  var target: [UInt8] { StandardProfile.srgb.bytes }
  var sampleBytes: Int { self == .wideP3 ? 2 : 1 }
  var sourceBands: Int { self == .cmyk ? 4 : 3 }
  /// The largest ratio of our time to Little CMS's.
  var limit: Double { self == .cmyk ? 0.35 : 0.25 }

  /// A photograph's samples as the source's, with all levels of theirs.
  func samples(_ photo: UnsafeBufferPointer<UInt8>) -> UnsafeMutableRawPointer {
    let byteCount = photo.count / 3 * sourceBands * sampleBytes
    let samples = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    for (index, value) in photo.enumerated() {
      switch self {
      case .p3: samples.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
      case .wideP3:
        let low = UInt16(truncatingIfNeeded: index &* 2_654_435_761 >> 13) & 0xff
        samples.storeBytes(of: UInt16(value) << 8 | low, toByteOffset: index * 2, as: UInt16.self)
      case .cmyk:
        let pixel = index / 3 * 4
        let darkest = 255 - max(photo[index / 3 * 3], photo[index / 3 * 3 + 1], photo[index / 3 * 3 + 2])
        // Half of what the three inks share is black.
        samples.storeBytes(of: 255 - value - darkest / 2, toByteOffset: pixel + index % 3, as: UInt8.self)
        samples.storeBytes(of: darkest / 2, toByteOffset: pixel + 3, as: UInt8.self)
      }
    }
    return samples
  }
}
