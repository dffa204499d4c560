import ImageCore

/// QOI (qoiformat.org, version 1.0), only for reading.
public struct QOICodec: PictureCodec {
  public init() {}

  public var name: String { "qoi" }
  public var extensions: [String] { ["qoi"] }
  public var saveParameters: [ParameterDescriptor] { [] }
  public var writes: Bool { false }
  public var isLossless: Bool { true }
  public var cost: CodingCost { CodingCost(stored: 4) }

  /// The size of the header in bytes.
  static let headerByteCount = 14
  /// The bytes after the last pixel.
  static let endMarker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  /// The largest number of pixels that one byte can represent: the longest run.
  private static let pixelsOfByte = 62

  /// Checks channels and colour space, too, because a text may begin with the four letters.
  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.count >= Self.headerByteCount && prefix.starts(with: "qoif".utf8)
      && [3, 4].contains(prefix[12]) && prefix[13] <= 1
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    let start: [UInt8]
    do throws(FileError) {
      start = try file.bytes(at: 0, count: Self.headerByteCount)
    } catch { throw .file(error) }
    guard recognises(start) else { throw .codec(start.isEmpty ? .empty : .truncated) }
    func number(_ place: Int) -> Int { start[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (width, height, hasAlpha) = (number(4), number(8), start[12] == 4)
    guard width > 0, height > 0 else { throw .codec(.damaged("invalid size \(width)x\(height)")) }
    guard max(width, height) <= PictureLayout.maximumSide, width * height <= PictureLayout.maximumPixels else {
      throw .codec(.tooLarge(width: width, height: height))
    }
    guard width * height / Self.pixelsOfByte <= file.byteCount else { throw .codec(.truncated) }
    let layout: PictureLayout
    do throws(OperationError) {
      layout = try .checked(width: width, height: height, format: PixelFormat(.u8, .rgb, alpha: hasAlpha))
    } catch { throw .operation(error) }
    // The last byte of the header: 1 is linear light.
    let colour = CalibratedColour(curves: [start[13] == 1 ? .gamma(1) : .srgb])
    return PictureHeader(
      codec: name, layout: layout, metadata: PictureMetadata(iccProfile: colour.profile(isGray: false)),
      details: ["bits": .integer(8), "transparency": .integer(hasAlpha ? 1 : 0)], isEmbeddable: false)
  }

  /// Whether the file ends with the end marker.
  public func endsProperly(_ file: InputFile) -> Bool {
    (try? file.bytes(at: max(0, file.byteCount - 8), count: 8)) == Self.endMarker
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    let decoder = QOIDecoder(file, layout: try readHeader(file).layout, acceptsDamage: options.acceptsDamage)
    guard let region = options.region else { return decoder }
    guard decoder.layout == header.layout else { throw .codec(.changed) }
    return CroppedSource(decoder, region)
  }

  public func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    throw .codec(.cannotEncode("imghost cannot write QOI; save as JPEG or PNG"))
  }
}
