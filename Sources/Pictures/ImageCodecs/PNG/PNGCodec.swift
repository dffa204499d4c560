import CISAL
import CPNG
import ImageCore
import ImageMetadata
import RowCompression

/// PNG (ISO/IEC 15948): all colour types and depths, interlaced or not.
///
/// libspng reads the chunks before the pixels, decodes unusual files, and writes headers. ISA-L inflates the rows of
/// usual files, and `RowCompressor` compresses rows.
///
/// 16-bit samples stay 16 bits, samples with fewer than 8 bits become 8 bits, palettes are resolved, and tRNS becomes
/// alpha. sBIT is ignored, and iCCP is kept. A picture whose cICP declares PQ or HLG is tone-mapped; any other cICP
/// becomes a profile, and so do gAMA and cHRM if no other chunk describes the colours. A wrong checksum of a critical
/// chunk or of tRNS is an error unless `DecodeOptions.acceptsDamage` is set; any other chunk with a wrong checksum is
/// ignored with a note.
public struct PNGCodec: PictureCodec {
  public init() {}

  public var name: String { "png" }
  public var extensions: [String] { ["png"] }
  public var saveParameters: [ParameterDescriptor] {
    PNGSettings.parameters + [BitDepth.parameter, MetadataChoice.parameter]
  }

  public var isLossless: Bool { true }

  /// Returns whether the file ends with an IEND chunk.
  public func endsProperly(_ file: InputFile) -> Bool {
    (try? file.bytes(at: max(0, file.byteCount - 12), count: 12)) == Self.endChunk
  }

  static let endChunk: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xae, 0x42, 0x60, 0x82]

  public func mend(_ file: InputFile, to sink: any ByteSink) throws(PictureError) -> Bool {
    try PNGMender(.file(file), sink).run()
    return true
  }

  /// Checks only the first four bytes of the signature, so that a file damaged in transfer (converted line ends,
  /// cleared eighth bits) is reported as a damaged PNG.
  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.starts(with: [0x89, 0x50, 0x4e, 0x47]) || prefix.starts(with: [0x09, 0x50, 0x4e, 0x47])
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    try PNGReader(.file(file), acceptsDamage: false).header()
  }

  /// Parses the header of a PNG in memory.
  public func readHeader(_ bytes: [UInt8]) throws(PictureError) -> PictureHeader {
    try PNGReader(.bytes(bytes), acceptsDamage: false).header()
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    try makeDecoder(file, header: header, options: options, context: .serial)
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let decoder = try makeDecoder(.file(file), options, context)
    guard let region = options.region else { return decoder }
    guard decoder.layout == header.layout else { throw .codec(.changed) }
    return CroppedSource(decoder, region)
  }

  /// Decodes a PNG in memory.
  public func makeDecoder(
    _ bytes: [UInt8], options: DecodeOptions = DecodeOptions(), context: OperationContext = .serial
  ) throws(PictureError) -> any RowSource {
    try makeDecoder(.bytes(bytes), options, context)
  }

  private func makeDecoder(
    _ source: ByteSource, _ options: DecodeOptions, _ context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let reader = try PNGReader(source, acceptsDamage: options.acceptsDamage)
    let toneMapping = try reader.colourChunks().code.flatMap { ToneMapping($0) }
    let decoder = try PNGDecoder(reader, options: options, context: context)
    return toneMapping.map { ToneMappedSource(decoder, $0, context) } ?? decoder
  }

  /// Returns the layout itself, because PNG supports every layout without ink.
  public func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }

  public func encoderByteCount(for layout: PictureLayout, arguments: Arguments, parallelism: Int) -> Int {
    let whole =
      switch PNGSettings.Palette(arguments) {
      case .none: arguments.boolean("interlaced") ? PixelBuffer.byteCount(layout) : 0
      case .lossless: layout.width * layout.height
      case .reduced(let colours):
        layout.width * layout.height + PNGQuantisingEncoder.byteCount(layout, colours: colours)
      }
    // The last term is the memory that zlib allocates.
    return whole
      + RowCompressor.byteCount(
        RowFilter(RowFilter.Bands(layout)), height: layout.height, parallelism: parallelism) + 268
      << 10
  }

  public func writtenMetadata(_ metadata: PictureMetadata, for layout: PictureLayout, arguments: Arguments)
    -> (metadata: PictureMetadata, losses: [MetadataLoss])
  {
    MetadataChoice(arguments).applied(to: metadata, layout)
  }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    try makeEncoder(to: sink, layout: layout, metadata: metadata, arguments: arguments, context: .serial)
  }

  public func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any PictureEncoder {
    let settings = PNGSettings(arguments)
    switch settings.palette {
    case .none: break
    case .lossless:
      return try PNGPaletteEncoder(to: sink, layout: layout, metadata: metadata, settings: settings, context: context)
    case .reduced(let colours):
      return try PNGQuantisingEncoder(
        to: sink, layout: layout, colours: colours, metadata: metadata, settings: settings, context: context)
    }
    if settings.interlaced {
      return PNGInterlacedEncoder(to: sink, layout: layout, metadata: metadata, settings: settings, context: context)
    }
    return try PNGEncoder(to: sink, layout: layout, metadata: metadata, settings: settings, context: context)
  }
}

