import ImageCore

/// A conversion of colours to be measured.
enum ColourJob: String, CaseIterable {
  case p3 = "Display P3 to sRGB, 8 bits"
  case wideP3 = "Display P3 to sRGB, 16 bits"

  var source: [UInt8] { StandardProfile.displayP3.bytes }
  var target: [UInt8] { StandardProfile.srgb.bytes }
  var sampleBytes: Int { self == .wideP3 ? 2 : 1 }
  var sourceBands: Int { 3 }
  /// The largest ratio of our time to Little CMS's.
  var limit: Double { 0.25 }

  /// A photograph's samples as the source's, with all levels of theirs.
  func samples(_ photo: UnsafeBufferPointer<UInt8>) -> UnsafeMutableRawPointer {
    let samples = UnsafeMutableRawPointer.allocate(byteCount: photo.count * sampleBytes, alignment: 64)
    for (index, value) in photo.enumerated() {
      switch self {
      case .p3: samples.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
      case .wideP3:
        let low = UInt16(truncatingIfNeeded: index &* 2_654_435_761 >> 13) & 0xff
        samples.storeBytes(of: UInt16(value) << 8 | low, toByteOffset: index * 2, as: UInt16.self)
      }
    }
    return samples
  }
}
