/// The facts in a picture file's header, read without decoding pixels.
public struct PictureHeader: Sendable, Hashable {
  /// The codec's name, such as `"jpeg"` or `"png"`.
  public let codec: String
  /// The size and format of the decoder's rows, at full size and in stored orientation.
  public let layout: PictureLayout
  public private(set) var metadata: PictureMetadata
  /// Facts about the stored pixels, for `imghost info` and for embedding, such as `progressive`, `subsampling`,
  /// `interlaced`, `bits` and `colour`. Booleans are 1 and 0.
  public private(set) var details: [String: MetadataValue]
  /// Factors of shrink-on-load that the decoder supports in addition to 1.
  public let shrinkFactors: [Int]
  /// Whether rows decoded with one of `shrinkFactors` have the quality of resized rows, because the decoder draws or
  /// filters them at the reduced size.
  public let hasFineShrinks: Bool
  /// Whether each sample decoded with one of `shrinkFactors` lies at the first pixel of the square that it replaces,
  /// instead of at the square's centre.
  public let hasCositedShrinks: Bool
  /// The bytes that the decoder holds in addition to a few rows, such as a whole frame for interlaced and progressive
  /// files.
  public let decoderByteCount: Int
  /// Whether a PDF can contain the compressed pixels unchanged. Pixels that are interlaced or have alpha, for example,
  /// must be encoded again.
  public let isEmbeddable: Bool
  /// The number of pages or frames in the file, at least 1.
  public let pageCount: Int
  /// The number of seconds for which a frame of an animation is shown; nil for a page.
  public let delay: Double?
  /// The form in which `PictureCodec.storedPage` returns the page; nil if there is none.
  public let stored: StoredForm?
  /// Notes of the format's library about faults that do not prevent reading the file.
  public let notes: [String]

  public init(
    codec: String, layout: PictureLayout, metadata: PictureMetadata, details: [String: MetadataValue] = [:],
    shrinkFactors: [Int] = [], hasFineShrinks: Bool = false, hasCositedShrinks: Bool = false,
    decoderByteCount: Int = 0, isEmbeddable: Bool = true, pageCount: Int = 1, delay: Double? = nil,
    stored: StoredForm? = nil, notes: [String] = []
  ) {
    self.notes = notes
    self.codec = codec
    self.layout = layout
    self.metadata = metadata
    self.details = details
    self.shrinkFactors = shrinkFactors
    self.hasFineShrinks = hasFineShrinks
    self.hasCositedShrinks = hasCositedShrinks
    self.decoderByteCount = decoderByteCount
    self.isEmbeddable = isEmbeddable
    self.pageCount = pageCount
    self.delay = delay
    self.stored = stored
  }

  /// The key in `details` for the number of times that an animation is played; 0 means endlessly.
  package static let loopCount = "loop_count"

  /// Returns the same header with other metadata.
  package func with(metadata: PictureMetadata) -> PictureHeader {
    var header = self
    header.metadata = metadata
    return header
  }

  /// The facts that planning needs. The details, and all metadata except orientation and resolution, are left out,
  /// because they can be larger than everything else that is kept for a picture.
  public var brief: PictureHeader {
    var header = with(metadata: metadata.brief)
    header.details = [:]
    return header
  }
}

/// One page of a file, and the options for opening it.
public struct PageSelection: Sendable, Hashable {
  /// The number of the page, from 1.
  public var page: Int
  /// Unchecked options of the codec, see `PictureCodec.openParameters`.
  public var options: RawArguments

  public init(page: Int = 1, options: RawArguments = RawArguments()) {
    self.page = page
    self.options = options
  }

  /// The first page, opened with the codec's defaults.
  public static let first = PageSelection()
}

/// Options for decoding a file.
public struct DecodeOptions: Sendable, Hashable {
  /// The shrink factor: 1, or one of the header's `shrinkFactors`. The sides of the result are `ceil(side / shrink)`.
  public var shrink: Int
  /// Whether the decoder returns the readable rows of a truncated or damaged file instead of throwing an error.
  public var acceptsDamage: Bool
  /// The region to decode, inside the shrunk picture and in its pixels; nil for the whole picture. The result is the
  /// same as if the whole shrunk picture were decoded and then cropped.
  public var region: Region?
  /// The page to decode. The header that is passed to the decoder must be that of the same page.
  public var selection: PageSelection

