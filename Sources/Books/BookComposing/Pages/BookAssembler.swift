import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Writes the pages of one book in order while later pages are still being made.
///
/// Pages arrive from any worker in any order. The worker that delivers the next page writes it, and all waiting pages
/// that follow it. Only one worker writes at a time, so the writer needs no lock of its own.
final class BookAssembler: Document {
  enum Arrival: Sendable {
    case page(EncodedPicture)
    /// The page could not be made; the failure has been reported.
    case failed
    /// Another shard makes the page.
    case elsewhere
    /// The page is copied from an earlier book.
    ///
    /// - Parameter changed: the page's picture, if the metadata of its source files have changed; nil otherwise.
    case earlier(EarlierPages.Place, origin: String?, changed: Picture?)

    /// The number of bytes that the arrival occupies in memory.
    var byteCount: Int { if case .page(let page) = self { page.byteCount } else { 0 } }
  }

  struct State {
    var waiting: [Int: Arrival] = [:]
    /// The number of pages that wait to be written.
    var waitingPages = 0
    var next = 0
    var written = 0
    /// The indices of the first missing pictures, from 0.
    var missing: [Int] = []
    var isWriting = false
    var isStarted = false
    /// Whether a page was cancelled, so that the book ends as soon as no worker writes.
    var isCancelled = false
    var isOver = false
    var writer: UncheckedWriter?
    var isClosed: Bool { isOver || isCancelled }
  }

  /// The writer and its file.
  ///
  /// `@unchecked Sendable`: only the worker that has set `State.isWriting` uses it, so one thread at a time.
  struct UncheckedWriter: @unchecked Sendable {
    let file: OutputFile
    let writer: any PageWriter
  }

  struct Book: Sendable {
    let path: String
    /// The path of the book, with links resolved.
    let place: InternedPath
    /// The file name with the file's digest; nil if `place` has the final name.
    let hashed: HashedName?
    /// The path that identifies the book for shards.
    let key: String
    let pictureCount: Int
    /// The plan; nil if no picture can be in the book.
    let plan: BookPlan?
    let arguments: Arguments
    /// The options as given in the script.
    let options: RawArguments
    /// Whether the book is written without pages that cannot be made.
    let skipsFailedPages: Bool
    let job: Job
    let position: ScriptPosition?
  }

  /// The facts about a picture that are known before the picture is made.
  struct Page: Sendable {
    let texts: PageTexts
    /// The index of the picture in the plan.
    let place: Int32
    /// Whether the picture is stored losslessly if it is encoded.
    let isLossless: Bool
  }

  let book: Book
  /// The pages by their pictures' indices; nil for those that cannot be made. Empty for a book created from its record.
  let pages: [Page?]
  /// The outputs of a dry run that keeps its plan; otherwise empty. Set once, before other threads see the book.
  nonisolated(unsafe) var outputs: [DocumentEntry] = []
  /// The indices of pictures that cannot be made according to headers or options. Set before other threads see the
  /// book.
  private(set) nonisolated(unsafe) var excluded: Set<Int> = []
  let tools: BookTools
  let digests: SourceDigests
  let state = Monitor(State())
  /// The pages to be copied from earlier books; nil if there are none. Set before `start`.
  nonisolated(unsafe) var earlier: EarlierPages?
  /// The readers of the books in `earlier`, which are opened when they are first needed. Only the worker that has set
  /// `State.isWriting` uses them.
  nonisolated(unsafe) var earlierReaders: [Int: PageIndexReader] = [:]
  let outputIndex: Int

  init(_ book: Book, pages: [Page?], _ sink: BookSink) {
    self.book = book
    self.pages = pages
    tools = sink.tools
    digests = sink.digests
    background = BookFormat.background(book.arguments)
    intent = Self.intent(of: book.arguments)
    outputIndex = book.job.addOutput(book.path, key: book.hashed == nil ? nil : book.key)
  }

