import ImageCore

/// JPEG 2000 (ISO/IEC 15444-1), only the headers: a book stores such a file unchanged. Pixels are neither decoded nor
/// written.
public struct JPEG2000Codec: PictureCodec {
  public init() {}

  public var name: String { "jpeg2000" }
  public var extensions: [String] { ["jp2", "j2k", "j2c", "jpx", "jpf"] }
  public var saveParameters: [ParameterDescriptor] { [] }
  public var writes: Bool { false }
  public var cost: CodingCost { CodingCost(stored: 40, encoded: 120) }
  public var reasonNotToDecode: String? {
    "decoding JPEG 2000 needs libJPEG2000Plugin.so, of the package imghost; a book stores the file as it is when nothing is "
      + "done to it"
  }

  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.starts(with: [0xff, 0x4f, 0xff, 0x51]) || prefix.starts(with: [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20])
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    let header = try JPEG2000Header(file)
    var details: [String: MetadataValue] = [
      "bits": .integer(header.bits), "components": .integer(header.components),
      "codestream": .integer(header.isCodestream ? 1 : 0), "transparency": .integer(header.hasAlpha ? 1 : 0),
    ]
    if let unusual = header.unusual { details["unusual"] = .text(unusual) }
    return PictureHeader(
      codec: name,
      layout: try layout(header),
      metadata: PictureMetadata(
        orientation: .upright, iccProfile: [], exif: [:], exifBlock: [],
        resolution: header.resolution),
      details: details, isEmbeddable: !header.isInk && header.unusual == nil)
  }

  private func layout(_ header: JPEG2000Header) throws(PictureError) -> PictureLayout {
    let model: ColourModel = header.isGray ? .gray : header.isInk ? .cmyk : .rgb
    do throws(OperationError) {
      return try .checked(
        width: header.width, height: header.height,
        format: PixelFormat(header.bits > 8 ? .u16 : .u8, model, alpha: header.hasAlpha))
    } catch { throw .operation(error) }
  }

  public func endsProperly(_ file: InputFile) -> Bool { (try? JPEG2000Header(file).endsProperly) ?? false }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    throw .codec(.unsupported("decoding JPEG 2000"))
  }

  public func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    throw .codec(.cannotEncode("imghost cannot write JPEG 2000; save as JPEG or PNG"))
  }
}