/// Writes a lossless PNG with a palette. The palette comes before the pixels, so `PNGIndexedPicture` keeps the pixels
/// until the last row.
final class PNGPaletteEncoder: PictureEncoder {
  private let layout: PictureLayout
  private var picture: PNGIndexedPicture
  private let writer: PNGIndexWriter

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) throws(PictureError) {
    guard layout.format.sample == .u8 else {
      throw .codec(
        .cannotEncode("a palette holds 8-bit colours, but the picture has 16 bits; leave out palette = true"))
    }
    self.layout = layout
    picture = PNGIndexedPicture(layout, limit: 256)
    writer = PNGIndexWriter(to: sink, layout: layout, metadata: metadata, settings: settings, context: context)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      guard picture.add(UnsafeRawBufferPointer(start: rows + index * stride, count: layout.rowByteCount)) else {
        throw .codec(.cannotEncode("the picture has more than 256 colours; leave out palette = true"))
      }
    }
  }

  func finish() throws(PictureError) { try writer.write(picture) }
}

/// Copies a PNG whose pixels a decoder has read, and repairs the faults that the decoder reported: chunks with wrong
/// checksums are left out, and a missing end chunk is added.
struct PNGMender {
  private let source: ByteSource
  private let sink: any ByteSink

  init(_ source: ByteSource, _ sink: any ByteSink) { (self.source, self.sink) = (source, sink) }

  func run() throws(PictureError) {
    try source.copy(0..<8, to: sink)
    var offset = 8
    while true {
      let head = try source.bytes(at: offset, upTo: 12)
      // As in `PNGReader.isOver`, the end chunk is missing if fewer than 12 bytes are left, or only zeros.
      guard head.count == 12, head.contains(where: { $0 != 0 }) else {
        return try sink.write(PNGCodec.endChunk)
      }
      // Bytes after the end chunk are not a fault.
      if head[4..<8].elementsEqual("IEND".utf8) { return try source.copy(offset..<source.byteCount, to: sink) }
      let end = offset + 12 + head[..<4].reduce(0) { $0 << 8 | Int($1) }
      if try isSound(offset..<end) { try source.copy(offset..<end, to: sink) }
      offset = end
    }
  }

  /// Returns whether a chunk's checksum is correct (PNG, 5.3).
  private func isSound(_ chunk: Range<Int>) throws(PictureError) -> Bool {
    var checksum: UInt32 = 0
    try source.pass(chunk.lowerBound + 4..<chunk.upperBound - 4) { (piece) throws(PictureError) in
      checksum = crc32_gzip_refl(
        checksum, piece.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt64(piece.count))
    }
    return try source.bytes(at: chunk.upperBound - 4, upTo: 4).reduce(0) { $0 << 8 | UInt32($1) } == checksum
  }
}
