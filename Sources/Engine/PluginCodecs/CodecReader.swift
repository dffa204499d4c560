import ImageCodecs
import ImageCore
import ImageMetadata
import PluginHost

/// A file that a codec plugin has open. When the reader is released, its worker returns to the codec's pool. Used by
/// one thread at a time.
final class CodecReader {
  let codec: PluginCodec
  private let file: InputFile
  private let connection: CodecLoan
  private let context: OperationContext

  /// - Parameter isFresh: whether to start a new worker instead of reusing an idle one.
  init(_ codec: PluginCodec, _ file: InputFile, isFresh: Bool = false, _ context: OperationContext)
    throws(PictureError)
  {
    self.codec = codec
    self.file = file
    self.context = context
    connection = try codec.attempt { () throws(CallFailure) in
      try codec.plugin.pool.lend(context, file, isFresh: isFresh)
    }
  }

  /// Calls a closure with a reader. If the closure fails, and the reader's worker may be the cause, calls the closure
  /// again with a reader that has a fresh worker. The worker may be the cause if it ended or sent an invalid answer, or
  /// if the codec had worked on another file or page before.
  static func retrying<Result>(
    _ codec: PluginCodec, _ file: InputFile, _ context: OperationContext,
    _ body: (CodecReader) throws(PictureError) -> Result
  ) throws(PictureError) -> Result {
    var mayPass = false
    do throws(PictureError) {
      let reader = try CodecReader(codec, file, context)
      do throws(PictureError) {
        return try body(reader)
      } catch {
        mayPass = reader.mayPassAfresh
        throw error
      }
    } catch {
      if case .plugin(let failure) = error, failure.mayPass { mayPass = true }
      guard mayPass else { throw error }
    }
    return try body(CodecReader(codec, file, isFresh: true, context))
  }

  var mayPassAfresh: Bool { connection.mayPassAfresh }

  func tellNotes() { for note in connection.takeNotes() { context.note(note) } }

  /// Opens a page, and checks it against the limits of the format. Pages are numbered from 1.
  func open(page: Int, _ values: [WireValue]) throws(PictureError) -> CodecImage {
    guard file.byteCount > 0 else { throw .codec(.empty) }
    var image = try codec.attempt(file) { () throws(CallFailure) in
      try connection.open(file, page: page, values, context)
    }
    let layout = image.layout
    guard codec.plugin.codec.allows(layout) else {
      throw .codec(.tooLarge(width: layout.width, height: layout.height))
    }
    guard codec.plugin.codec.allows(pageCount: image.pageCount) else {
      throw .codec(.refused("has \(image.pageCount) pages or frames, more than imghost reads"))
    }
    if let most = codec.plugin.codec.maximumPages, page > most {
      throw .codec(.refused("page \(page) is beyond the \(most) pages or frames that imghost reads of a file"))
    }
    guard page <= image.pageCount else { throw .codec(.noPage(page, count: image.pageCount)) }
    // libavif 0.11 and libheif 1.15 do not report the peak before decoding.
    if image.colour.peak == 0, ToneMapping(image.colour) != nil { image.colour.peak = FileContainer.peak(file) }
    return image
  }

  /// Requests rows. They are in the frame's output when `finishRead` returns.
  func beginRead(_ request: ReadRequest, into frame: Frame) throws(PictureError) {
    let pixels = request.region.width * request.rows.count * request.shrink * request.shrink
    try codec.attempt(file) { () throws(CallFailure) in
      try connection.beginRead(request, into: frame, pixels: pixels)
    }
  }

  func finishRead() throws(PictureError) {
    try codec.attempt(file) { () throws(CallFailure) in try connection.finishRead(context) }
  }

  /// - Parameter known: the header from a codec in this process, with the facts needed to store the file in a book.
  func header(_ image: CodecImage, _ known: PictureHeader?) throws(PictureError) -> PictureHeader {
    var parts: [[UInt8]] = []
    for part in MetadataPart.allCases {
      let count = image.metadata[Int(part.rawValue)]
      parts.append(
        try codec.attempt(file) { () throws(CallFailure) in
          count == 0 ? [] : try connection.metadata(part, byteCount: count)
        })
    }
    let tiff = FileContainer.tiffMetadata(file)
    let exif = parts[Int(MetadataPart.exif.rawValue)]
    // Codecs for RAW files provide only pixels, so the EXIF comes from the file's TIFF structure.
    let block = exif.isEmpty ? tiff?.exifBlock ?? [] : exif
    let fields = EXIFBlock(block)
    var metadata =
      fields.map { PictureMetadata(exif: $0.fields, exifBlock: block, resolution: $0.resolution) }
      ?? PictureMetadata()
    metadata.resolution = image.resolution ?? metadata.resolution
    metadata.iccProfile = ICCProfile.matching(parts[Int(MetadataPart.icc.rawValue)], image.layout.format)
    let toneMapping = ToneMapping(image.colour)
    let isGray = image.layout.format.model == .gray
    if let toneMapping {
      metadata.iccProfile = toneMapping.profile(isGray: isGray)
    } else if metadata.iccProfile.isEmpty {
      // If the file contains a whole JPEG, that JPEG's EXIF describes the colours.
      let isOpen = image.colour.isOpen || image.stored == .original && image.colour.isSRGB
      metadata.iccProfile =
        isOpen
        ? ICCProfile.calibrated(fields?.colour, image.layout.format) : image.colour.profile(isGray: isGray)
    }
    metadata.xmp = parts[Int(MetadataPart.xmp.rawValue)]
    metadata.iptc = parts[Int(MetadataPart.iptc.rawValue)]
    if metadata.xmp.isEmpty, let tiff { metadata.xmp = tiff.xmp }
    if metadata.iptc.isEmpty, let tiff { metadata.iptc = tiff.iptc }
    metadata.orientation = image.orientation ?? Orientation(fields, metadata.xmp)
    metadata.losses = tiff?.hasManifest ?? FileContainer.hasManifest(file) ? [.credentials] : []
    metadata.losses += image.largeMetadata.map(\.excess)
    if image.facts["gain_map"] != nil { metadata.losses.append(.gainMap) }
    let profile = parts[Int(MetadataPart.icc.rawValue)]
    if toneMapping == nil, !profile.isEmpty { metadata.losses += ICCProfile.losses(of: profile, image.layout.format) }
    var details = image.facts.merging(known?.details ?? [:]) { own, _ in own }
    if image.pageCount > 1 {
      let most = codec.plugin.codec.maximumPages ?? .max
      details[image.isAnimated ? "frames" : "pages"] =
        image.pageCount > most ? .text("more than \(most)") : .integer(image.pageCount)
    }
    if let toneMapping { details["hdr"] = .text(toneMapping.description) }
    if image.isAnimated {
      details["delay"] = .number(image.delay)
      if image.loopCount > 0 { details[PictureHeader.loopCount] = .integer(image.loopCount) }
    }
    return PictureHeader(
      codec: codec.name, layout: image.layout, metadata: metadata, details: details, shrinkFactors: image.shrinks,
      hasFineShrinks: image.hasFineShrinks, hasCositedShrinks: image.hasCositedShrinks,
      decoderByteCount: image.workingByteCount + (image.isStreamed ? 1 << 20 : image.layout.byteCount),
      isEmbeddable: known?.isEmbeddable ?? image.isEmbeddable, pageCount: image.pageCount,
      delay: image.isAnimated ? image.delay : nil, stored: image.stored, notes: connection.takeNotes())
  }

