/// The segments before a JPEG's first scan (ITU-T T.81, B.1.1.3).
struct JPEGMarkers {
  /// Whether its coefficients are all in memory before the first row is there.
  private(set) var isProgressive = false
  /// How an Adobe segment says that colours were transformed; nil without one. Adobe Technical Note 5116, section 18.
  private(set) var adobeTransform: UInt8?
  /// The bytes of that segment.
  private(set) var adobeSegment: Range<Int>?

  init(_ bytes: UnsafeRawBufferPointer) {
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xff {
      let marker = bytes[place + 1]
      if marker == 0xff {
        place += 1
        continue
      }
      if marker == 0xda || marker == 0xd9 { return }
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      // SOF2, 6, 10 and 14.
      if marker & 0xf3 == 0xc2 { isProgressive = true }
      if marker == 0xee, length >= 14, place + 2 + length <= bytes.count,
        bytes[(place + 4)..<(place + 9)].elementsEqual("Adobe".utf8)
      {
        adobeTransform = bytes[place + 15]
        adobeSegment = place..<place + 2 + length
      }
      place += 2 + length
    }
  }
}
