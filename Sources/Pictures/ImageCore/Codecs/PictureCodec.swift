/// What a picture file's header says, read without decoding a pixel.
public struct PictureHeader: Sendable, Hashable {
  /// The codec's name: `"jpeg"`, `"png"`.
  public let codec: String
  /// Size and format of the rows its decoder gives, unshrunk and not oriented.
  public let layout: PictureLayout
  public let metadata: PictureMetadata
  /// How the pixels are stored, for `imghost info` and for embedding: codec-specific facts such as
  /// `progressive`, `subsampling`, `interlaced`, `bits`, `colour`; yes and no are 1 and 0.
  public let details: [String: MetadataValue]
  /// Shrink factors its decoder offers beside 1.
  public let shrinkFactors: [Int]
  /// Bytes its decoder holds beside a few rows: a whole frame for interlaced and progressive files.
  public let decoderByteCount: Int
  /// Whether its compressed pixels are stored in a way that documents have, too: not interlaced, no opacity
  /// among the colours.
  public let isEmbeddable: Bool

  public init(
    codec: String, layout: PictureLayout, metadata: PictureMetadata,
    details: [String: MetadataValue] = [:], shrinkFactors: [Int] = [], decoderByteCount: Int = 0,
    isEmbeddable: Bool = true
  ) {
    self.codec = codec
    self.layout = layout
    self.metadata = metadata
    self.details = details
    self.shrinkFactors = shrinkFactors
    self.decoderByteCount = decoderByteCount
    self.isEmbeddable = isEmbeddable
  }

  /// What planning needs: without profile, EXIF and details, which can be larger than all else that is
  /// kept of a picture.
  public var brief: PictureHeader {
    PictureHeader(
      codec: codec, layout: layout, metadata: metadata.brief, shrinkFactors: shrinkFactors,
      decoderByteCount: decoderByteCount, isEmbeddable: isEmbeddable)
  }
}

/// How a file is to be decoded.
public struct DecodeOptions: Sendable, Hashable {
  /// 1, or one of the header's shrink factors; the result is `ceil(size / shrink)`.
  public var shrink: Int
  /// Whether a truncated or damaged file gives what could be read of it instead of an error.
  public var acceptsDamage: Bool
  /// The part that is wanted, in pixels of the shrunk picture, inside it; nil for all. The rows are those
  /// of the whole shrunk picture, cut.
  public var region: Region?
  /// Whether CMYK is amounts of ink, as PDF has it without a `Decode` array, whatever the file says.
  public var takesAsInk: Bool

  public init(
    shrink: Int = 1, acceptsDamage: Bool = false, region: Region? = nil, takesAsInk: Bool = false
  ) {
    self.shrink = shrink
    self.acceptsDamage = acceptsDamage
    self.region = region
    self.takesAsInk = takesAsInk
  }
}

/// Takes rows from the top down and writes a file's bytes to a sink.
public protocol PictureEncoder: AnyObject {
  /// Encodes the next `count` rows, `stride` bytes apart, in the layout the encoder was made for.
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError)
  /// Writes what remains. Called once, after the last row; an encoder dropped before has written a
  /// part of a file, which its owner discards.
  func finish() throws(PictureError)
}

/// A file format: recognising, reading and writing it. One folder a format, one line in the list.
public protocol PictureCodec: Sendable {
  var name: String { get }
  /// Lower case, without the dot; the first is the usual one.
  var extensions: [String] { get }
  /// Options of `save` for this format.
  var saveParameters: [ParameterDescriptor] { get }
  /// Whether it writes files, too.
  var writes: Bool { get }
  /// Whether its files hold pixels without loss: what is stored of one untouched should be so as well.
  var isLossless: Bool { get }
  /// Why its pixels cannot be had, as a clause with the way out; nil where they can.
  var reasonNotToDecode: String? { get }

  /// Whether a file that begins with these bytes (up to 16) is of this format.
  func recognises(_ prefix: [UInt8]) -> Bool

  /// Reads the header. The file is read from its start.
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader

  /// Whether the file's last bytes show that it is whole, without decoding it; false where that cannot
  /// be told.
  func endsProperly(_ file: InputFile) -> Bool

  /// Starts decoding from the file's start.
  ///
  /// - Parameter header: what `readHeader` gave, or its `brief`. A file whose picture has another size by
  ///   now is refused where a part is wanted.
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource

  /// The same with workers that the decoder may use while rows are read; by default it uses none of them.
  func makeDecoder(
    _ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext
  ) throws(PictureError) -> any RowSource

  /// The layout the encoder takes for pictures of the given one: what the format can hold
  /// (JPEG: 8 bits, no alpha).
  func encodedLayout(for layout: PictureLayout) -> PictureLayout

  /// Bytes of memory an encoder is predicted to hold, with so many workers.
  func encoderByteCount(for layout: PictureLayout, parallelism: Int) -> Int

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - layout: one that `encodedLayout(for:)` gave; rows come in it.
  ///   - metadata: what to carry over; a profile whose component count does not match is left out.
  ///   - arguments: checked against `saveParameters`.
  func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments
  ) throws(PictureError) -> any PictureEncoder

  /// The same with workers that the encoder may use while rows are written; by default it uses none of them.
  /// What it writes does not depend on them.
  func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any PictureEncoder
}

extension PictureCodec {
  public var writes: Bool { true }
  public var isLossless: Bool { false }
  public var reasonNotToDecode: String? { nil }
  public func endsProperly(_ file: InputFile) -> Bool { false }

  public func makeDecoder(
    _ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext
  ) throws(PictureError) -> any RowSource {
    try makeDecoder(file, header: header, options: options)
  }

  public func encoderByteCount(for layout: PictureLayout, parallelism: Int) -> Int { 512 << 10 }

  public func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any PictureEncoder {
    try makeEncoder(to: sink, layout: layout, metadata: metadata, arguments: arguments)
  }
}

/// Why a picture file cannot be read or written.
public enum CodecError: Error, Sendable, Equatable {
  /// No codec recognises the file; carries what it seems to be, such as "a GIF picture", if known.
  case notRecognised(looksLike: String?)
  case empty
  case truncated
  /// The library's own words.
  case damaged(String)
  case unsupported(String)
  case tooLarge(width: Int, height: Int)
  case cannotEncode(String)

  /// Another picture has taken the file's place since its header was read.
  public static let changed = CodecError.damaged("it changed while the script ran")
}

extension CodecError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notRecognised(let kind?): "is \(kind), which this version does not read; use JPEG or PNG"
    case .notRecognised(nil): "is not a picture imghost knows; it reads JPEG and PNG"
    case .empty: "the file is empty"
    case .truncated: "the file ends too early; it is truncated"
    case .damaged(let words): "the file is damaged (\(words))"
    case .unsupported(let feature): "\(feature) is not supported"
    case .tooLarge(let width, let height): "\(width)x\(height) pixels are more than can be handled"
    case .cannotEncode(let reason): reason
    }
  }
}