  var path: String { book.path }
  var arguments: Arguments { book.arguments }
  var job: Job { book.job }
  var position: ScriptPosition? { book.position }
  var pictureCount: Int { book.pictureCount }
  var plan: BookPlan? { book.plan }

  /// Returns the facts about a picture that can be made.
  func page(_ output: DocumentEntry) -> Page {
    guard let page = pages[output.index] else {
      preconditionFailure("a picture that cannot be made has an output")
    }
    return page
  }

  /// Returns how a picture is scaled or cropped for its page; nil if the plan alone determines the part that is shown.
  func cut(of output: DocumentEntry) -> BookCut? { plan?.cut(ofPicture: Int(page(output).place)) }

  var verifies: Bool { arguments.boolean("verify") }
  var quality: Int { arguments.integer("quality") }
  var subsampling: String { arguments.text("subsampling") }
  let intent: String
  /// The colour behind transparent pictures whose transparency is not stored, unless their page has its own colour.
  private let background: Colour

  func background(of output: DocumentEntry) -> Colour {
    plan?.background(ofPicture: Int(page(output).place)) ?? background
  }

  /// The word for a picture in messages: `page`, or `picture` if pages may have several.
  var unit: String { plan?.isOnePicturePerPage ?? true ? "page" : "picture" }
  func loss(of index: Int) -> PageLoss {
    PageLoss(
      of: index, isOnePicturePerPage: plan?.isOnePicturePerPage ?? true, book: path,
      goesOn: book.skipsFailedPages, isPlanned: true)
  }
  /// Whether nothing more will be written: the book is done, failed or cancelled.
  var isOver: Bool { state.withLock { $0.isClosed } }

  func title(of page: DocumentEntry) -> String { "\(printable(path)) \(unit) \(page.index + 1)" }

  func makeOutput(_ page: DocumentEntry, _ run: RunProgress) -> any DocumentOutput { PageEncoder(page, of: self, run) }

  func byteCount(of page: DocumentEntry, _ layout: PictureLayout, parallelism: Int) -> Int {
    let isLossless = self.page(page).isLossless
    // Lossless compression does not reduce the size of some pictures at all, such as noise.
    return layout.byteCount / (isLossless ? 1 : 3) + (verifies && !isLossless ? PixelBuffer.byteCount(layout) : 0)
  }

  func searchByteCount(of page: DocumentEntry, _ environment: Environment) -> Int {
    let header = page.copiesSource.flatMap { try? $0.read().header }
    let taking = header?.stored == nil ? 0 : header?.decoderByteCount ?? 0
    return max(taking, FocusFinder(page, of: self, environment)?.byteCount ?? 0)
  }

  func backpressure(on page: DocumentEntry, workers: Int) -> Backpressure? {
    state.withLock { state in
      state.isClosed
        ? nil
        : Backpressure(
          distance: page.index - state.next, waiting: state.waitingPages,
          isWriting: state.isWriting, workers: workers)
    }
  }

  /// Marks a page that cannot be made. Called before the book is started or merged.
  func excludeBeforeStart(_ index: Int) {
    excluded.insert(index)
    state.withLock { $0.waiting[index] = .failed }
  }

  /// Starts writing, or ends a book without a plan. Called once, before the first page is submitted.
  func start(_ run: RunProgress) {
    if let store = run.options.part.store { record(in: store) }
    guard plan != nil else { return end(run, failure: problem(Self.nothingMade(unit))) }
    state.withLock { $0.isStarted = true }
    advance(run)
  }

