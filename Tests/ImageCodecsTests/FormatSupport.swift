import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Checks that all formats without a library share.
enum FormatChecks {
  static func decoded(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws -> Pixels {
    var result: Pixels?
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      let codec = try CodecList.recognise(file)
      let header = try codec.readHeader(file, options.selection)
      result = try readAll(try codec.makeDecoder(file, header: header, options: options))
    }
    return result!
  }

  static func header(_ bytes: [UInt8], _ selection: PageSelection = .first) throws -> PictureHeader {
    var result: PictureHeader?
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      result = try CodecList.recognise(file).readHeader(file, selection)
    }
    return result!
  }

  static func endsProperly(_ bytes: [UInt8]) throws -> Bool {
    var result = false
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      result = try CodecList.recognise(file).endsProperly(file)
    }
    return result
  }

  /// Checks that a region has the same pixels as that region of the whole picture.
  static func checkRegion(_ bytes: [UInt8], _ name: String) throws {
    let whole = try decoded(bytes)
    let (width, height) = (whole.layout.width, whole.layout.height)
    let region = Region(left: width / 4, top: height / 3, width: width / 2, height: height / 2)
    let part = try decoded(bytes, DecodeOptions(region: region))
    let size = whole.layout.format.bytesPerPixel
    var rows: [UInt8] = []
    for row in region.top..<region.bottom {
      let start = (row * width + region.left) * size
      rows += whole.bytes[start..<start + region.width * size]
    }
    #expect(part.bytes == rows, "\(name)")
  }

  /// Checks that a file that is cut at every 1/64 gives an error, and, if damage is accepted, rows that are correct or
  /// black.
  static func checkTruncation(_ bytes: [UInt8], _ name: String) throws {
    let whole = try decoded(bytes)
    for part in 1..<64 {
      let short = Array(bytes[..<(bytes.count * part / 64)])
      #expect(throws: PictureError.self, "\(name) \(part)") { _ = try decoded(short) }
      guard let pixels = try? decoded(short, DecodeOptions(acceptsDamage: true)) else { continue }
      guard pixels.layout == whole.layout else { continue }
      let length = whole.layout.rowByteCount
      for row in 0..<whole.layout.height {
        let range = row * length..<(row + 1) * length
        let isRight = pixels.bytes[range] == whole.bytes[range]
        #expect(isRight || pixels.bytes[range].allSatisfy { $0 == 0 }, "\(name) \(part) row \(row)")
      }
    }
  }

  /// Decodes a file 3,000 times, each time with a flipped bit. In a tenth of the runs, the bit is in the first
  /// `headerByteCount` bytes, because nearly all of those end at once. Only errors may occur.
  static func checkFlips(_ bytes: [UInt8], headerByteCount: Int, runs: Int = 3_000) throws {
    var random = SplitMix(20)
    for run in 0..<runs {
      var damaged = bytes
      let place =
        random.chance(10)
        ? random.below(headerByteCount) : headerByteCount + random.below(bytes.count - headerByteCount)
      damaged[place] ^= 1 << UInt8(random.below(8))
      do {
        _ = try decoded(damaged, DecodeOptions(acceptsDamage: run & 1 == 1))
      } catch is PictureError {}
    }
  }

  static func reason(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) -> String {
    HostileTests.reason { _ = try decoded(bytes, options) }
  }
}
