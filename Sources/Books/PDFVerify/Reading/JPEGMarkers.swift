/// The segments before a JPEG's first scan (ITU-T T.81, B.1.1.3).
struct JPEGMarkers {
  /// Whether all coefficients must be in memory before the first row can be decoded.
  private(set) var isProgressive = false
  /// The bits per sample and the identifiers of components; 0 and empty if there is no frame header.
  private(set) var bits = 0
  private(set) var components: [UInt8] = []
  /// The transform of an Adobe marker (Adobe Technical Note 5116, 18); nil without one.
  private(set) var adobe: UInt8?
  private(set) var isJFIF = false
  /// The offset of the JFIF marker's name.
  private(set) var jfifName: Int?

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
      // The progressive frames SOF2, SOF6, SOF10 and SOF14.
      if marker & 0xf3 == 0xc2 { isProgressive = true }
      read(marker, UnsafeRawBufferPointer(rebasing: bytes[(place + 4)...].prefix(max(0, length - 2))), at: place + 4)
      place += 2 + length
    }
  }

  private mutating func read(_ marker: UInt8, _ body: UnsafeRawBufferPointer, at place: Int) {
    switch marker {
    case 0xc4, 0xc8, 0xcc: break
    case 0xc0...0xcf where body.count >= 6 && body.count >= 6 + 3 * Int(body[5]):
      bits = Int(body[0])
      components = (0..<Int(body[5])).map { body[6 + 3 * $0] }
    case 0xe0 where body.count >= 14 && body.starts(with: "JFIF\0".utf8):
      isJFIF = true
      jfifName = place
    case 0xee where body.count >= 12 && body.starts(with: "Adobe".utf8): adobe = body[11]
    default: break
    }
  }

  /// Whether decoders that do not see the dictionary, such as libjpeg, treat three components as RGB.
  var looksRGB: Bool {
    guard components.count == 3, !isJFIF else { return false }
    return adobe.map { $0 == 0 } ?? (components == Array("RGB".utf8))
  }

  /// Returns whether three components are RGB in a PDF: according to the Adobe marker, else to `ColorTransform`, whose
  /// default is YCbCr (PDF 32000-1:2008, table 13).
  func isRGB(transform: Int?) -> Bool {
    guard components.count == 3 else { return false }
    return adobe.map { $0 == 0 } ?? (transform == 0)
  }
}
