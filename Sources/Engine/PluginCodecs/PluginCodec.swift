import ImageCodecs
import ImageCore
import ImageMetadata
import PluginHost

/// A file format that a codec plugin reads or writes, in a worker unless plugins run in this process.
package struct PluginCodec: PictureCodec {
  let plugin: LoadedCodec
  /// The codec in this process that reads the headers of the same format; nil for none. It provides the facts for
  /// storing the file in a book.
  let base: (any PictureCodec)?

  package var name: String { plugin.description.name }
  package var extensions: [String] { plugin.codec.extensions }
  /// The format's name in messages, such as `JPEG XL`.
  package var title: String { plugin.codec.title }
  var reads: Bool { plugin.codec.reads }
  package var writes: Bool { plugin.codec.writes }
  package var animates: Bool { plugin.codec.animates }
  package var writesPages: Bool { plugin.codec.writesPages }
  package var isLossless: Bool { plugin.codec.isLossless }
  package var writesInk: Bool { plugin.codec.writesInk }
  package var reasonNotToDecode: String? {
    plugin.codec.reads ? nil : "plugin '\(name)' only writes \(title) files"
  }
  package var saveParameters: [ParameterDescriptor] {
    var own = plugin.description.parameters.map(\.descriptor)
    if !own.contains(where: { $0.name == BitDepth.name }), holdsTwoDepths { own.append(BitDepth.parameter) }
    return own + [MetadataChoice.parameter]
  }
  /// Whether the codec writes both 8 and 16 bits, so that the host can choose.
  private var holdsTwoDepths: Bool {
    func holds(_ sample: SampleType) -> Bool {
      [PixelFormat(sample, .gray), PixelFormat(sample, .rgb)].contains { plugin.description.takes($0) }
    }
    return writes && holds(.u8) && holds(.u16)
  }
  package var changedOptions: [ChangedOption] { ShippedCodec.named(name)?.changedOptions ?? [] }
  package var cost: CodingCost {
    CodecList.codec(named: name)?.cost ?? ShippedCodec.named(name)?.cost ?? CodingCost()
  }
  package var maximumPageCount: Int? { plugin.codec.maximumPages }
  package var openParameters: [ParameterDescriptor] { plugin.codec.readParameters.map(\.descriptor) }
  package var libraryPath: String? { plugin.path }
  /// The path of the plugin's file, and its version, for `imghost info`.
  package var library: (path: String, version: String) {
    (plugin.path, plugin.pool.version ?? plugin.description.version)
  }

  package func recognises(_ prefix: [UInt8]) -> Bool { precision(prefix) != nil }

  /// Returns the number of bytes that the most precise matching signature compares; nil if the file does not look like
  /// this format, or if the codec only writes.
  func precision(_ prefix: [UInt8]) -> Int? {
    guard plugin.codec.reads else { return nil }
    return plugin.codec.signatures.lazy.filter { $0.matches(prefix) }.map(\.precision).max()
  }

  package func endsProperly(_ file: InputFile) -> Bool {
    // This compares only a few bytes, so it runs in this process even if a worker decodes the file.
    CodecList.codec(named: name)?.endsProperly(file) ?? false
  }

  package func mend(_ file: InputFile, to sink: any ByteSink) throws(PictureError) -> Bool {
    try CodecList.codec(named: name)?.mend(file, to: sink) ?? false
  }

  package func metadataPlaces(in file: InputFile) -> MetadataPlaces? {
    CodecList.codec(named: name)?.metadataPlaces(in: file) ?? ShippedCodec.named(name)?.metadataPlaces?(file)
  }

  // MARK: Reading

  package func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader { try readHeader(file, .first) }

  package func readHeader(_ file: InputFile, _ selection: PageSelection) throws(PictureError) -> PictureHeader {
    let values = try values(selection)
    let known: PictureHeader?
    do throws(PictureError) {
      known = try base?.readHeader(file)
    } catch {
      // A book cannot store this file unchanged, but the plugin may still read it, or give a better reason.
      guard case .codec = error else { throw error }
      known = nil
    }
    do throws(PictureError) {
      return try CodecReader.retrying(self, file, .serial) { (reader) throws(PictureError) in
        let image = try reader.open(page: selection.page, values)
        return try reader.header(image, known)
      }
    } catch {
      // A book can still store the file unchanged, even if the plugin cannot read it.
      if let known, selection == .first { return known }
      throw error
    }
  }

  package var limitsItself: Bool { true }

  package func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    try makeDecoder(file, header: header, options: options, context: .serial)
  }

  package func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions, context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let whole = header.layout.shrunk(by: options.shrink)
    let region = options.region ?? Region(left: 0, top: 0, width: whole.width, height: whole.height)
    return PluginDecoder(
      self, file, values: try values(options.selection), options: options, header: header,
      layout: whole.with(width: region.width, height: region.height), region: region, context: context)
  }

  package func storedPage(
    _ file: InputFile, header: PictureHeader, selection: PageSelection, context: OperationContext
  ) throws(PictureError) -> StoredPage {
    guard let form = header.stored else { preconditionFailure("a page without a stored form is asked for it") }
    let values = try values(selection)
    return try CodecReader.retrying(self, file, context) { (reader) throws(PictureError) in
      let image = try reader.open(page: selection.page, values)
      guard image.layout == header.layout, image.stored == form else { throw .codec(.changed) }
      return try reader.storedPage(form, pixels: image.layout.width * image.layout.height)
    }
  }

  /// Returns the values of the codec's own options of `img.open`.
  private func values(_ selection: PageSelection) throws(PictureError) -> [WireValue] {
    guard plugin.codec.reads else { throw .codec(.unsupported("reading \(title)")) }
    let arguments: Arguments
    do throws(ArgumentErrors) {
      arguments = try Arguments(selection.options, parameters: openParameters, positionalCount: 0)
    } catch {
      let texts = error.errors.map { $0.text(in: "open") { _ in nil } }
      throw .operation(.unsuitable(texts.joined(separator: "; ")))
    }
    do throws(OperationError) {
      var values: [WireValue] = []
      for parameter in plugin.codec.readParameters { values.append(try parameter.value(from: arguments)) }
      return values
    } catch { throw .operation(error) }
  }

  // MARK: Writing

  package func rewrite(
    _ file: InputFile, to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> Bool {
    if let rewrite = ShippedCodec.named(name)?.rewrite {
      // The metadata has the same form as when `PluginEncoder` passes it to a codec.
      return try rewrite(
        file, sink, ICCProfile.matching(metadata.iccProfile, layout.format), EXIFBlock.forWriting(metadata, layout),
        metadata.xmp)
    }
    let request = try beginRequest(MultipageRequest(pages: [layout]), metadata, arguments)
    let pixels = layout.width * layout.height
    // Unlike `lending`, this does not try again with a fresh worker after a failure: the caller can encode the picture
    // instead.
    let loan = try attempt { () throws(CallFailure) in try plugin.pool.lend(context, nil) }
    let waiting = try attempt(file) { () throws(CallFailure) in
      try loan.attach(metadata, layout)
      return try loan.rewrite(file, request, context)
    }
    guard let waiting, waiting > 0 else { return false }
    try take(waiting, from: loan, to: sink, pixels: pixels, context)
    return true
  }

  package var wrapsJPEG: Bool { plugin.codec.wraps }
  package var isWrappable: Bool { CodecList.codec(named: name)?.isWrappable ?? false }

  package func wrap(_ jpeg: InputFile, _ layout: PictureLayout, arguments: Arguments, context: OperationContext)
    throws(PictureError) -> EncodedBytes
  {
    let values = try writingValues(arguments)
    let pixels = layout.width * layout.height
    return try lending(context) { (loan) throws(PictureError) in
      let waiting = try attempt(jpeg) { () throws(CallFailure) in
        try loan.wrap(jpeg, values, pixels: pixels, context)
      }
      return try take(waiting, from: loan, pixels: pixels, context)
    }
  }

  /// Calls a closure with a worker for writing. If the codec fails in a worker that had worked on another file before,
  /// calls the closure again with a fresh worker.
  func lending<Result>(_ context: OperationContext, _ body: (CodecLoan) throws(PictureError) -> Result)
    throws(PictureError) -> Result
  {
    let loan = try attempt { () throws(CallFailure) in try plugin.pool.lend(context, nil) }
    do throws(PictureError) {
      return try body(loan)
    } catch {
      guard loan.mayPassAfresh else { throw error }
    }
    return try body(attempt { () throws(CallFailure) in try plugin.pool.lend(context, nil, isFresh: true) })
  }

  func writingValues(_ arguments: Arguments) throws(PictureError) -> [WireValue] {
    do throws(OperationError) {
      var values: [WireValue] = []
      for parameter in plugin.description.parameters { values.append(try parameter.value(from: arguments)) }
      return values
    } catch { throw .operation(error) }
  }

  /// Returns the layout in the closest pixel format that the file format supports, such as one with fewer bits or
  /// without alpha.
  package func encodedLayout(for layout: PictureLayout) -> PictureLayout {
    let format = layout.format
    if format.model == .cmyk {
      let deep = format.sample == .u16 && plugin.description.writesFormat(deep: true, bands: 4)
      return layout.with(format: PixelFormat(deep ? .u16 : .u8, .cmyk))
    }
    let candidates = [format.sample, .u8, .u16].flatMap { sample in
      [
        PixelFormat(sample, format.model, alpha: format.hasAlpha), PixelFormat(sample, .rgb, alpha: format.hasAlpha),
        PixelFormat(sample, format.model), PixelFormat(sample, .rgb), PixelFormat(sample, .rgb, alpha: true),
        PixelFormat(sample, .gray),
      ]
    }
    return layout.with(format: candidates.first { plugin.description.takes($0) } ?? format)
  }

  package func encoderByteCount(for layout: PictureLayout, arguments: Arguments, parallelism: Int) -> Int {
    plugin.codec.writingByteCount(pixels: layout.width * layout.height) + PluginEncoder.memoryByteCount(layout)
  }

  package func writtenMetadata(_ metadata: PictureMetadata, for layout: PictureLayout, arguments: Arguments)
    -> (metadata: PictureMetadata, losses: [MetadataLoss])
  {
    let (applied, losses) = MetadataChoice(arguments).applied(to: metadata, layout)
    var chosen = applied
    // Most formats do not support IPTC, but XMP can contain its fields.
    if !chosen.iptc.isEmpty, let record = IPTCRecord(chosen.iptc) {
      var packet = (try? XMPPacket(chosen.xmp)) ?? XMPPacket()
      packet.add(record)
      chosen.xmp = packet.bytes()
    }
    return (chosen, losses)
  }

  package func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments
  )
    throws(PictureError) -> any PictureEncoder
  {
    try makeEncoder(to: sink, layout: layout, metadata: metadata, arguments: arguments, context: .serial)
  }

  package func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any PictureEncoder {
    try PluginEncoder(
      self, to: sink, MultipageRequest(pages: [layout]), metadata: metadata, arguments: arguments, context: context)
  }

  package func makeEncoder(
    to sink: any ByteSink, _ request: MultipageRequest, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> any MultipageEncoder {
    try PluginEncoder(self, to: sink, request, metadata: metadata, arguments: arguments, context: context)
  }
}

extension PluginDescription {
  fileprivate func takes(_ format: PixelFormat) -> Bool {
    writesFormat(deep: format.sample == .u16, bands: format.bands)
  }
}