  /// Returns the writer. It is created for the first page, because each open file takes a descriptor, and only a few of
  /// a thousand books are written at a time. Nil if the book is over, or fails because its writer cannot be created.
  /// Called by the one worker that has set `isWriting`.
  func openedWriter(_ run: RunProgress) -> UncheckedWriter? {
    if let writer = state.withLock({ $0.writer }) { return writer }
    do throws(PictureError) {
      guard let plan else { preconditionFailure("a book without a plan is never started") }
      let opened: UncheckedWriter
      let records = QPDFPass(arguments).isNeeded ? nil : run.options.records
      if let store = run.options.part.store {
        let pack = store.pack(of: book.key)
        let file = try OutputFile(path: pack)
        file.removeWorldWrite()
        let index = records?.pageJournal(of: pack, for: file).map(PageIndexWriter.init)
        opened = UncheckedWriter(file: file, writer: try PagePackWriter(file, plan, index: index))
      } else {
        let file = try OutputFile(path: path, place: book.place, hashed: book.hashed, scheduler: run.scheduler)
        let index = records?.pageJournal(of: book.key, for: file).map(PageIndexWriter.init)
        let writer = try tools.makeWriter(file, plan, arguments, index)
        opened = UncheckedWriter(file: file, writer: writer)
      }
      let isOver = state.withLock { state in
        if !state.isOver { state.writer = opened }
        return state.isOver
      }
      if isOver { opened.file.discard() }
      return isOver ? nil : opened
    } catch {
      end(run, error)
      return nil
    }
  }

