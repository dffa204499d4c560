import ImageCore
import ImageMetadata

/// BMP of Windows and OS/2: palettes, bit fields, alpha, run-length coding, and the profile of a V5 header. Gray
/// palettes without an RGB profile are decoded to gray. The fourth byte of 32-bit pixels without bit fields is ignored.
public struct BMPCodec: PictureCodec {
  public init() {}

  public var name: String { "bmp" }
  public var extensions: [String] { ["bmp", "dib"] }
  public var saveParameters: [ParameterDescriptor] { [MetadataChoice.parameter] }
  public var writesMetadata: Bool { false }
  public var isLossless: Bool { true }
  public var cost: CodingCost { CodingCost(stored: 4, encoded: 6) }

  /// Checks the length of the second header in addition to the signature, because a text may begin with "BM".
  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.count >= 18 && prefix.starts(with: "BM".utf8) && BMPHeader.lengths.contains(prefix.littleEndian32(14))
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    let header = try BMPHeader(.file(file))
    let colour: String
    switch (header.fields.isEmpty, header.hasAlpha) {
    case (true, _): colour = header.isGray ? "gray palette" : "palette"
    case (false, let hasAlpha): colour = hasAlpha ? "RGB with alpha" : "RGB"
    }
    let profile =
      header.hasProfile
      ? ICCProfile.matching(header.iccProfile, header.format)
      : ICCProfile.calibrated(header.calibration, header.format)
    return PictureHeader(
      codec: name, layout: PictureLayout(width: header.width, height: header.height, format: header.format),
      metadata: PictureMetadata(
        iccProfile: profile, losses: header.losses, resolution: header.resolution),
      details: [
        "bits": .integer(header.sampleBits),
        "colour": .text(colour),
        "compression": .text(header.compression.rawValue),
        "transparency": .integer(header.hasAlpha ? 1 : 0),
      ],
      decoderByteCount: header.isRunLengthCoded ? header.height * BMPRunDecoder.bytesPerRow : 0, isEmbeddable: false)
  }

  /// Returns whether the file contains the last row, or the end mark after the last run.
  public func endsProperly(_ file: InputFile) -> Bool {
    guard let header = try? BMPHeader(.file(file)) else { return false }
    guard header.isRunLengthCoded else { return header.pixelEnd <= file.byteCount }
    guard header.runByteCount >= 2 else { return false }
    return (try? file.bytes(at: header.pixelOffset + header.runByteCount - 2, count: 2)) == [0, 1]
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    let bitmap = try BMPHeader(.file(file))
    if let region = options.region {
      let layout = PictureLayout(width: bitmap.width, height: bitmap.height, format: bitmap.format)
      guard layout == header.layout else { throw .codec(.changed) }
      if !bitmap.isRunLengthCoded {
        // Rows above the region are not read.
        return CroppedSource(
          try BMPDecoder(.file(file), bitmap, first: region.top, acceptsDamage: options.acceptsDamage),
          Region(left: region.left, top: 0, width: region.width, height: region.height))
      }
      return CroppedSource(BMPRunDecoder(.file(file), bitmap, acceptsDamage: options.acceptsDamage), region)
    }
    if bitmap.isRunLengthCoded { return BMPRunDecoder(.file(file), bitmap, acceptsDamage: options.acceptsDamage) }
    return try BMPDecoder(.file(file), bitmap, acceptsDamage: options.acceptsDamage)
  }

  /// Returns a layout with 8 bits per sample. Gray with alpha becomes RGB with alpha.
  public func encodedLayout(for layout: PictureLayout) -> PictureLayout {
    let format = layout.format.with(sample: .u8)
    return layout.with(format: format.hasAlpha ? format.with(model: .rgb) : format)
  }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    try BMPEncoder(to: sink, layout: layout, metadata: metadata)
  }
}

/// Rows of a BMP without run-length coding. The file usually stores the bottom row first, so rows are read at their
/// offsets.
final class BMPDecoder: RowSource {
  let layout: PictureLayout
  private let acceptsDamage: Bool
  private let converter: BMPRowConverter
  private var rows: StoredRows
  private var next: Int

  /// - Parameter first: the first row to return. The layout contains only the rows from there on.
  init(_ source: ByteSource, _ header: BMPHeader, first: Int = 0, acceptsDamage: Bool) throws(PictureError) {
    guard acceptsDamage || header.pixelEnd <= source.byteCount else { throw .codec(.truncated) }
    layout = PictureLayout(width: header.width, height: header.height - first, format: header.format)
    self.acceptsDamage = acceptsDamage
    next = first
    converter = BMPRowConverter(header)
    rows = StoredRows(
      source, offset: header.pixelOffset, rowByteCount: header.rowByteCount, usedByteCount: header.usedByteCount,
      height: header.height, isTopDown: header.isTopDown)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      let place = destination + index * stride
      if let row = try rows.row(next) {
        converter.convert(row, to: place)
      } else {
        // The file was truncated, or became shorter after it was opened.
        guard acceptsDamage else { throw .codec(.truncated) }
        place.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
      }
      next += 1
    }
  }
}
