import ImageCore
import ImageMetadata

/// ICO: icons are read and written, cursors only read. Each picture of a file is a page, largest first, stored as a PNG
/// or as a BMP without a file header.
public struct ICOCodec: PictureCodec {
  public init() {}

  public var name: String { "ico" }
  public var extensions: [String] { ["ico"] }
  public var holdsProfile: Bool { false }
  public var writesMetadata: Bool { false }
  public var saveParameters: [ParameterDescriptor] { [MetadataChoice.parameter] }
  public var isLossless: Bool { true }

  /// Checks the entry of the first picture in addition to the header, because the format has no signature.
  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.count >= 22 && prefix[0] == 0 && prefix[1] == 0 && [1, 2].contains(prefix.littleEndian16(2))
      && prefix.littleEndian16(4) > 0
      && prefix.littleEndian32(18) >= ICODirectory.headerByteCount
        + ICODirectory.entryByteCount * prefix.littleEndian16(4)
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader { try readHeader(file, .first) }

  public func readHeader(_ file: InputFile, _ selection: PageSelection) throws(PictureError) -> PictureHeader {
    if let option = selection.options.named.first {
      throw .codec(.unsupported("the option '\(option.name)' for \(title) files"))
    }
    let directory = try ICODirectory(file)
    let bytes = try directory.bytes(file, page: selection.page)
    let layout: PictureLayout
    var metadata = PictureMetadata()
    var details: [String: MetadataValue] = [:]
    var byteCount = bytes.count
    if Self.isPNG(bytes) {
      let png = try PNGCodec().readHeader(bytes)
      (layout, metadata, details) = (png.layout, png.metadata, png.details)
      details["compression"] = .text("PNG")
      byteCount += png.decoderByteCount
    } else {
      let bitmap = try ICOBitmapDecoder.header(.bytes(bytes))
      layout = ICOBitmapDecoder.layout(bitmap)
      details = [
        "bits": .integer(bitmap.sampleBits), "compression": .text(bitmap.compression.rawValue),
        "transparency": .integer(1),
      ]
    }
    let count = directory.entries.count
    if count > 1 { details["pages"] = .integer(count) }
    return PictureHeader(
      codec: name, layout: layout, metadata: metadata, details: details, decoderByteCount: byteCount,
      isEmbeddable: false, pageCount: count)
  }

  private static func isPNG(_ bytes: [UInt8]) -> Bool { PNGCodec().recognises(bytes) }

  /// Returns whether all pictures are inside the file.
  public func endsProperly(_ file: InputFile) -> Bool {
    guard let directory = try? ICODirectory(file) else { return false }
    return directory.entries.allSatisfy { $0.offset + $0.byteCount <= file.byteCount }
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    try makeDecoder(file, header: header, options: options, context: .serial)
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let bytes = try ICODirectory(file).bytes(file, page: options.selection.page)
    let decoder: any RowSource
    if Self.isPNG(bytes) {
      decoder = try PNGCodec().makeDecoder(
        bytes, options: DecodeOptions(acceptsDamage: options.acceptsDamage), context: context)
    } else {
      decoder = try ICOBitmapDecoder(
        .bytes(bytes), ICOBitmapDecoder.header(.bytes(bytes)), acceptsDamage: options.acceptsDamage)
    }
    guard let region = options.region else { return decoder }
    guard decoder.layout == header.layout else { throw .codec(.changed) }
    return CroppedSource(decoder, region)
  }

  /// Returns an RGBA layout, the only one that Windows accepts for a PNG in an icon.
  public func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout.with(format: .rgba8) }

  public func encoderByteCount(for layout: PictureLayout, arguments: Arguments, parallelism: Int) -> Int { 2 << 20 }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    try ICOEncoder(to: sink, layout: layout, metadata: metadata)
  }
}

/// The directory of an icon or a cursor (ICONDIR, ICONDIRENTRY of Windows), sorted by size with the largest picture
/// first.
struct ICODirectory {
  struct Entry {
    /// The width and height in pixels according to the directory, at most 256. An embedded PNG may be larger.
    let width: Int
    let height: Int
    /// The number of bits per pixel; 0 if unknown.
    let bits: Int
    let offset: Int
    let byteCount: Int
  }

  let entries: [Entry]

