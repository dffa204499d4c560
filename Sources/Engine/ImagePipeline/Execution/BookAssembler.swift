import ImageCore
import Scheduling

/// Puts the pages of one book in order and into its file while later pages are still being made.
///
/// Pages arrive from any worker in any order; whoever brings the page that is next writes it and all
/// that wait behind it, one worker at a time, so that the writer needs no lock of its own.
final class BookAssembler: Sendable {
  enum Arrival: Sendable {
    case page(BookPage)
    /// The page could not be made; the failure is reported.
    case failed

    /// Memory that it holds.
    var byteCount: Int { if case .page(let page) = self { page.byteCount } else { 0 } }
  }

  private struct State {
    var waiting: [Int: Arrival] = [:]
    /// How many of them are pages.
    var waitingPages = 0
    var next = 0
    var written = 0
    /// Pictures that are not there, from 0; the first of them.
    var missing: [Int] = []
    var isWriting = false
    var isStarted = false
    var isOver = false
    var writer: UncheckedWriter?
  }

  /// The writer and its file, used by the one worker that has set `isWriting`.
  private struct UncheckedWriter: @unchecked Sendable {
    // Only touched between setting and clearing `State.isWriting`, hence by one thread at a time.
    let file: OutputFile
    let writer: any BookWriter
  }

  let path: String
  /// Where it will lie, links followed.
  private let place: SplitPath
  /// One after another into the book.
  let pictureCount: Int
  /// Nil where none of its pictures can be read.
  let plan: (any BookPlan)?
  let arguments: Arguments
  let job: Job
  let position: ScriptPosition?
  /// Whether a book goes on without pages that cannot be made.
  let skipsFailedPages: Bool
  private let environment: Environment
  private let state = Monitor(State())
  private let outputIndex: Int

  init(
    path: String, place: SplitPath, pictureCount: Int, plan: (any BookPlan)?,
    arguments: Arguments, skipsFailedPages: Bool, environment: Environment, sink: Sink
  ) {
    self.path = path
    self.place = place
    self.pictureCount = pictureCount
    self.plan = plan
    self.arguments = arguments
    self.skipsFailedPages = skipsFailedPages
    self.environment = environment
    background = environment.book.background(arguments)
    job = sink.job
    position = sink.position
    outputIndex = sink.job.addOutput(SplitPath(path))
  }

  var verifies: Bool { arguments.boolean("verify") }
  var quality: Int { arguments.integer("quality") }
  var subsampling: String { arguments.text("subsampling") }
  /// What shows through pictures whose transparency is not stored.
  let background: Colour
  /// What a picture of it is called in messages.
  var unit: String { plan?.isOnePicturePerPage ?? true ? "page" : "picture" }
  /// What becomes of a page, by its picture's place among those that were given.
  func loss(of index: Int) -> PageLoss {
    PageLoss(
      of: index, isOnePicturePerPage: plan?.isOnePicturePerPage ?? true, book: path,
      goesOn: skipsFailedPages, isPlanned: true)
  }
  /// Whether nothing more will be written: the book is done, failed or cancelled.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// What a page meets that is handed in now.
  enum Crowd {
    /// Another worker is writing and has more to do than it need wait for: better wait a moment.
    case isWritten
    /// As many wait for a page before them, which takes long: better wait, but not for ever.
    case isHeldUp
    /// Waiting does not help, as many pages before it are not there: it keeps nothing in memory.
    case isFarAhead

    /// Nil for the page that is next, and while no more wait than workers that take turns leave behind.
    ///
    /// - Parameters:
    ///   - distance: pages from the next one to it.
    ///   - waiting: pages that wait for others before them.
    init?(distance: Int, waiting: Int, isWriting: Bool, workers: Int) {
      guard distance > 0, waiting >= 8 + 8 * workers else { return nil }
      // Pages of one file may be far apart; those of neighbours never are.
      let isNear = distance <= 64 * workers
      self = !isNear ? .isFarAhead : isWriting ? .isWritten : .isHeldUp
    }
  }

  func crowd(before index: Int, workers: Int) -> Crowd? {
    state.withLock { state in
      state.isOver
        ? nil
        : Crowd(
          distance: index - state.next, waiting: state.waitingPages, isWriting: state.isWriting,
          workers: workers)
    }
  }

  /// Marks a page that cannot be made, while the graph is being checked.
  func excludeBeforeStart(_ index: Int) {
    state.withLock { $0.waiting[index] = .failed }
  }

  /// Called once, before the first page is submitted.
  func start(_ run: RunProgress) {
    guard plan != nil else { return end(run, failure: problem(Self.nothingMade(unit))) }
    state.withLock { $0.isStarted = true }
    advance(run)
  }

