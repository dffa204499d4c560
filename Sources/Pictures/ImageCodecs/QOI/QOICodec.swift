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

  static let headerByteCount = 14
  static let endMarker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
  /// The largest number of pixels that one byte can represent: the longest run.
  private static let pixelsOfByte = 62

  /// Checks the number of channels and the colour space in addition to the signature, because a text may begin with the
  /// four letters.
  public func recognises(_ prefix: [UInt8]) -> Bool {
    prefix.count >= Self.headerByteCount && prefix.starts(with: "qoif".utf8)
      && [3, 4].contains(prefix[12]) && prefix[13] <= 1
  }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    let start = try ByteSource.file(file).bytes(at: 0, upTo: Self.headerByteCount)
    guard recognises(start) else { throw .codec(start.isEmpty ? .empty : .truncated) }
    func number(_ place: Int) -> Int { start[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (width, height, hasAlpha) = (number(4), number(8), start[12] == 4)
    guard width > 0, height > 0 else { throw .codec(.damaged("invalid size \(width)x\(height)")) }
    guard max(width, height) <= PictureLayout.maximumSide, width * height <= PictureLayout.maximumPixels else {
      throw .codec(.tooLarge(width: width, height: height))
    }
    guard width * height / Self.pixelsOfByte <= file.byteCount else { throw .codec(.truncated) }
    let layout = PictureLayout(width: width, height: height, format: PixelFormat(.u8, .rgb, alpha: hasAlpha))
    // The last byte of the header: 1 is linear light.
    let colour = CalibratedColour(curves: [start[13] == 1 ? .gamma(1) : .srgb])
    return PictureHeader(
      codec: name, layout: layout, metadata: PictureMetadata(iccProfile: colour.profile(isGray: false)),
      details: ["bits": .integer(8), "transparency": .integer(hasAlpha ? 1 : 0)], isEmbeddable: false)
  }

  /// Returns whether the file ends with the end marker.
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

/// Rows of a QOI. Every byte sequence is valid, so the only damage that can be detected is an early end.
final class QOIDecoder: RowSource {
  let layout: PictureLayout
  private let file: InputFile
  private let acceptsDamage: Bool
  /// The offset after the last byte that may belong to a pixel.
  private let end: Int
  /// A part of the file, the offset of the byte after it, its length, and the number of its consumed bytes.
  private let buffer = PooledBytes(capacity: 65_536)
  private var offset = QOICodec.headerByteCount
  private var filled = 0
  private var used = 0
  private var hasEnded = false

  private typealias Pixel = SIMD4<UInt8>
  private var pixel = Pixel(0, 0, 0, 255)
  /// The most recent pixel for each hash value.
  private var seen = [Pixel](repeating: Pixel(repeating: 0), count: 64)
  /// The number of remaining repetitions of the pixel.
  private var run = 0

  init(_ file: InputFile, layout: PictureLayout, acceptsDamage: Bool) {
    self.file = file
    self.layout = layout
    self.acceptsDamage = acceptsDamage
    end = file.byteCount - (acceptsDamage ? 0 : QOICodec.endMarker.count)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for row in 0..<count { try readRow(into: destination + row * stride) }
  }

  private func readRow(into row: UnsafeMutableRawPointer) throws(PictureError) {
    let size = layout.rowByteCount / layout.width
    var place = row
    for x in 0..<layout.width {
      if run > 0 {
        run -= 1
      } else {
        try readPixel()
        if hasEnded {
          guard acceptsDamage else { throw .codec(.truncated) }
          place.initializeMemory(as: UInt8.self, repeating: 0, count: (layout.width - x) * size)
          return
        }
      }
      place.storeBytes(of: pixel.x, as: UInt8.self)
      place.storeBytes(of: pixel.y, toByteOffset: 1, as: UInt8.self)
      place.storeBytes(of: pixel.z, toByteOffset: 2, as: UInt8.self)
      if size == 4 { place.storeBytes(of: pixel.w, toByteOffset: 3, as: UInt8.self) }
      place += size
    }
  }

  /// Reads one chunk (qoiformat.org, "Data Chunks"): the next pixel, and the number of its repetitions.
  private func readPixel() throws(PictureError) {
    let tag = try byte()
    switch tag {
    case 0xfe, 0xff:
      pixel.x = try byte()
      pixel.y = try byte()
      pixel.z = try byte()
      if tag == 0xff { pixel.w = try byte() }
    case 0xc0...:
      run = Int(tag & 0x3f)
    case 0x80...:
      let second = try byte()
      let green = (tag & 0x3f) &- 32
      pixel.x &+= green &- 8 &+ (second >> 4)
      pixel.y &+= green
      pixel.z &+= green &- 8 &+ (second & 15)
    case 0x40...:
      pixel.x &+= ((tag >> 4) & 3) &- 2
      pixel.y &+= ((tag >> 2) & 3) &- 2
      pixel.z &+= (tag & 3) &- 2
    default:
      pixel = seen[Int(tag)]
    }
    seen[(Int(pixel.x) * 3 + Int(pixel.y) * 5 + Int(pixel.z) * 7 + Int(pixel.w) * 11) & 63] = pixel
  }

  /// Returns the next byte; 0 at the end.
  private func byte() throws(PictureError) -> UInt8 {
    if used == filled {
      let wanted = min(buffer.capacity, end - offset)
      used = 0
      filled = 0
      if wanted > 0 {
        do throws(FileError) {
          filled = try file.read(
            at: offset, into: UnsafeMutableRawBufferPointer(start: buffer.base, count: wanted))
        } catch { throw .file(error) }
      }
      offset += filled
      guard filled > 0 else {
        hasEnded = true
        return 0
      }
    }
    used += 1
    return buffer.base.load(fromByteOffset: used - 1, as: UInt8.self)
  }
}