  func storedPage(_ form: StoredForm, pixels: Int) throws(PictureError) -> StoredPage {
    let (note, waiting) = try codec.attempt(file) { () throws(CallFailure) in
      try connection.stored(pixels: pixels, context)
    }
    guard note.isFax == (form == .fax) else { throw .codec(.changed) }
    let bytes = try codec.take(waiting, from: connection, pixels: pixels, context)
    return StoredPage(form, bytes, width: note.width, height: note.height, isInverted: note.isInverted)
  }
}

extension InputFile {
  /// Creates a file in memory.
  static func inMemory(_ bytes: [UInt8], label: String) throws(PictureError) -> InputFile {
    let sink = PooledSink(reserving: bytes.count)
    try bytes.withUnsafeBytes { bytes in Result { () throws(PictureError) in try sink.write(bytes) } }.get()
    do throws(FileError) {
      return try InputFile(sink.bytes, label: label)
    } catch { throw .file(error) }
  }
}

extension PluginCodec {
  /// The number of bytes that are fetched at a time.
  static let pieceByteCount = 256 << 10

  /// Fetches the bytes that a codec's worker has ready.
  func take(_ count: Int, from loan: CodecLoan, pixels: Int, _ context: OperationContext)
    throws(PictureError) -> EncodedBytes
  {
    // A JPEG of noise has a few bytes per pixel, plus metadata.
    guard count <= 64 << 20 + pixels * 8 else { throw .codec(.refused("holds far more bytes than pixels")) }
    let sink = PooledSink(reserving: max(1, count))
    try take(count, from: loan, to: sink, pixels: pixels, context)
    return sink.bytes
  }

  /// Fetches the bytes that a codec's worker has ready, and writes them to a sink.
  func take(_ count: Int, from loan: CodecLoan, to sink: any ByteSink, pixels: Int, _ context: OperationContext)
    throws(PictureError)
  {
    let frame = try plugin.pool.takeFrame(output: Self.pieceByteCount)
    defer { plugin.pool.giveBack(frame) }
    try take(count, from: loan, through: frame, to: sink, pixels: pixels, context)
  }

  func take(
    _ count: Int, from loan: CodecLoan, through frame: Frame, to sink: any ByteSink, pixels: Int,
    _ context: OperationContext
  ) throws(PictureError) {
    var waiting = count
    while waiting > 0 {
      let piece = min(waiting, Self.pieceByteCount)
      waiting = try attempt { () throws(CallFailure) in
        let left = try loan.write(.take, frame, pixels: pixels, context) { $0.append(UInt64(piece)) }
        guard left == waiting - piece else { throw .garbled }
        return left
      }
      try sink.write(UnsafeRawBufferPointer(start: frame.outputRows(piece), count: piece))
    }
  }

  /// Calls the codec, and converts its errors.
  ///
  /// - Parameter file: the file that the call reads.
  func attempt<Result>(_ file: InputFile? = nil, _ body: () throws(CallFailure) -> Result)
    throws(PictureError) -> Result
  {
    do throws(CallFailure) {
      return try body()
    } catch {
      // A worker receives a bus error if it reads beyond the end of a file that has become shorter.
      if error.mayPass, let file, !file.isUnchanged { throw .codec(.changed) }
      throw self.error(error)
    }
  }

  private func error(_ failure: CallFailure) -> PictureError {
    switch failure {
    case .cancelled: .cancelled
    case .plugin(let words) where !words.isEmpty: .codec(.refused(words))
    case .notMine: .codec(.notRecognised(looksLike: nil))
    // Trying again would take as long, so there is no retry.
    case .late: .plugin(PluginFailure(plugin: name, cause: failure, inputs: []))
    default:
      .plugin(
        PluginFailure(
          plugin: name, cause: failure, inputs: [], mayPass: failure.mayPass && !plugin.pool.isDebugged))
    }
  }
}
