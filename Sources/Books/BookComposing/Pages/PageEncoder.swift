import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// Makes one picture of a book from the rows of an output node, or from the picture's file.
final class PageEncoder: DocumentOutput {
  private let page: DocumentEntry
  private let assembler: BookAssembler
  private let facts: BookAssembler.Page
  private let run: RunProgress
  private var sink: PooledSink?
  private var metadata = PictureMetadata()
  private var encoder: (any PictureEncoder)?
  /// The encoder of a page that is stored losslessly.
  private var preparer: LosslessPreparer?
  private var target: PictureLayout?
  private var conversion: FormatConversion?
  /// One converted strip, or the whole picture if it is compared afterwards; nil if rows are encoded directly.
  private var rows: PixelBuffer?
  private var nextRow = 0
  private var context: OperationContext?
  private var fingerprint: PixelFingerprint.Accumulator?
  /// Whether a row had transparent pixels before its alpha was removed.
  private var isTransparent = false
  var job: Job { assembler.job }
  var traceName: String { "encode page" }

  init(_ page: DocumentEntry, of assembler: BookAssembler, _ run: RunProgress) {
    self.page = page
    self.assembler = assembler
    facts = assembler.page(page)
    self.run = run
  }

  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError) {
    if assembler.isOver { throw .cancelled }
    self.context = context
    let metadata = try page.picture.readMetadata()
    self.metadata = metadata
    run.add(metadata.losses.filter(\.changesColours), of: page.picture)
    let codec = assembler.tools.pageCodec
    let format = facts.isLossless ? node.layout.format : codec.encodedLayout(for: node.layout).format
    let target = node.layout.with(format: format)
    self.target = target
    conversion = try FormatConversion(
      from: node.layout.format, to: format, showing: assembler.background(of: page), on: metadata.iccProfile, context)
    let keepsAll = assembler.verifies && !facts.isLossless
    if keepsAll {
      rows = PixelBuffer(target)
    } else if node.layout.format != format {
      rows = PixelBuffer(target.with(width: target.width, height: min(16, target.height)))
    }
    if assembler.verifies { fingerprint = PixelFingerprint.Accumulator(target) }
    if facts.isLossless {
      preparer = LosslessPreparer(
        LosslessEncoder(target, iccProfile: metadata.iccProfile, context: context),
        DocumentSettings(assembler.arguments, creationTime: nil))
      encoder = preparer
    } else {
      var metadata = metadata
      (metadata.exifBlock, metadata.xmp, metadata.iptc) = ([], [], [])
      // A tenth of a byte per sample is typical; the sink grows if it needs more.
      let sink = PooledSink(reserving: max(16 << 10, target.byteCount / 10))
      self.sink = sink
      encoder = try codec.makeEncoder(
        to: sink, layout: target, metadata: metadata,
        arguments: assembler.tools.pageArguments(assembler.quality, assembler.subsampling), context: context)
    }
  }

  func write(_ count: Int, from source: UnsafeRawPointer, stride: Int) throws(PictureError) {
    guard let conversion else { return }
    guard let rows else {
      fingerprint?.add(count, from: source, stride: stride)
      try encoder?.write(count, from: source, stride: stride)
      return
    }
    let keepsAll = rows.layout.height == target!.height
    var row = 0
    while row < count {
      let part = keepsAll ? count : min(rows.layout.height, count - row)
      let base = rows.row(keepsAll ? nextRow : 0)
      for y in 0..<part {
        let pixels = source + (row + y) * stride
        if !isTransparent { isTransparent = removesAlpha(of: pixels, conversion) }
        conversion.convert(pixels, to: base + y * rows.stride, width: target!.width)
      }
      fingerprint?.add(part, from: base, stride: rows.stride)
      try encoder?.write(part, from: base, stride: rows.stride)
      row += part
      nextRow += part
    }
  }

  private func removesAlpha(of row: UnsafeRawPointer, _ conversion: FormatConversion) -> Bool {
    !conversion.target.hasAlpha && !conversion.source.isOpaque(row, width: target!.width)
  }

  func finish() throws(PictureError) {
    try encoder?.finish()
    let content: EncodedPicture.Content
    if let preparer {
      content = .compressed(preparer.picture)
    } else {
      let bytes = sink!.bytes
      content = .encoded(bytes, bytes.withUnsafeBytes { SHA256.digest(of: $0) })
    }
    let intended = try self.intended()
    let isCut = page.copiesSource == nil && assembler.cut(of: page)?.changesPixels(ofFile: false) ?? false
    var focus: CropFocus?
    if !isCut, let context { focus = try FocusFinder(page, of: assembler, run.environment)?.focus(context) }
    deliver(
      EncodedPicture(
        content: content, place: Int(facts.place), origin: page.picture.origin?.path, index: page.index,
        metadata: metadata, texts: facts.texts, intended: intended,
        sources: try assembler.sources(of: page.picture, run.options.records), isFlattened: isTransparent,
        isCut: isCut, focus: focus))
  }

  /// Returns the record for the verifier; nil if the book is not verified. A lossily encoded picture is decoded and
  /// compared with the original pixels.
  private func intended() throws(PictureError) -> IntendedPixels? {
    guard let print = fingerprint?.finish() else { return nil }
    guard let sink, let rows else { return IntendedPixels(fingerprint: print, encodedPSNR: .infinity) }
    let decoded = try assembler.tools.decodePage(sink.bytes)
    return IntendedPixels(fingerprint: print, encodedPSNR: try rows.psnr(of: decoded))
  }

  func deliverSource(keepsBytes: Bool, _ context: OperationContext?) -> Bool {
    guard let source = page.copiesSource else {
      preconditionFailure("a page that is not a file's own bytes was handed in as one")
    }
    do throws(PictureError) {
      if job.cancellation.isCancelled { throw .cancelled }
      let (header, file) = try run.scheduler.seldomBlocking { () throws(PictureError) in
        try source.openWithHeader()
      }
      run.add(header.metadata.losses.filter(\.changesColours), of: page.picture)
      if case .text(let chunks)? = header.details["ignored"] {
        note("chunks with a wrong checksum are ignored (\(chunks)); every pixel is there", of: source)
      }
      let content: EncodedPicture.Content
      var addition: String?
      var whole: SHA256Digest?
      if header.stored == nil {
        // Computing the digest takes longest, so all workers do it here, in parallel, instead of the one worker that
        // writes.
        do throws(PictureError) {
          (content, addition, whole) = try BookFormat.take(file, header, keepsBytes: keepsBytes)
        } catch .codec(.truncated) {
          // Perhaps only the end of the data is missing, which only a decoder can find out.
          return false
        }
        if let addition { note(addition, of: source) }
      } else {
        guard let stored = try storedContent(source, header, context ?? .serial) else { return false }
        content = stored
      }
      // The book does not store all bytes of lossless files and of files with a `StoredPage`, and it adds bytes to some
      // files. In these cases, the digest of the whole file is computed separately.
      var sources = PictureSources()
      let isLossless = try source.read().codec.isLossless
      if isLossless || header.stored != nil || addition != nil {
        whole = try SHA256.digest(of: file, count: file.byteCount)
        sources.first = whole
      }
      if let whole { run.options.records?.read(source.path, file.version, whole) }
      var focus: CropFocus?
      if let context { focus = try FocusFinder(page, of: assembler, run.environment)?.focus(context) }
      try run.files.checkReadable(page.picture)
      deliver(
        EncodedPicture(
          content: content, place: Int(facts.place), origin: page.picture.origin?.path, index: page.index,
          metadata: header.metadata, texts: facts.texts, intended: nil, sources: sources, focus: focus))
    } catch {
      fail(error, at: nil)
    }
    return true
  }

  /// Returns the `StoredPage` of a file that a PDF cannot contain, such as a TIFF. If the PDF cannot contain the
  /// `StoredPage` either, adds a note and returns nil.
  private func storedContent(_ source: PictureFile, _ header: PictureHeader, _ context: OperationContext)
    throws(PictureError) -> EncodedPicture.Content?
  {
    do throws(PictureError) {
      return try BookFormat.take(
        source.storedPage(context), named: source.path, header, jpeg: assembler.tools.pageCodec)
    } catch .codec(let reason) {
      note("\(reason); the page is encoded again", of: source)
      return nil
    }
  }

  private func note(_ text: String, of source: PictureFile) {
    run.observer(.note(assembler.problem("note: \(text)", about: source.path)))
  }

  private func deliver(_ made: EncodedPicture) {
    assembler.deliver(page.index, .page(made), run)
  }

  func fail(_ error: PictureError, at node: PlanNode?) {
    if error == .cancelled { return assembler.cancel(run) }
    let loss = assembler.loss(of: page.index)
    let origin = page.picture.origin?.path
    var diagnostic: Diagnostic?
    if let node {
      diagnostic = Diagnostic(
        error, at: node,
        of: FailedOutput(
          path: origin ?? assembler.path, picture: page.picture, job: job,
          consequence: loss.consequence, wayOut: loss.wayOut), run)
    } else {
      let unnamed = origin == nil ? page.name + ": " : ""
      diagnostic = assembler.problem(unnamed + loss.message(error.description), about: origin)
      // The file cannot be copied, but decoding could rescue a part of it.
      if error.isDamage { diagnostic?.advice = .acceptDamage }
    }
    if let diagnostic { run.fail(diagnostic) }
    assembler.deliver(page.index, .failed, run)
  }
}