  public init(
    shrink: Int = 1, acceptsDamage: Bool = false, region: Region? = nil, selection: PageSelection = .first
  ) {
    self.selection = selection
    self.shrink = shrink
    self.acceptsDamage = acceptsDamage
    self.region = region
  }
}

/// Encodes rows from the top down, and writes a file's bytes to a sink. Used by one worker at a time.
public protocol PictureEncoder: AnyObject {
  /// Encodes the next `count` rows, `stride` bytes apart, in the encoder's layout.
  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError)
  /// Writes the rest of the file. Called once, after the last row. If an encoder is released without this call, the
  /// file is incomplete, and its owner discards it.
  func finish() throws(PictureError)
  /// Whether, after a failed call, a new encoder may succeed, because the cause may be the state of the process that
  /// encodes.
  var mayPassAfresh: Bool { get }
}

extension PictureEncoder {
  public var mayPassAfresh: Bool { false }
}

/// Encodes rows from memory. If that fails and a new encoder may succeed, encodes them once more, to a new target.
///
/// - Parameter make: creates an encoder and its target.
package func encode<Target>(
  with make: () throws(PictureError) -> (any PictureEncoder, Target),
  _ body: (any PictureEncoder) throws(PictureError) -> Void
) throws(PictureError) -> Target {
  let (encoder, target) = try make()
  do throws(PictureError) {
    try body(encoder)
    return target
  } catch { guard encoder.mayPassAfresh else { throw error } }
  let (second, secondTarget) = try make()
  try body(second)
  return secondTarget
}

/// Encodes the pages of one file, each from the top down.
public protocol MultipageEncoder: PictureEncoder {
  /// Ends a page. The following rows belong to the next page.
  ///
  /// - Parameter delay: the seconds for which a frame of an animation is shown.
  func endPage(delay: Double) throws(PictureError)
}

/// The pages of a file to be written.
public struct MultipageRequest: Sendable {
  /// The layouts of the pages, at least one; all frames of an animation have the same layout.
  public let pages: [PictureLayout]
  /// The number of times that an animation runs, 0 for endless.
  public let loopCount: Int

  public init(pages: [PictureLayout], loopCount: Int = 0) {
    self.pages = pages
    self.loopCount = loopCount
  }
}

/// A file format: recognises, reads and writes its files. Each built-in format has one folder, and one line in
/// `CodecList`.
public protocol PictureCodec: Sendable {
  var name: String { get }
  /// The name in messages, such as `JPEG`.
  var title: String { get }
  /// The file name extensions in lower case, without the dot; the first is the default.
  var extensions: [String] { get }
  /// Options of `save` for this format.
  var saveParameters: [ParameterDescriptor] { get }
  /// Options of `save` whose numbers have a different meaning than in the previous version.
  var changedOptions: [ChangedOption] { get }
  /// Options of `open` for this format, in addition to those of every format.
  var openParameters: [ParameterDescriptor] { get }
  /// Whether the codec can write files.
  var writes: Bool { get }
  /// Whether the codec can write several pictures into one file as the frames of an animation.
  var animates: Bool { get }
  /// Whether the codec can write several pages into one file.
  var writesPages: Bool { get }
  /// The maximum number of pages or frames in a file; nil for no limit.
  var maximumPageCount: Int? { get }
  /// Whether files of this format store pixels losslessly. A book also stores an unchanged picture from such a file
  /// losslessly.
  var isLossless: Bool { get }
  /// Whether files of this format can contain an ICC profile.
  var holdsProfile: Bool { get }
  /// Whether the codec writes EXIF, XMP, IPTC or comments.
  var writesMetadata: Bool { get }
  /// Whether the codec can write CMYK.
  var writesInk: Bool { get }
  /// The reason why the codec cannot decode pixels, as a clause with a remedy; nil if it can.
  var reasonNotToDecode: String? { get }
  /// Whether the codec itself enforces a time limit on its calls, see `DecodingTime`.
  var limitsItself: Bool { get }
  /// The predicted processor time per pixel.
  var cost: CodingCost { get }
  /// The path of the plugin's library; nil for a codec in this process.
  var libraryPath: String? { get }