  /// The writer, made with the first page that is next: of a thousand books few are written at a time, and each takes
  /// a descriptor. For the one worker that has set `isWriting`; nil, and the book is given up, where there can be none.
  private func openedWriter(_ run: RunProgress) -> UncheckedWriter? {
    if let writer = state.withLock({ $0.writer }) { return writer }
    do throws(PictureError) {
      guard let plan else { preconditionFailure("a book without a plan is never started") }
      let file = try OutputFile(path: path, place: place)
      let writer = UncheckedWriter(
        file: file,
        writer: try environment.book.makeWriter(to: file, plan: plan, arguments: arguments))
      let isOver = state.withLock { state in
        if !state.isOver { state.writer = writer }
        return state.isOver
      }
      if isOver { file.discard() }
      return isOver ? nil : writer
    } catch {
      end(run, failure: diagnostic(error))
      return nil
    }
  }

  /// Hands in a page, or says that there is none.
  ///
  /// Its memory counts until it is written: a page that takes long holds up the making of those after it
  /// rather than let them pile up.
  func deliver(_ index: Int, _ arrival: Arrival, _ run: RunProgress) {
    let isTaken = state.withLock { state in
      guard !state.isOver else { return false }
      state.waiting[index] = arrival
      if case .page = arrival { state.waitingPages += 1 }
      run.scheduler.hold(arrival.byteCount)
      return true
    }
    if isTaken { advance(run) }
  }

  /// Writes every page that is next, unless another worker is at it.
  private func advance(_ run: RunProgress) {
    while true {
      let step = state.withLock { state -> (Int, Arrival?)? in
        guard !state.isOver, !state.isWriting, state.isStarted else { return nil }
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
      if let writer = openedWriter(run) {
        guard let arrival else { return finish(writer, run) }
        write(arrival, of: index, writer, run)
      }
      run.scheduler.letGo(arrival?.byteCount ?? 0)
      state.withLock { $0.isWriting = false }
    }
  }

  private func write(
    _ arrival: Arrival, of index: Int, _ writer: UncheckedWriter, _ run: RunProgress
  ) {
    if job.cancellation.isCancelled { return end(run, failure: nil) }
    guard case .page(let page) = arrival else { return leaveOut(index, run) }
    do throws(BookFailure) {
      try run.recorder.span("write page") { () throws(BookFailure) in
        try run.scheduler.seldomBlocking { () throws(BookFailure) in
          try writer.writer.add(page)
        }
      }
      state.withLock { $0.written += 1 }
    } catch {
      switch error {
      case .document(let error): end(run, failure: diagnostic(error))
      case .picture(let error):
        if error != .cancelled {
          run.fail(problem(loss(of: index).message(error.description, error), about: page.path))
        }
        leaveOut(index, run)
      }
    }
  }

  /// Goes on without a page, whose own message has been given, or ends the book.
  private func leaveOut(_ index: Int, _ run: RunProgress) {
    state.withLock { if $0.missing.count <= Self.namedMissing { $0.missing.append(index) } }
    if !skipsFailedPages {
      end(run, failure: problem("not written, because a \(unit) of it could not be made"))
    }
  }

  private func finish(_ writer: UncheckedWriter, _ run: RunProgress) {
    let written = state.withLock { $0.written }
    guard written > 0 else {
      return end(run, failure: problem(Self.nothingMade(unit)))
    }
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
      run.bookWritten(self, writer.file, summary, failure: failure, outputIndex: outputIndex)
    } catch {
      end(run, failure: diagnostic(error))
    }
  }

  /// Gives the book up: removes the file and settles the job.
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
    writer?.file.discard()
    run.outputEnded(job, outputIndex, byteCount: nil, failure: failure, path: path)
  }

  /// How many of those that are left out are named.
  private static let namedMissing = 10

  /// Which they are, as far as they are named.
  private static func numbers(_ missing: [Int]) -> String {
    let named = missing.prefix(namedMissing).map { "\($0 + 1)" }.joined(separator: ", ")
    return " (\(named)\(missing.count > namedMissing ? ", …" : ""))"
  }

  private static func nothingMade(_ unit: String) -> String {
    "not written, because none of its \(unit)s could be made"
  }

  private func diagnostic(_ error: PictureError) -> Diagnostic? {
    error == .cancelled ? nil : problem(error.description)
  }

  /// - Parameter file: which it is about; if nothing is said the book.
  private func problem(_ message: String, about file: String? = nil) -> Diagnostic {
    Diagnostic(.output, at: position, subject: "book", file: file ?? path, message: message)
  }
}
