import ImageCore
import Platform
import Scheduling

/// One file of several pages or frames. Workers deliver the pages in any order. The worker that delivers the next page
/// of the file encodes this page and the pages that wait behind it.
final class MultipageFile: Document {
  private struct State {
    var waiting: [Int: PixelBuffer] = [:]
    var next = 0
    var isWriting = false
    /// Whether the file is complete, has failed, or was abandoned.
    var isOver = false
    /// The first failure, until it is reported.
    var failure: Failure?
    var writer: Writer?
  }

  private struct Failure {
    let error: PictureError
    let node: PlanNode?
    let page: DocumentEntry
  }

  /// The file and its encoder. Only the worker that has set `isWriting` uses them.
  private struct Writer: @unchecked Sendable {
    let file: OutputFile
    let encoder: any MultipageEncoder
  }

  let job: Job
  private let path: String
  private let place: InternedPath
  private let hashed: HashedName?
  let format: SaveFormat
  /// The layouts of the pages in the file.
  let layouts: [PictureLayout]
  private let delays: [Double]
  private let usualDelays: [Double]
  /// The picture whose metadata, except the profile, is written into the file; nil unless all pages come from one file.
  private let described: Picture?
  /// The ICC profile of all pages, empty for sRGB.
  fileprivate let profile: [UInt8]
  let outputIndex: Int
  /// The earlier file that is copied; nil if the file is made from its pictures. Set before `start`.
  private nonisolated(unsafe) var earlier: EarlierFile?
  private let state = Monitor(State())

  /// - Parameters:
  ///   - hashed: the name that contains the file's digest, and the output's key for shards; nil if `place` is the final
  ///     path.
  ///   - delays: the seconds for which each frame is shown.
  ///   - usualDelays: the delays that apply without the option `delay`.
  init(
    path: String, place: InternedPath, hashed: (name: HashedName, key: String)?, format: SaveFormat,
    layouts: [PictureLayout], delays: [Double], usualDelays: [Double],
    described: Picture?, profile: [UInt8], job: Job
  ) {
    self.described = described
    self.profile = profile
    self.path = path
    self.place = place
    self.hashed = hashed?.name
    self.format = format
    self.layouts = layouts
    self.delays = delays
    self.usualDelays = usualDelays
    self.job = job
    outputIndex = job.addOutput(path, key: hashed?.key)
  }

  var codec: (any PictureCodec)? { format.codec }
  var ignoresMetadata: Bool { format.ignoresMetadata }

  var canCopyEarlierFile: Bool { true }
  func take(_ file: EarlierFile) { earlier = file }

  func start(_ run: RunProgress) {
    guard let earlier else { return }
    do throws(PictureError) {
      let file = try copy(of: earlier, run)
      run.outputEnded(
        job, outputIndex, byteCount: file.byteCount, failure: nil, path: file.path, layout: layouts[0])
    } catch {
      let failure = Diagnostic(
        .output, at: job.position, subject: job.kind.rawValue, file: path,
        message: "'\(printable(earlier.path))' cannot be copied: \(error); run again")
      run.outputEnded(job, outputIndex, byteCount: nil, failure: failure, path: path)
    }
  }

  private func copy(of earlier: EarlierFile, _ run: RunProgress) throws(PictureError) -> OutputFile {
    let changed = PictureError.operation(.unsuitable("it was changed during the run"))
    guard let input = earlier.open() else { throw changed }
    let file = try OutputFile(path: path, place: place, hashed: hashed, scheduler: run.scheduler)
    do throws(PictureError) {
      try file.copy(input)
      guard earlier.isUnchanged(input) else { throw changed }
      try file.commit(run.files)
    } catch {
      file.discard()
      throw error
    }
    return file
  }

  func title(of page: DocumentEntry) -> String {
    "\(printable(path)) \(job.kind == .animation ? "frame" : "page") \(page.index + 1)"
  }

  func makeOutput(_ page: DocumentEntry, _ run: RunProgress) -> any DocumentOutput {
    MultipageFrame(page, of: self, run)
  }

  func byteCount(of page: DocumentEntry, _ layout: PictureLayout, parallelism: Int) -> Int {
    PixelBuffer.byteCount(layouts[page.index])
      + format.codec.encoderByteCount(
        for: layouts[page.index], arguments: format.arguments, parallelism: 1) / max(1, layouts.count)
  }

  func backpressure(on page: DocumentEntry, workers: Int) -> Backpressure? {
    state.withLock { state in
      Backpressure(
        distance: page.index - state.next, waiting: state.waiting.count, isWriting: state.isWriting, workers: workers)
    }
  }

  func leave(_ page: DocumentEntry, _ run: RunProgress) {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isFirst { run.leave(job, outputIndex) }
  }

  /// Takes a page's pixels. Writes all pages that are now next in the file, unless another worker is writing.
  func deliver(_ page: DocumentEntry, _ pixels: PixelBuffer, _ context: OperationContext, _ run: RunProgress) {
    let isFirst = state.withLock { state in
      guard !state.isOver else { return false }
      state.waiting[page.index] = pixels
      guard !state.isWriting else { return false }
      state.isWriting = true
      return true
    }
    guard isFirst else { return }
    while let (index, pixels) = next() {
      do throws(PictureError) {
        try write(index, pixels, context, run)
      } catch {
        note(Failure(error: error, node: nil, page: page))
      }
    }
    end(run)
  }

