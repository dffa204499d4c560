import ImageCore
import ImageMetadata
import JPEGDecoding

/// JPEG (ITU-T T.81): baseline and progressive, with gray, RGB, YCbCr, CMYK and YCCK of 8 bits per sample.
///
/// libjpeg-turbo reads headers and encodes; `JPEGDecoder` chooses the decoder.
///
/// Lossless, hierarchical and 12-bit files are refused. Files store CMYK as 1 - ink, but decoded rows contain amounts
/// of ink.
///
/// Some warnings of libjpeg affect pixels: an invalid Huffman code, or data that ends early. They are errors unless
/// `DecodeOptions.acceptsDamage` is set. Padding between segments, unknown Adobe transforms and newer JFIF versions are
/// accepted.
public struct JPEGCodec: PictureCodec {
  public init() {}

  public var name: String { "jpeg" }
  public var writesInk: Bool { true }
  public var isWrappable: Bool { true }
  /// Entropy decoding takes a third of the decoding time. All stored pixels need it, even if the picture is shrunk.
  public var cost: CodingCost { CodingCost(stored: 1, decoded: 2, encoded: 6) }
  public var extensions: [String] { ["jpg", "jpeg", "jpe", "jfif"] }
  public var saveParameters: [ParameterDescriptor] { JPEGSettings.parameters + [MetadataChoice.parameter] }

  /// Returns whether a file begins with the start of image marker and the first byte of another marker.
  public func recognises(_ prefix: [UInt8]) -> Bool { prefix.starts(with: [0xff, 0xd8, 0xff]) }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    let small: [UInt8]?
    do throws(FileError) { small = try file.smallContent() } catch { throw .file(error) }
    let source = small.map { ByteSource.bytes($0) } ?? .file(file)
    return try JPEGReader(source, acceptsDamage: false).header
  }

  /// Parses the header of a JPEG in memory.
  public func readHeader(_ bytes: [UInt8]) throws(PictureError) -> PictureHeader {
    try JPEGReader(.bytes(bytes), acceptsDamage: false).header
  }

  /// Returns whether the last 64 KB contain an end of image marker. Some cameras append other data after it.
  public func endsProperly(_ file: InputFile) -> Bool {
    // Nearly every file ends with the marker, so the last two bytes are tried first.
    for tail in [min(file.byteCount, 2), min(file.byteCount, 65_536)] {
      guard let bytes = try? file.bytes(at: file.byteCount - tail, count: tail) else { return false }
      let hasMarker = bytes.indices.dropLast().reversed().contains {
        bytes[$0] == 0xff && bytes[$0 + 1] == 0xd9
      }
      if hasMarker { return true }
    }
    return false
  }

  /// Copies a file without the zeros at its end, and appends the end marker. A missing end marker is the only fault
  /// that the decoder reports without failing.
  public func mend(_ file: InputFile, to sink: any ByteSink) throws(PictureError) -> Bool {
    let source = ByteSource.file(file)
    var end = try source.endWithoutZeros()
    let isBehindMark = end > 0 ? try source.bytes(at: end - 1, upTo: 1) == [0xff] : false
    // A zero after 255 is part of the data (ITU-T T.81, B.1.1.5). At the end of the file, 255 is the first byte of the
    // marker.
    let isHalfThere = isBehindMark && end == file.byteCount
    if isBehindMark, !isHalfThere { end += 1 }
    try source.copy(0..<end, to: sink)
    try sink.write(isHalfThere ? [0xd9] : [0xff, 0xd9])
    return true
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    try makeDecoder(file, header: header, options: options, context: .serial)
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let reader = try JPEGReader(.file(file), acceptsDamage: options.acceptsDamage, context: context)
    let workers = DecodingWorkers(context)
    guard let region = options.region else {
      return try JPEGDecoder(reader, shrink: options.shrink, workers: workers)
    }
    guard reader.layout == header.layout else { throw .codec(.changed) }
    let decoder = try JPEGDecoder(
      reader, shrink: options.shrink, region: region, workers: workers)
    // libjpeg replaces damaged data differently when it decodes only a region.
    guard decoder.usesLibjpeg, !options.acceptsDamage, options.shrink == 1, let margin = reader.cutMargin
    else { return decoder }
    return try JPEGRegion.open(reader, region, margin: margin)
  }

  /// Decodes a JPEG in memory. The decoder keeps a copy of the bytes.
  public func makeDecoder(
    _ bytes: [UInt8], options: DecodeOptions = DecodeOptions(), context: OperationContext = .serial
  ) throws(PictureError) -> any RowSource {
    let reader = try JPEGReader(.bytes(bytes), acceptsDamage: options.acceptsDamage, context: context)
    return try JPEGDecoder(reader, shrink: options.shrink)
  }

  public func encodedLayout(for layout: PictureLayout) -> PictureLayout {
    layout.with(format: PixelFormat(.u8, layout.format.model))
  }

  public func encoderByteCount(for layout: PictureLayout, arguments: Arguments, parallelism: Int) -> Int {
    // With either option, libjpeg keeps 16-bit coefficients of the whole picture.
    let isHeld = arguments.boolean("progressive") || arguments.boolean("optimise")
    return (isHeld ? 2 * layout.byteCount : 0) + 512 << 10
  }

  public func writtenMetadata(_ metadata: PictureMetadata, for layout: PictureLayout, arguments: Arguments)
    -> (metadata: PictureMetadata, losses: [MetadataLoss])
  {
    let (chosen, losses) = MetadataChoice(arguments).applied(to: metadata, layout)
    return (chosen, losses + JPEGSegments(chosen, layout).losses)
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
    precondition(layout == encodedLayout(for: layout), "a JPEG has 8 bits and no alpha")
    return try JPEGEncoder(
      to: sink, layout: layout, metadata: metadata, settings: JPEGSettings(arguments), context: context)
  }
}

