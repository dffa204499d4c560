import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Scheduling

/// The amount of output that a run prints, in ascending order.
package enum Verbosity: Int, Comparable, Sendable {
  /// Only the cause of an interruption.
  case silent
  /// Mistakes, failures and lines that the script prints.
  case quiet
  /// The output of `quiet`, notes, and a summary.
  case normal
  /// The output of `normal`, and a line for each output.
  case verbose

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Reports a run to a person, or as JSON to a program. Safe to use from any thread.
package final class RunReporter: RunObserver {
  struct State {
    var pictures = 0
    var picturesDone = 0
    var counts = Run.Totals()
    /// The range of qualities that `save` chose for a given file size or similarity; nil if none was given.
    var qualities: ClosedRange<Int>?
    var cancelled: [CancellationReason: Int] = [:]
    var startedAt = monotonicSeconds()
    var verified: [(String, VerificationOutcome)] = []
    var lastShown = 0.0
    var repetitions = RepeatedFailures()
    var hasPluginMessages = false
  }

  let asJSON: Bool
  let showsProgress: Bool
  let printsPlan: Bool
  let verbosity: Verbosity
  private let passesPrintedLines: Bool
  private let words: @Sendable (Diagnostic) -> String
  /// The exit status after mistakes in the script.
  package let mistakeStatus: ExitStatus
  let state = Monitor(State())

  /// - Parameters:
  ///   - passesPrintedLines: whether lines that the script prints are shown.
  ///   - words: returns the text of a message. For a script that the user did not write, the text must not mention its
  ///     lines.
  package init(
    asJSON: Bool, showsProgress: Bool, printsPlan: Bool = true, passesPrintedLines: Bool = true,
    verbosity: Verbosity = .normal, mistakeStatus: ExitStatus = .scriptFailed,
    words: @escaping @Sendable (Diagnostic) -> String = { $0.text }
  ) {
    self.passesPrintedLines = passesPrintedLines && verbosity > .silent
    self.verbosity = verbosity
    self.words = words
    self.mistakeStatus = mistakeStatus
    self.asJSON = asJSON
    self.showsProgress = showsProgress
    self.printsPlan = printsPlan
  }

  /// Reports a line that the script printed.
  package func printed(_ text: String, outputTakesLines: Bool) {
    guard passesPrintedLines else { return }
    if asJSON {
      RunEvents.emit("print", [("text", .text(text))])
    } else if outputTakesLines {
      Terminal.output(text)
    } else {
      Terminal.error(text)
    }
  }

  package func observe(_ event: RunEvent) {
    count(event)
    if verbosity == .silent { return }
    if asJSON { return RunEvents.emit(event) }
    switch event {
    case .failed(let diagnostic):
      let isNew = state.withLock { $0.repetitions.isNew(diagnostic) }
      if isNew { Terminal.error(text(of: diagnostic), .failure) }
    case .note(let diagnostic):
      if verbosity > .quiet { Terminal.error(text(of: diagnostic), .note) }
    case .kept(let path, let byteCount):
      if verbosity > .normal { Terminal.error("\(printable(path)): kept, \(SummaryLine.size(byteCount))") }
    case .wrote(let path, let byteCount, let layout, let quality):
      if verbosity > .normal { Terminal.error(WrittenLine.text(path, byteCount, layout, quality: quality)) }
    case .verified(let path, let outcome):
      for finding in outcome.lines(about: path) { Terminal.error("  " + printable(finding)) }
    default: break
    }
    if showsProgress { showProgress() }
  }

  /// Reports a plugin's message. A plugin's progress within one picture is not shown.
  package func observe(_ event: PluginEvent) {
    guard case .log(let plugin, let isWarning, let text) = event else { return }
    state.withLock { $0.hasPluginMessages = true }
    guard verbosity > .silent else { return }
    if asJSON { return RunEvents.emitPluginLog(plugin, isWarning: isWarning, text) }
    guard isWarning || verbosity > .quiet else { return }
    Terminal.error("plugin '\(printable(plugin))': \(isWarning ? "warning: " : "")\(printable(text))")
  }

  /// Whether a plugin has sent a message, even if it was not shown.
  package var hasPluginMessages: Bool { state.withLock { $0.hasPluginMessages } }

  private func count(_ event: RunEvent) {
    state.withLock { state in
      switch event {
      case .started(let pictures): state.pictures += pictures
      case .pictureDone: state.picturesDone += 1
      case .verified(let path, let outcome): state.verified.append((path, outcome))
      case .wrote(_, let byteCount, _, let quality):
        state.counts.written += 1
        state.counts.byteCount.addClamping(byteCount)
        if let quality {
          let known = state.qualities ?? quality...quality
          state.qualities = min(known.lowerBound, quality)...max(known.upperBound, quality)
        }
      case .kept: state.counts.kept += 1
      case .failed: state.counts.failed += 1
      case .cancelled(_, let reason): state.cancelled[reason, default: 0] += 1
      case .note: break
      }
    }
  }

  /// Shows the number of finished pictures, the rate, and the remaining time, at most 20 times a second and after the
  /// last picture.
  private func showProgress() {
    let line = state.withLock { state -> String? in
      let now = monotonicSeconds()
      guard now - state.lastShown > 0.05 || state.picturesDone == state.pictures else { return nil }
      state.lastShown = now
      return ProgressLine.text(
        done: state.picturesDone, of: state.pictures, seconds: now - state.startedAt,
        width: Terminal.width)
    }
    if let line { Terminal.progress(line) }
  }

  /// Reports why an output is made.
  ///
  /// - Parameter reason: nil for an output that is kept.
  package func explain(_ path: String, _ reason: String?, isDryRun: Bool) {
    guard verbosity > .quiet || isDryRun else { return }
    if asJSON {
      RunEvents.emit(
        "explained", [("path", .text(path)), ("due", .boolean(reason != nil)), ("reason", .optional(reason))])
    } else {
      let text = printable(path) + ": " + printable(reason ?? "kept")
      if isDryRun { Terminal.output(text) } else { Terminal.error(text) }
    }
  }

  func note(_ text: String) {
    if verbosity == .silent { return }
    if asJSON {
      RunEvents.emit("note", [("text", .text(text))])
    } else if verbosity > .quiet {
      Terminal.error("imghost: note: " + text, .note)
    }
  }

  func report(_ diagnostic: Diagnostic) {
    if verbosity == .silent { return }
    if asJSON {
      RunEvents.emit(.failed(diagnostic))
    } else {
      Terminal.error(text(of: diagnostic), .failure)
    }
  }

  func text(of diagnostic: Diagnostic) -> String { words(diagnostic) }
}

extension RunReporter {
  /// Prints the remaining messages and the summary.
  package func finish(_ outcome: RunOutcome) {
    if showsProgress { Terminal.progress("") }
    let run = outcome.run
    for line in state.withLock({ $0.repetitions.lines }) { Terminal.error(text(of: line), .failure) }
    reportMistakes(of: run)
    if let failure = outcome.failure { report(failure) }
    tellUnreadable(run)
    for note in outcome.notes where !outcome.stopped { self.note(note) }
    if run.options.isDryRun, asJSON {
      for setting in run.graph.settings.declared { RunEvents.emit("setting", setting.json) }
    }
    if run.options.isDryRun, !outcome.stopped {
      let descriptions = verbosity > .quiet ? run.results.descriptions : []
      for line in descriptions + (printsPlan ? run.results.planLines : []) {
        if asJSON { RunEvents.emit("plan", [("text", .text(line))]) } else { Terminal.output(line) }
      }
    }
    summarise(outcome)
  }

  /// Reports mistakes in the order of their positions. People see only the first ones; programs receive all recorded
  /// ones.
  private func reportMistakes(of run: Run) {
    let (lines, rest) =
      asJSON ? (Diagnostic.byPlace(run.graph.mistakes), 0) : RepeatedMistakes(run.graph.mistakes).lines(most: 50)
    let further = rest + run.graph.furtherMistakes
    lines.forEach(report)
    let atLeast = run.graph.hasTooManyMistakes ? "at least " : ""
    if further > 0 { note("\(atLeast)\(further) more mistake\(further == 1 ? " is" : "s are") not shown") }
    if run.graph.hasTooManyMistakes {
      note("the script was stopped after \(run.graph.countOfScriptMistakes) mistakes, many of them the same")
    }
  }

  /// Reports how many pictures cannot be read, and how to continue without them.
  private func tellUnreadable(_ run: Run) {
    // A run that stopped at a failure did not open all pictures.
    let isWhole = run.options.onError != .stop || run.failures.isEmpty
    let line = UnreadablePictures.line(run.graph.mistakes + run.failures, of: run.graph.sourceCount, isWhole: isWhole) {
      count in
      guard run.options.onError == .stop, !run.graph.mistakes.contains(where: { $0.kind.stopsRun }) else { return nil }
      let rest = count == 1 ? "leave it out" : "leave them out"
      return run.options.isDryRun
        ? "'imghost run --on-error continue' can \(rest)" : "use --on-error continue to \(rest)"
    }
    if let line { summary(line) }
  }

  /// Prints a line at the end that is neither a failure nor a note. In JSON, the line is an event `note`.
  private func summary(_ text: String) {
    if asJSON { return RunEvents.emit("note", [("text", .text(text))]) }
    if verbosity > .silent { Terminal.error("imghost: " + text) }
  }

  /// Returns the totals for programs: outputs that were written or kept, outputs that the script cancelled, and all
  /// others as failed. At least one output counts as failed if the run did not succeed.
  ///
  /// - Parameter end: the reason why the whole run was cancelled; nil if it was not.
  private func reported(_ totals: Run.Totals, requested: Int, end: CancellationReason?, _ status: ExitStatus)
    -> Run.Totals
  {
    var reported = totals
    let cancelled = state.withLock { $0.cancelled }
    reported.cancelled = cancelled.filter { $0.key != end }.values.reduce(0, +)
    let missing = requested - totals.written - totals.kept - reported.cancelled
    reported.failed = max(missing, totals.failed, status == .success ? 0 : 1)
    return reported
  }

  /// Emits the final event of a run that ends early.
  package func cutShort(_ status: ExitStatus, requested: Int, end: CancellationReason?) {
    guard asJSON else { return }
    let (counts, startedAt) = state.withLock { ($0.counts, $0.startedAt) }
    RunEvents.emitEnd(
      reported(counts, requested: requested, end: end, status), status,
      seconds: monotonicSeconds() - startedAt)
  }

  /// Returns the summary line of a shard.
  private static func summary(of shard: ShardIndex, _ run: Run, _ totals: Run.Totals, seconds: Double) -> String {
    if run.hasKeptAll { return "shard \(shard): done by an earlier run; nothing has changed since" }
    let pages = run.options.part.store?.packedPageCount ?? 0
    let packed = pages == 0 ? "" : "\(pages) picture\(pages == 1 ? "" : "s") for books, "
    return "shard \(shard): \(packed)\(SummaryLine.text(totals, seconds: seconds))"
  }

  private func summarise(_ outcome: RunOutcome) {
    let (verified, startedAt, qualities) = state.withLock { ($0.verified, $0.startedAt, $0.qualities) }
    let run = outcome.run
    let totals = run.totals
    let seconds = monotonicSeconds() - startedAt
    if asJSON {
      // A dry run writes none of the requested outputs, and a shard writes only its own part.
      let isPartial = run.options.isDryRun || run.options.part.shard != nil
      let requested = isPartial ? 0 : run.options.requested.value
      return RunEvents.emitEnd(
        reported(totals, requested: requested, end: run.cancellation.reason, outcome.status), outcome.status,
        seconds: seconds)
    }
    if let cause = outcome.interruption { Terminal.error("imghost: " + cause.text, .failure) }
    guard !run.options.isDryRun, verbosity > .quiet else { return }
    for (path, verification) in verified where verification.isVerified {
      Terminal.error("\(printable(path)): \(verification.summary)")
    }
    // If the script failed, its jobs were cancelled because of the failure, which is already reported.
    if outcome.failure == nil { for line in CancelledJobs.lines(run) { Terminal.error(text(of: line)) } }
    if let shard = run.options.part.shard, !outcome.stopped {
      Terminal.error(Self.summary(of: shard, run, totals, seconds: seconds))
    } else if totals.written + totals.kept + totals.failed + totals.cancelled > 0 {
      Terminal.error(SummaryLine.text(totals, qualities: qualities, seconds: seconds))
    } else if !outcome.stopped, !run.results.hasVerified, !run.hasMeasured {
      Terminal.error("imghost: the script writes no output; see 'imghost ops save' and 'imghost ops book'")
    }
  }
}

/// The line about one output: `web/a.jpg: 1600x1067, 210.4 kB, quality 81`.
enum WrittenLine {
  static func text(_ path: String, _ byteCount: Int, _ layout: PictureLayout?, quality: Int?) -> String {
    let facts = [
      layout.map { "\($0.width)x\($0.height)" }, SummaryLine.size(byteCount), quality.map { "quality \($0)" },
    ]
    return printable(path) + ": " + facts.compactMap(\.self).joined(separator: ", ")
  }
}

/// The lines about cancelled jobs at the end of a run.
///
/// `book.lua:7: book 'a.pdf' was cancelled, because the script cancelled it at book.lua:9`
enum CancelledJobs {
  /// The maximum number of jobs that are listed individually; the others are only counted.
  private static let most = 10

  static func lines(_ run: Run) -> [Diagnostic] {
    let cancelled = run.jobs.filter(\.result.isCancelled)
    var lines = cancelled.prefix(most).map(line)
    let more = cancelled.count - most
    if more > 0 {
      lines.append(
        Diagnostic(.output, at: nil, message: "\(more) more job\(more == 1 ? " was" : "s were") cancelled"))
    }
    return lines
  }

  private static func line(_ job: Job) -> Diagnostic {
    let result = job.result
    let missing = result.outputs.filter { $0.byteCount == nil && $0.failure == nil }
    let message = line(
      job.kind.rawValue, at: nil, missing: missing.map(\.path), reason: result.reason.map { "\($0)" })
    return Diagnostic(.output, at: job.position, message: message)
  }

  /// Returns the line about one job.
  ///
  /// - Parameter missing: the paths of the outputs that were not written.
  static func line(_ kind: String, at position: ScriptPosition?, missing: [String], reason: String?) -> String {
    let place = position.map { "\($0.file):\($0.line): " } ?? ""
    let first = missing.first.map { " '\($0)'" } ?? ""
    let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
    let verb = missing.count > 1 ? "were" : "was"
    return "\(place)\(kind)\(first)\(more) \(verb) cancelled" + (reason.map { ", because \($0)" } ?? "")
  }
}

/// The final line about pictures that cannot be read, grouped by reason.
///
/// `3 of 48 pictures cannot be read: unrecognized file format (2), truncated file (1); use --on-error continue to …`
enum UnreadablePictures {
  /// The maximum number of reasons in the line.
  private static let most = 4

  /// Returns the line; nil unless several pictures cannot be read.
  ///
  /// - Parameters:
  ///   - total: the number of picture files that the script opened.
  ///   - isWhole: whether the run tried to read all of these files.
  ///   - advice: returns the end of the line; nil if there is no remedy.
  static func line(
    _ diagnostics: [Diagnostic], of total: Int, isWhole: Bool = true, advice: (_ count: Int) -> String?
  ) -> String? {
    var reasons: [(text: String, count: Int)] = []
    var files: Set<String> = []
    for diagnostic in diagnostics {
      guard let file = diagnostic.file, let text = diagnostic.reason, files.insert(file).inserted else { continue }
      if let index = reasons.firstIndex(where: { $0.text == text }) {
        reasons[index].count += 1
      } else {
        reasons.append((text, 1))
      }
    }
    // A single unreadable picture already has a line of its own.
    guard files.count > 1 else { return nil }
    let sorted = reasons.sorted { $0.count > $1.count }
    let named = sorted.prefix(most).map { reasons.count == 1 ? $0.text : "\($0.text) (\($0.count))" }
    let rest = sorted.dropFirst(most).reduce(0) { $0 + $1.count }
    let others = rest == 0 ? [] : ["other reasons (\(rest))"]
    let count = files.count < total ? "\(files.count) of \(total)" : "\(files.count)"
    let end = files.count < total ? advice(files.count).map { "; " + $0 } ?? "" : ""
    return "\(isWhole || files.count == total ? "" : "at least ")\(count) pictures cannot be read: "
      + printable((named + others).joined(separator: ", ")) + end
  }
}