  /// Returns whether a file that begins with these bytes has this format. The first call passes up to 16 bytes. If no
  /// codec recognises the file, a second call passes up to 4,096 bytes.
  func recognises(_ prefix: [UInt8]) -> Bool

  /// Reads the header of the first page.
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader

  /// Reads the header of a page. The default implementation supports only the first page, and no options.
  func readHeader(_ file: InputFile, _ selection: PageSelection) throws(PictureError) -> PictureHeader

  /// Returns whether the file's last bytes show that it is complete, without decoding it; false if that is unknown.
  func endsProperly(_ file: InputFile) -> Bool

  /// Starts decoding a file, and returns a source of its rows.
  ///
  /// - Parameter header: the result of `readHeader`, or its `brief`.
  /// - Throws: also `CodecError.changed` if a region is requested and the picture's size differs from the header's.
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource

  /// Starts decoding with workers that the decoder may use while rows are read. The default implementation uses none.
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext)
    throws(PictureError) -> any RowSource

  /// Returns the stored form of a page. Called only if the page's header declares one.
  func storedPage(_ file: InputFile, header: PictureHeader, selection: PageSelection, context: OperationContext)
    throws(PictureError) -> StoredPage

  /// Copies a file without the faults that its decoder noted. Everything else is copied byte for byte.
  ///
  /// - Returns: false, without writing anything, if this requires encoding the picture again. The default
  ///   implementation returns false.
  func mend(_ file: InputFile, to sink: any ByteSink) throws(PictureError) -> Bool

  /// Returns the byte ranges that contain only metadata, or facts that `PictureHeader` contains anyway; nil if they are
  /// unknown.
  func metadataPlaces(in file: InputFile) -> MetadataPlaces?

  /// Copies a file of this format with other metadata. The result is the same file that `makeEncoder` would write for
  /// the same pixels.
  ///
  /// - Returns: false if that is not possible; some bytes may already have been written by then. The default
  ///   implementation returns false.
  func rewrite(
    _ file: InputFile, to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> Bool

  /// Whether the codec can make files from which a JPEG can be restored byte for byte.
  var wrapsJPEG: Bool { get }
  /// Whether files of this format are JPEGs that a codec with `wrapsJPEG` can wrap.
  var isWrappable: Bool { get }

  /// Returns a file of this format from which a JPEG can be restored byte for byte.
  ///
  /// - Parameter arguments: arguments that were checked against `saveParameters`.
  /// - Throws: `CodecError.refused` if the format cannot preserve this JPEG.
  func wrap(_ jpeg: InputFile, _ layout: PictureLayout, arguments: Arguments, context: OperationContext)
    throws(PictureError) -> EncodedBytes

  /// Returns the gain map of a file whose header declares one; nil if the map is unreadable, or if this codec does not
  /// read gain maps.
  func gainMap(_ file: InputFile) -> GainMap?

  /// Returns the gain map as a file of its own that also contains the map's description.
  func describing(_ map: GainMap) -> [UInt8]

  /// Returns a picture's file with a gain map added. The map's `jpeg` comes from `describing`.
  func joining(_ picture: [UInt8], _ map: GainMap) -> [UInt8]

  /// Returns the nearest layout that the format can hold (JPEG: 8 bits, no alpha).
  func encodedLayout(for layout: PictureLayout) -> PictureLayout

  /// Returns an estimate of the bytes of memory that an encoder needs with this many workers.
  func encoderByteCount(for layout: PictureLayout, arguments: Arguments, parallelism: Int) -> Int

  /// Returns the metadata to be written according to the options, and the metadata that is lost although the options
  /// did not ask to omit it.
  ///
  /// - Parameter layout: from `encodedLayout(for:)`.
  func writtenMetadata(_ metadata: PictureMetadata, for layout: PictureLayout, arguments: Arguments)
    -> (metadata: PictureMetadata, losses: [MetadataLoss])

  /// Starts encoding a file.
  ///
  /// - Parameters:
  ///   - layout: the layout of the rows, from `encodedLayout(for:)`.
  ///   - metadata: metadata from `writtenMetadata`; a profile whose component count does not match is omitted.
  ///   - arguments: arguments that were checked against `saveParameters`.
  func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder

  /// Starts encoding a file with workers that the encoder may use while rows are written. The default implementation
  /// uses none. The bytes do not depend on the workers.
  func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any PictureEncoder

  /// Starts encoding a file of several pages, for a codec that supports animations or pages.
  func makeEncoder(
    to sink: any ByteSink, _ request: MultipageRequest, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any MultipageEncoder
}

extension PictureCodec {
  public var animates: Bool { false }
  public var writesPages: Bool { false }
  public var maximumPageCount: Int? { nil }

  public func makeEncoder(
    to sink: any ByteSink, _ request: MultipageRequest, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any MultipageEncoder {
    throw .codec(.cannotEncode("\(title) files hold one picture"))
  }

  public var wrapsJPEG: Bool { false }
  public var isWrappable: Bool { false }

  public func storedPage(
    _ file: InputFile, header: PictureHeader, selection: PageSelection, context: OperationContext
  ) throws(PictureError) -> StoredPage {
    preconditionFailure("headers of \(title) name no stored form")
  }

  public func wrap(_ jpeg: InputFile, _ layout: PictureLayout, arguments: Arguments, context: OperationContext)
    throws(PictureError) -> EncodedBytes
  {
    throw .codec(.cannotEncode("\(title) files hold no JPEG"))
  }

  public func gainMap(_ file: InputFile) -> GainMap? { nil }
  public func describing(_ map: GainMap) -> [UInt8] { map.jpeg }
  public func joining(_ picture: [UInt8], _ map: GainMap) -> [UInt8] { picture }

  public var title: String { name.uppercased() }
  public var writes: Bool { true }
  public var changedOptions: [ChangedOption] { [] }
  public var openParameters: [ParameterDescriptor] { [] }

  public func readHeader(_ file: InputFile, _ selection: PageSelection) throws(PictureError) -> PictureHeader {
    if let option = selection.options.named.first {
      throw .codec(.unsupported("the option '\(option.name)' for \(title) files"))
    }
    let header = try readHeader(file)
    guard selection.page <= header.pageCount else {
      throw .codec(.noPage(selection.page, count: header.pageCount))
    }
    return header
  }
  public var isLossless: Bool { false }
  public var holdsProfile: Bool { true }
  public var writesMetadata: Bool { true }
  public var writesInk: Bool { false }
  public var reasonNotToDecode: String? { nil }
  public var limitsItself: Bool { false }
  public var cost: CodingCost { CodingCost() }
  public var libraryPath: String? { nil }
  public func endsProperly(_ file: InputFile) -> Bool { false }
  public func mend(_ file: InputFile, to sink: any ByteSink) throws(PictureError) -> Bool { false }
  public func metadataPlaces(in file: InputFile) -> MetadataPlaces? { nil }

  public func rewrite(
    _: InputFile, to _: any ByteSink, layout _: PictureLayout, metadata _: PictureMetadata,
    arguments _: Arguments, context _: OperationContext
  ) throws(PictureError) -> Bool { false }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    try makeDecoder(file, header: header, options: options)
  }

  public func encoderByteCount(for layout: PictureLayout, arguments: Arguments, parallelism: Int) -> Int { 512 << 10 }

  public func writtenMetadata(_ metadata: PictureMetadata, for layout: PictureLayout, arguments: Arguments)
    -> (metadata: PictureMetadata, losses: [MetadataLoss])
  {
    (metadata, metadata.losses)
  }

  public func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any PictureEncoder {
    try makeEncoder(to: sink, layout: layout, metadata: metadata, arguments: arguments)
  }
}