extension DecodingWorkers {
  /// Creates the workers; nil if there is only one.
  init?(_ context: OperationContext) {
    guard context.parallelism > 1 else { return nil }
    self.init(count: context.parallelism) { count, body in context.parallelFor(count, body) }
  }
}

/// Rows of a region of a JPEG. Pixels above the region, to its left and to its right are only entropy-decoded.
///
/// libjpeg-turbo leaves out columns of whole MCUs on the left (`jpeg_crop_scanline`), and any number of rows
/// (`jpeg_skip_scanlines`). Where it smooths colours across the edge of the omitted part, the pixels would differ from
/// those of the whole picture. Therefore a margin around the region is decoded and then discarded.
final class JPEGRegion: RowSource {
  let layout: PictureLayout
  private let reader: JPEGReader
  private let rowsAbove: Int
  private var isAtRegion = false

  /// - Parameter margin: the number of pixels around the region that are decoded and then discarded, at least an MCU.
  static func open(_ reader: JPEGReader, _ region: Region, margin: Int) throws(PictureError) -> any RowSource {
    let whole = reader.layout
    let left = max(0, region.left - margin)
    let right = min(whole.width, region.right + margin)
    let top = max(0, region.top - margin)
    let size = try reader.scale(by: 1)
    precondition(size == (whole.width, whole.height))
    let (first, width) = try reader.cut(left: left, width: right - left)
    let rows = JPEGRegion(reader, rowsAbove: top, layout: whole.with(width: width, height: whole.height - top))
    return CroppedSource(
      rows,
      Region(
        left: region.left - first, top: region.top - top, width: region.width,
        height: region.height))
  }

  private init(_ reader: JPEGReader, rowsAbove: Int, layout: PictureLayout) {
    self.reader = reader
    self.rowsAbove = rowsAbove
    self.layout = layout
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    if !isAtRegion {
      isAtRegion = true
      try reader.skip(rowsAbove)
    }
    try reader.read(count, into: destination, stride: stride)
  }
}
