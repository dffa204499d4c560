import ImageCore

extension PNGReader {
  /// Returns the colour space of a cICP chunk, with the peak of cLLI or else of mDCV; nil without one, and for samples
  /// that are not RGB or gray of full range.
  ///
  /// PNG (third edition), 11.3.2.6 to 11.3.2.8. All three stand before the pixels.
  func colourCode() throws(PictureError) -> ColourCode? {
    var code: ColourCode?
    var (content, screen) = (0.0, 0.0)
    var offset = 8
    // Files have a dozen chunks before the pixels.
    for _ in 0..<1_000 where offset < pixelOffset {
      let head = try source.bytes(at: offset, upTo: 8)
      guard head.count == 8 else { break }
      let length = Self.number(head[..<4])
      switch (String(decoding: head[4...], as: UTF8.self), length) {
      case ("cICP", 4):
        let bytes = try source.bytes(at: offset + 8, upTo: 4)
        // The matrix is that of RGB, and the range is full.
        if bytes.dropFirst(2).elementsEqual([0, 1]) {
          code = ColourCode(primaries: Int(bytes[0]), transfer: Int(bytes[1]))
        }
      case ("cLLI", 8): content = Self.light(try source.bytes(at: offset + 8, upTo: 4))
      // Behind the places of three primaries and of white.
      case ("mDCV", 24): screen = Self.light(try source.bytes(at: offset + 8 + 16, upTo: 4))
      default: break
      }
      offset += 12 + length
    }
    code?.peak = content > 0 ? content : screen
    return code
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// Light in units of 0.0001 cd/m².
  private static func light(_ bytes: [UInt8]) -> Double { Double(number(bytes[...])) * 0.0001 }
}
