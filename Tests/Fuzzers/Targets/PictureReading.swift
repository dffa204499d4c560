import CZlib
@testable import ImageCodecs
@testable import ImageCore

/// A picture file of any format: its header, its metadata, and its rows in several ways.
enum PictureReading {
  /// The maximum size of a decoded picture. Larger ones take more time and find nothing more.
  static let mostPixels = 1 << 18

  static func read(_ bytes: [UInt8], _ codec: any PictureCodec) {
    guard codec.recognises(Array(bytes.prefix(Signature.byteCount))), let file = file(bytes) else { return }
    guard let header = try? codec.readHeader(file) else { return }
    check(header)
    _ = codec.endsProperly(file)
    let layout = header.layout
    guard layout.width * layout.height <= mostPixels else { return }
    for options in variants(bytes, header) {
      guard let source = try? codec.makeDecoder(file, header: header, options: options) else { continue }
      if options.shrink == 1, options.region == nil { precondition(source.layout == layout) }
      _ = rows(of: source, strip: 1 + bytes.count % 19)
    }
  }

  /// Returns bytes as a file without a name.
  static func file(_ bytes: [UInt8]) -> InputFile? {
    let sink = PooledSink(reserving: bytes.count)
    bytes.withUnsafeBytes { try? sink.write($0) }
    return try? InputFile(sink.bytes, label: "fuzz")
  }

  static func check(_ header: PictureHeader) {
    let layout = header.layout
    precondition(layout.width > 0 && layout.height > 0 && layout.width * layout.height <= PictureLayout.maximumPixels)
    precondition(max(layout.width, layout.height) <= PictureLayout.maximumSide)
    precondition(header.pageCount > 0 && header.decoderByteCount >= 0)
    if let resolution = header.metadata.resolution {
      precondition(resolution.horizontal > 0 && resolution.vertical > 0)
    }
    for loss in header.metadata.losses { precondition(!loss.description.isEmpty) }
  }

  /// The ways to decode a file: strictly, and one way that its content chooses.
  private static func variants(_ bytes: [UInt8], _ header: PictureHeader) -> [DecodeOptions] {
    var options = DecodeOptions()
    let choice = bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xffff }
    options.acceptsDamage = choice & 1 == 1
    let shrinks = [1] + header.shrinkFactors
    options.shrink = shrinks[(choice >> 1) % shrinks.count]
    if choice & 8 != 0 {
      let shrunk = header.layout.shrunk(by: options.shrink)
      let (left, top) = ((choice >> 4) % shrunk.width, (choice >> 7) % shrunk.height)
      options.region = Region(
        left: left, top: top, width: 1 + (choice >> 2) % (shrunk.width - left),
        height: 1 + (choice >> 5) % (shrunk.height - top))
    }
    return [DecodeOptions(), options]
  }

  /// Reads all rows, some at a time; nil after an error.
  static func rows(of source: any RowSource, strip: Int = 16) -> PixelBuffer? {
    let buffer = PixelBuffer(source.layout)
    var row = 0
    while row < source.layout.height {
      let count = min(strip, source.layout.height - row)
      guard (try? source.read(count, into: buffer.row(row), stride: buffer.stride)) != nil else { return nil }
      row += count
    }
    return buffer
  }

  /// Whether two pictures are equal.
  static func areEqual(_ one: PixelBuffer, _ other: PixelBuffer) -> Bool {
    one.layout == other.layout
      && (0..<one.layout.height).allSatisfy { row in
        let count = one.layout.rowByteCount
        return UnsafeRawBufferPointer(start: one.row(row), count: count)
          .elementsEqual(UnsafeRawBufferPointer(start: other.row(row), count: count))
      }
  }
}

enum BMPReading { static let codec = BMPCodec() }
enum PNMReading { static let codecs = [PNMCodec(.anymap), PNMCodec(.arbitrary)] }
enum QOIReading { static let codec = QOICodec() }
enum ICOReading { static let codec = ICOCodec() }

