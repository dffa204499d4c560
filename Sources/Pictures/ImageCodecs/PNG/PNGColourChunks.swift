import CISAL
import ImageCore

/// The colour space that cICP, sRGB, gAMA and cHRM chunks declare (PNG, third edition, 4.3 and 11.3.2). For iCCP, see
/// `PNGReader.iccProfile`.
struct PNGColourChunks {
  /// The code points of cICP, with the peak from cLLI or else from mDCV; nil if there is no cICP, if the samples are
  /// not of full range, or if they are neither RGB nor gray.
  fileprivate(set) var code: ColourCode?
  fileprivate(set) var isSRGB = false
  fileprivate var exponent: Double?
  /// The x and y of white, red, green, and blue.
  fileprivate var chromaticities: [Double]?

  /// The colour space of gAMA and cHRM; nil if there is neither.
  var calibration: CalibratedColour? {
    guard exponent != nil || chromaticities != nil else { return nil }
    return CalibratedColour(
      primaries: chromaticities.map { Array($0.dropFirst(2)) }, white: chromaticities.map { Array($0.prefix(2)) },
      curves: [exponent.map { .gamma($0) } ?? .srgb])
  }
}

extension PNGReader {
  /// Reads the chunks about colour, which are all before the pixels.
  func colourChunks() throws(PictureError) -> PNGColourChunks {
    var found = PNGColourChunks()
    var (content, screen) = (0.0, 0.0)
    var offset = 8
    // Files usually have about a dozen chunks before the pixels.
    for _ in 0..<1_000 where offset < pixelOffset {
      let head = try source.bytes(at: offset, upTo: 8)
      guard head.count == 8 else { break }
      let length = Self.number(head[..<4])
      defer { offset += 12 + length }
      if wrongChunks.contains(UInt32(truncatingIfNeeded: Self.number(head[4...]))) { continue }
      switch (String(decoding: head[4...], as: UTF8.self), length) {
      case ("cICP", 4):
        let bytes = try source.bytes(at: offset + 8, upTo: 4)
        // The matrix must be that of RGB, and the range must be full.
        if bytes.dropFirst(2).elementsEqual([0, 1]) {
          found.code = ColourCode(primaries: Int(bytes[0]), transfer: Int(bytes[1]))
        }
      case ("cLLI", 8): content = Self.light(try source.bytes(at: offset + 8, upTo: 4))
      // The luminance follows the coordinates of three primaries and of white.
      case ("mDCV", 24): screen = Self.light(try source.bytes(at: offset + 8 + 16, upTo: 4))
      case ("sRGB", 1): if try self.content(at: offset, 1) != nil { found.isSRGB = true }
      case ("gAMA", 4):
        if found.exponent == nil, let bytes = try self.content(at: offset, 4), Self.number(bytes) > 0 {
          found.exponent = 100_000 / Double(Self.number(bytes))
        }
      case ("cHRM", 32):
        if found.chromaticities == nil, let bytes = try self.content(at: offset, 32) {
          found.chromaticities = (0..<8).map { Double(Self.number(bytes[(4 * $0)..<(4 * $0 + 4)])) / 100_000 }
        }
      default: break
      }
    }
    found.code?.peak = content > 0 ? content : screen
    return found
  }

  /// Returns the content of a small chunk; nil if the chunk is incomplete, or if its checksum is wrong, because a wrong
  /// colour space is worse than none.
  private func content(at offset: Int, _ count: Int) throws(PictureError) -> ArraySlice<UInt8>? {
    let bytes = try source.bytes(at: offset + 4, upTo: count + 8)
    guard bytes.count == count + 8 else { return nil }
    let checksum = crc32_gzip_refl(0, bytes, UInt64(count + 4))
    return Self.number(bytes[(count + 4)...]) == Int(checksum) ? Array(bytes[4..<count + 4])[...] : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// Returns a luminance that is stored in units of 0.0001 cd/m².
  private static func light(_ bytes: [UInt8]) -> Double { Double(number(bytes[...])) * 0.0001 }
}