  static let pictureLimit = 1_000
  /// The maximum size of a picture in bytes. A picture is read as a whole; a bitmap of 256x256 pixels has 270 KB.
  static let byteLimit = 16 << 20
  static let headerByteCount = 6
  static let entryByteCount = 16

  init(_ file: InputFile) throws(PictureError) {
    let source = ByteSource.file(file)
    let start = try source.bytes(at: 0, upTo: Self.headerByteCount)
    guard start.count == Self.headerByteCount else { throw .codec(.truncated) }
    let (isIcon, count) = (start.littleEndian16(2) == 1, start.littleEndian16(4))
    guard count > 0 else { throw .codec(.damaged("it has no pictures")) }
    guard count <= Self.pictureLimit else {
      throw .codec(.unsupported("an icon of more than \(Self.pictureLimit) pictures"))
    }
    let bytes = try source.bytes(at: Self.headerByteCount, upTo: count * Self.entryByteCount)
    guard bytes.count == count * Self.entryByteCount else { throw .codec(.truncated) }
    let stored = (0..<count).map { index in
      let place = index * Self.entryByteCount
      // 0 means 256. A cursor has its hot spot in place of the bits.
      return Entry(
        width: Int(bytes[place] &- 1) + 1, height: Int(bytes[place + 1] &- 1) + 1,
        bits: isIcon ? bytes.littleEndian16(place + 6) : 0, offset: bytes.littleEndian32(place + 12),
        byteCount: bytes.littleEndian32(place + 8))
    }
    entries = stored.enumerated().sorted { first, second in
      let (one, other) = (first.element, second.element)
      let areas = (one.width * one.height, other.width * other.height)
      if areas.0 != areas.1 { return areas.0 > areas.1 }
      return one.bits != other.bits ? one.bits > other.bits : first.offset < second.offset
    }.map(\.element)
  }

  /// Returns a picture's bytes, as far as the file contains them.
  func bytes(_ file: InputFile, page: Int) throws(PictureError) -> [UInt8] {
    guard page <= entries.count else { throw .codec(.noPage(page, count: entries.count)) }
    let entry = entries[page - 1]
    guard entry.byteCount <= Self.byteLimit else {
      throw .codec(.unsupported("an icon's picture of more than \(Self.byteLimit >> 20) MB"))
    }
    let bytes = try ByteSource.file(file).bytes(at: entry.offset, upTo: entry.byteCount)
    guard !bytes.isEmpty else { throw .codec(.truncated) }
    return bytes
  }
}

/// Writes an icon with one picture, an RGBA PNG. The PNG is kept in memory, because the directory before it contains
/// its length.
final class ICOEncoder: PictureEncoder {
  /// The largest side that a directory can contain.
  static let maximumSide = 256

  private let sink: any ByteSink
  private let layout: PictureLayout
  private let png = PooledSink(reserving: 65_536)
  private let encoder: any PictureEncoder

  init(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata) throws(PictureError) {
    guard max(layout.width, layout.height) <= Self.maximumSide else {
      throw .codec(
        .cannotEncode(
          "an icon has at most \(Self.maximumSide) pixels a side, not \(layout.width)x\(layout.height); "
            + "resize the picture first"))
    }
    self.sink = sink
    self.layout = layout
    let codec = PNGCodec()
    guard let arguments = try? Arguments(RawArguments(), parameters: codec.saveParameters, positionalCount: 0) else {
      preconditionFailure("the defaults of PNG are wrong")
    }
    encoder = try codec.makeEncoder(
      to: png, layout: layout, metadata: PictureMetadata(iccProfile: metadata.iccProfile), arguments: arguments)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try encoder.write(count, from: rows, stride: stride)
  }

  func finish() throws(PictureError) {
    try encoder.finish()
    let content = png.bytes
    var header: [UInt8] = []
    for value in [0, 1, 1] { header.appendLittleEndian16(value) }
    // A side of 256 is stored as 0.
    header += [UInt8(layout.width & 255), UInt8(layout.height & 255), 0, 0]
    for value in [1, 32] { header.appendLittleEndian16(value) }
    header.appendLittleEndian32(content.count)
    header.appendLittleEndian32(ICODirectory.headerByteCount + ICODirectory.entryByteCount)
    try sink.write(header)
    try content.withUnsafeBytes { content throws(PictureError) in try sink.write(content) }
  }
}
