/// The segments before a JPEG's first scan (ITU-T T.81, B.1.1.3).
struct JPEGMarkers {
  /// Whether its coefficients are all in memory before the first row is there.
  private(set) var isProgressive = false

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
      place += 2 + length
    }
  }
}