extension PixelBuffer {
  /// Returns the peak signal-to-noise ratio in dB of other rows relative to this picture, over all samples: infinite if
  /// they are equal, 0 if the layouts differ or samples do not have 8 bits.
  func psnr(of source: any RowSource) throws(PictureError) -> Double {
    guard source.layout == layout, layout.format.sample == .u8 else { return 0 }
    let strip = PixelBuffer(layout.with(width: layout.width, height: min(16, layout.height)))
    var sum: UInt64 = 0
    var row = 0
    while row < layout.height {
      let count = min(strip.layout.height, layout.height - row)
      try source.read(count, into: strip.base, stride: strip.stride)
      for y in 0..<count { sum += squaredDifference(self.row(row + y), strip.row(y), layout.rowByteCount) }
      row += count
    }
    guard sum > 0 else { return .infinity }
    let mean = Double(sum) / Double(layout.byteCount)
    return 10 * log10(255 * 255 / mean)
  }
}

/// Compresses a picture losslessly. If its pixels are unsuitable for the document, encoding fails here, which loses
/// only the picture and not the document.
final class LosslessPreparer: PictureEncoder {
  private let encoder: LosslessEncoder
  private let settings: DocumentSettings
  /// Whether the first rows with transparency have been found and checked.
  private var hasMetTransparency = false

  init(_ encoder: LosslessEncoder, _ settings: DocumentSettings) {
    self.encoder = encoder
    self.settings = settings
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try encoder.write(count, from: rows, stride: stride)
    guard !encoder.isOpaque, !hasMetTransparency else { return }
    hasMetTransparency = true
    try check()
  }

  func finish() throws(PictureError) {
    try encoder.finish()
    try check()
  }

  private func check() throws(PictureError) {
    if let problem = settings.problem(with: encoder.picture) { throw .operation(.unsuitable(problem)) }
  }

  /// The compressed picture. Available only after `finish()`.
  var picture: PDFPicture { encoder.picture }
}