  private func next() -> (Int, PixelBuffer)? {
    state.withLock { state in
      guard !state.isOver, let pixels = state.waiting.removeValue(forKey: state.next) else {
        state.isWriting = false
        return nil
      }
      state.next += 1
      return (state.next - 1, pixels)
    }
  }

  private func write(_ index: Int, _ pixels: PixelBuffer, _ context: OperationContext, _ run: RunProgress)
    throws(PictureError)
  {
    let writer = if let known = state.withLock({ $0.writer }) { known } else { try start(context, run) }
    var row = 0
    while row < pixels.layout.height {
      let count = min(64, pixels.layout.height - row)
      try writer.encoder.write(count, from: pixels.row(row), stride: pixels.stride)
      row += count
    }
    try writer.encoder.endPage(delay: delays[index])
    guard index == layouts.count - 1 else { return }
    try writer.encoder.finish()
    try writer.file.commit(run.files)
    let isMine = state.withLock { state in
      defer { (state.isOver, state.writer) = (true, nil) }
      return !state.isOver
    }
    guard isMine else { return }
    run.outputEnded(
      job, outputIndex, byteCount: writer.file.byteCount, failure: nil, path: writer.file.path, layout: layouts[0])
  }

  /// Creates the file and its encoder, when the first page is to be written.
  private func start(_ context: OperationContext, _ run: RunProgress) throws(PictureError) -> Writer {
    let file = try OutputFile(path: path, place: place, hashed: hashed, scheduler: run.scheduler)
    var loopCount = format.arguments.optionalInteger("loop")
    if loopCount == nil { loopCount = try usualLoopCount() }
    let request = MultipageRequest(pages: layouts, loopCount: loopCount ?? 0)
    var metadata = try described?.readMetadata() ?? PictureMetadata()
    metadata.iccProfile = profile
    let losses: [MetadataLoss]
    (metadata, losses) = format.codec.writtenMetadata(metadata, for: layouts[0], arguments: format.arguments)
    if let described { run.add(losses, of: described) }
    let encoder = try format.codec.makeEncoder(
      to: file, request, metadata: metadata, arguments: format.arguments, context: context.onOneWorker)
    let writer = Writer(file: file, encoder: encoder)
    state.withLock { $0.writer = writer }
    return writer
  }

  /// Returns how often the animation runs without the option `loop`.
  private func usualLoopCount() throws(PictureError) -> Int { try described?.readLoopCount() ?? 0 }

  var optionsWithoutEffect: Set<String> {
    var names: Set<String> = []
    if format.arguments.has("delay"), delays == usualDelays { names.insert("delay") }
    if let count = format.arguments.optionalInteger("loop"), (try? usualLoopCount()) == count { names.insert("loop") }
    return names
  }

  /// Abandons the file, because one of its pages could not be made.
  func fail(_ error: PictureError, at node: PlanNode?, _ page: DocumentEntry, _ run: RunProgress) {
    note(Failure(error: error, node: node, page: page))
    end(run)
  }

  /// Records the first failure, after which nothing more is written.
  private func note(_ failure: Failure) {
    state.withLock { state in
      guard !state.isOver else { return }
      (state.isOver, state.failure, state.waiting) = (true, failure, [:])
    }
  }

  /// Removes the file after a failure, and reports the failure. Does nothing while a worker is writing a page to the
  /// file; that worker calls this method again after the page.
  private func end(_ run: RunProgress) {
    let (failure, writer) = state.withLock { state -> (Failure?, Writer?) in
      guard !state.isWriting, let failure = state.failure else { return (nil, nil) }
      defer { (state.failure, state.writer) = (nil, nil) }
      return (failure, state.writer)
    }
    guard let failure else { return }
    writer?.file.discard()
    run.outputFailed(job, outputIndex, failure.error, at: failure.node, of: failure.page.picture, path: path)
  }
}

/// Collects the pixels of one page.
private final class MultipageFrame: DocumentOutput {
  private let page: DocumentEntry
  private let file: MultipageFile
  private let run: RunProgress
  private var context = OperationContext.serial
  private var pixels: PixelBuffer?
  private var conversion: FormatConversion?
  private var row = 0
  var job: Job { file.job }
  var traceName: String { "encode " + file.format.codec.name }

  init(_ page: DocumentEntry, of file: MultipageFile, _ run: RunProgress) {
    self.page = page
    self.file = file
    self.run = run
  }

  func start(_ node: PlanNode, _ context: OperationContext) throws(PictureError) {
    let layout = file.layouts[page.index]
    self.context = context
    pixels = PixelBuffer(layout)
    conversion = try FormatConversion(
      from: node.layout.format, to: layout.format, showing: file.format.background, on: file.profile, context)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    guard let pixels, let conversion else { preconditionFailure("rows come after the start") }
    for index in 0..<count {
      conversion.convert(rows + index * stride, to: pixels.row(row + index), width: pixels.layout.width)
    }
    row += count
  }

  func finish() throws(PictureError) {
    guard let pixels else { preconditionFailure("a page ends after its start") }
    file.deliver(page, pixels, context, run)
  }

  func fail(_ error: PictureError, at node: PlanNode?) { file.fail(error, at: node, page, run) }

  func deliverSource(keepsBytes: Bool, _ context: OperationContext?) -> Bool {
    preconditionFailure("no page is a copy of its file")
  }
}