  /// Delivers a page, or the information that it cannot be made.
  ///
  /// The memory of a page counts until the page is written, so that a slow page delays the making of later pages
  /// instead of letting them accumulate.
  func deliver(_ index: Int, _ arrival: Arrival, _ run: RunProgress) {
    let isTaken = state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting[index] = arrival
      if case .page = arrival { state.waitingPages += 1 }
      run.scheduler.hold(arrival.byteCount)
      return true
    }
    if isTaken { advance(run) }
  }

  /// Writes all pages whose turn it is, unless another worker is writing.
  func advance(_ run: RunProgress) {
    while true {
      let step = state.withLock { state -> (Int, Arrival?)? in
        guard !state.isClosed, !state.isWriting, state.isStarted else { return nil }
        if state.next == pictureCount {
          state.isWriting = true
          return (pictureCount, nil)
        }
        guard let arrival = state.waiting.removeValue(forKey: state.next) else { return nil }
        state.next += 1
        if case .page = arrival { state.waitingPages -= 1 }
        state.isWriting = true
        return (state.next - 1, arrival)
      }
      guard let (index, arrival) = step else { return }
      if isLeft(arrival, of: index, run) {
        if arrival == nil { return }
      } else if let writer = openedWriter(run) {
        guard let arrival else { return finish(writer, run) }
        write(arrival, of: index, writer, run)
        // Before waiting, the finished pages are written to the file, so that a later run can reuse them if this run is
        // killed.
        let waits = state.withLock { !$0.isOver && $0.next < pictureCount && $0.waiting[$0.next] == nil }
        if waits { writeOut(writer, run) }
      }
      run.scheduler.letGo(arrival?.byteCount ?? 0)
      state.withLock { $0.isWriting = false }
      if state.withLock({ $0.isCancelled }) { return end(run, failure: nil) }
    }
  }

  /// Abandons the book because a page was cancelled. If a worker is writing another page, that worker ends the book
  /// afterwards, because it uses the file until then.
  func cancel(_ run: RunProgress) {
    state.withLock { $0.isCancelled = true }
    if !state.withLock({ $0.isWriting }) { end(run, failure: nil) }
  }

  func write(_ arrival: Arrival, of index: Int, _ writer: UncheckedWriter, _ run: RunProgress) {
    if job.cancellation.isCancelled { return end(run, failure: nil) }
    var arrival = arrival
    if case .earlier(let place, let origin, let changed) = arrival {
      do throws(PictureError) {
        arrival = .page(try earlierPage(place, origin, changed, as: index, run.options.records))
      } catch {
        return end(run, error)
      }
    }
    guard case .page(let page) = arrival else {
      do throws(PictureError) {
        try writer.writer.leaveOut(index)
      } catch {
        return end(run, error)
      }
      return leaveOut(index, run)
    }
    do throws(BookFailure) {
      try run.recorder.span("write page") { () throws(BookFailure) in
        try run.scheduler.seldomBlocking { () throws(BookFailure) in
          try writer.writer.add(page)
        }
      }
      state.withLock { $0.written += 1 }
    } catch {
      switch error {
      case .document(let error): end(run, error)
      case .picture(let error):
        if error != .cancelled {
          var problem = problem(loss(of: index).message(error.description), about: page.path)
          // The file cannot be copied, but a decoder could read a part of it.
          if error.isDamage { problem.advice = .acceptDamage }
          run.fail(problem)
        }
        leaveOut(index, run)
      }
    }
  }

  /// Leaves out a page or a picture (see `unit`) after its reported failure, or ends the book.
  private func leaveOut(_ index: Int, _ run: RunProgress) {
    state.withLock { if $0.missing.count <= Self.namedMissing { $0.missing.append(index) } }
    if !book.skipsFailedPages {
      end(run, failure: problem("not written, because one of its \(unit)s could not be made"))
    }
  }

  func finish(_ writer: UncheckedWriter, _ run: RunProgress) {
    if let store = run.options.part.store { return finishPack(writer, store, run) }
    let written = state.withLock { $0.written }
    guard written > 0 else { return end(run, failure: problem(Self.nothingMade(unit))) }
    do throws(PictureError) {
      let summary = try run.recorder.span("finish book") { () throws(PictureError) in
        let summary = try writer.writer.finish()
        try writer.file.commit(run.files)
        return summary
      }
      state.withLock { $0.isOver = true }
      for note in summary.notes { run.observer(.note(problem("note: \(note)"))) }
      let missing = pictureCount - written
      let failure =
        missing > 0
        ? problem(
          "written without \(missing) of its \(pictureCount) \(unit)s"
            + Self.numbers(state.withLock { $0.missing })) : nil
      settle(writer.file, summary, failure: failure, run)
    } catch {
      end(run, error)
    }
  }

  private func writeOut(_ writer: UncheckedWriter, _ run: RunProgress) {
    do throws(PictureError) {
      try run.scheduler.seldomBlocking { () throws(PictureError) in try writer.writer.writeOut() }
    } catch {
      end(run, error)
    }
  }

  private func end(_ run: RunProgress, _ error: PictureError) {
    // If the disk is full, the finished pages must not stay on it for a later run.
    if case .file(let file) = error, file.action == .write { state.withLock { $0.writer }?.writer.discardPages() }
    end(run, failure: diagnostic(error))
  }

  /// Abandons the book: removes the file and settles the job. Called by the worker that writes, or while none writes.
  func end(_ run: RunProgress, failure: Diagnostic?) {
    let writer = state.withLock { state -> UncheckedWriter?? in
      guard !state.isOver else { return nil }
      state.isOver = true
      run.scheduler.letGo(state.waiting.values.reduce(0) { $0 + $1.byteCount })
      state.waiting = [:]
      defer { state.writer = nil }
      return .some(state.writer)
    }
    guard let writer else { return }
    // A later run can reuse the finished pages.
    try? writer?.writer.writeOut()
    writer?.file.discard()
    run.outputEnded(job, outputIndex, byteCount: nil, failure: failure, path: path)
  }

  /// The maximum number of missing pages that a message names.
  private static let namedMissing = 10

  private static func numbers(_ missing: [Int]) -> String {
    let named = missing.prefix(namedMissing).map { "\($0 + 1)" }.joined(separator: ", ")
    return " (\(named)\(missing.count > namedMissing ? ", …" : ""))"
  }

  static func nothingMade(_ unit: String) -> String { "not written, because none of its \(unit)s could be made" }

  func diagnostic(_ error: PictureError) -> Diagnostic? {
    error == .cancelled ? nil : problem(error.description, isRefusal: error.isRefusal)
  }

  /// - Parameter file: the affected file; nil for the book.
  func problem(_ message: String, about file: String? = nil, isRefusal: Bool = false) -> Diagnostic {
    Diagnostic(.output, at: position, subject: "book", file: file ?? path, message: message, isRefusal: isRefusal)
  }
}
