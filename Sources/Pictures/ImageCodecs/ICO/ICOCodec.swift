import ImageCore
import ImageMetadata

/// Icons, and cursors for reading. Each picture is a page, the largest first: a PNG, or a BMP without file header.
public struct ICOCodec: PictureCodec {
  public init() {}

  public var name: String { "ico" }
  public var extensions: [String] { ["ico"] }
  public var holdsProfile: Bool { false }
  public var saveParameters: [ParameterDescriptor] { [MetadataChoice.parameter] }
  public var isLossless: Bool { true }

  /// Checks the first picture's entry, too, because the format has no signature.
  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.count >= 22 && prefix[0] == 0 && prefix[1] == 0 && [1, 2].contains(prefix.littleEndian16(2))
      && prefix.littleEndian16(4) > 0
      && prefix.littleEndian32(18) >= ICODirectory.headerByteCount
        + ICODirectory.entryByteCount * prefix.littleEndian16(4)
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader { try header(file, page: 1) }

  public func readHeader(_ file: InputFile, _ selection: PageSelection) throws(PictureError) -> PictureHeader {
    if let option = selection.options.named.first {
      throw .codec(.unsupported("the option '\(option.name)' for \(title) files"))
    }
    return try header(file, page: selection.page)
  }

  private func header(_ file: InputFile, page: Int) throws(PictureError) -> PictureHeader {
    let directory = try ICODirectory(file)
    let bytes = try directory.bytes(file, page: page)
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

  /// Whether all pictures are inside the file.
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