/// The header of a JPEG 2000 file, whose pixels a plugin decodes.
enum JPEG2000Reading {
  static func read(_ bytes: [UInt8]) {
    let codec = JPEG2000Codec()
    guard codec.recognises(Array(bytes.prefix(16))), let file = PictureReading.file(bytes) else { return }
    if let header = try? codec.readHeader(file) { PictureReading.check(header) }
  }
}

/// A JPEG, which two decoders must read alike.
enum JPEGReading {
  static func read(_ bytes: [UInt8]) {
    let codec = JPEGCodec()
    PictureReading.read(bytes, codec)
    if let file = PictureReading.file(bytes), let map = codec.gainMap(file) { _ = codec.describing(map) }
    compareDecoders(bytes)
  }

  private static func compareDecoders(_ bytes: [UInt8]) {
    guard let own = decoded(bytes, .own), let other = decoded(bytes, .libjpeg) else { return }
    switch (own, other) {
    case (.success(let one), .success(let two)): precondition(PictureReading.areEqual(one, two))
    case (.failure(let one), .failure(let two)): precondition("\(one)" == "\(two)", "\(one), not \(two)")
    default: preconditionFailure("one decoder refuses what the other reads")
    }
  }

  /// Decodes strictly; nil where only one decoder can, or for a large picture.
  private static func decoded(_ bytes: [UInt8], _ choice: JPEGDecoderChoice) -> Result<PixelBuffer, PictureError>? {
    do throws(PictureError) {
      let reader = try JPEGReader(.bytes(bytes), acceptsDamage: false)
      let layout = reader.layout
      guard layout.width * layout.height <= PictureReading.mostPixels else { return nil }
      let decoder = try JPEGDecoder(reader, shrink: 1, choice: choice)
      if choice == .own, decoder.usesLibjpeg { return nil }
      let buffer = PixelBuffer(decoder.layout)
      try decoder.read(layout.height, into: buffer.base, stride: buffer.stride)
      return .success(buffer)
    } catch {
      return .failure(error)
    }
  }
}

/// A PNG, which the fast reader and libspng must read alike: as it is, and with the checksums that fit its chunks.
enum PNGReading {
  static func read(_ bytes: [UInt8]) {
    readOnce(bytes)
    let repaired = withChecksums(bytes)
    if repaired != bytes { readOnce(repaired) }
  }

  static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    var offset = 8
    while offset + 12 <= bytes.count {
      let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = offset + 8 + length
      guard end + 4 <= bytes.count else { return result }
      let sum = bytes[offset + 4..<end].withUnsafeBufferPointer {
        UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32($0.count)))
      }
      for index in 0..<4 { result[end + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
      offset = end + 4
    }
    return result
  }

  private static func readOnce(_ bytes: [UInt8]) {
    PictureReading.read(bytes, PNGCodec())
    guard let fast = decoded(bytes, mayBeFast: true), let other = decoded(bytes, mayBeFast: false) else { return }
    switch (fast, other) {
    case (.success(let one), .success(let two)): precondition(PictureReading.areEqual(one, two))
    case (.failure(let one), .failure(let two)): precondition("\(one)" == "\(two)", "\(one), not \(two)")
    case (.success, .failure(let error)): preconditionFailure("only libspng refuses it: \(error)")
    case (.failure(let error), .success): preconditionFailure("only the fast reader refuses it: \(error)")
    }
  }

  private static func decoded(_ bytes: [UInt8], mayBeFast: Bool) -> Result<PixelBuffer, PictureError>? {
    do throws(PictureError) {
      let reader = try PNGReader(.bytes(bytes), acceptsDamage: false)
      let layout = reader.layout
      guard layout.width * layout.height <= PictureReading.mostPixels else { return nil }
      let decoder = try PNGDecoder(reader, options: DecodeOptions(), mayBeFast: mayBeFast)
      let buffer = PixelBuffer(decoder.layout)
      try decoder.read(layout.height, into: buffer.base, stride: buffer.stride)
      return .success(buffer)
    } catch {
      return .failure(error)
    }
  }
}
