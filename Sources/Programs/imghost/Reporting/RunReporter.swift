import ImageCore
import ImagePipeline
import PluginHost
import Scheduling

/// How a run came to its end.
struct RunEnding {
  let run: Run
  /// An error of the script itself.
  let failure: Diagnostic?
  /// Whether the script did not come to its end.
  let stopped: Bool
  let interruption: Interruption.Cause?
  /// What is not wrong, but probably a slip.
  let notes: [String]
  /// Whether a drawing of the run could not be written.
  let lacksTraces: Bool
}

/// Tells a person, or a program that reads JSON, what a run does. From any thread.
final class RunReporter: Sendable {
  private struct State {
    var pictures = 0
    var picturesDone = 0
    var counts = Run.Totals()
    /// Outputs that were given up, by why.
    var givenUp: [CancellationReason: Int] = [:]
    var startedAt = monotonicSeconds()
    var verified: [(String, VerificationOutcome)] = []
    var lastShown = 0.0
    var repetitions = RepeatedFailures()
  }

  private let asJSON: Bool
  private let showsProgress: Bool
  private let printsPlan: Bool
  private let hiddenScript: String?
  private let state = Monitor(State())

  /// - Parameter hiddenScript: the name of a script that the user has not written: no places in it are told.
  init(
    asJSON: Bool, showsProgress: Bool, printsPlan: Bool = true, hiddenScript: String? = nil
  ) {
    self.hiddenScript = hiddenScript
    self.asJSON = asJSON
    self.showsProgress = showsProgress
    self.printsPlan = printsPlan
  }

  /// A line that the script printed.
  func printed(_ text: String) {
    if asJSON {
      emit("print", [("text", .text(text))])
    } else {
      Terminal.output(text)
    }
  }

  func observe(_ event: RunEvent) {
    count(event)
    if asJSON { return emit(event) }
    switch event {
    case .failed(let diagnostic):
      let isNew = state.withLock { $0.repetitions.isNew(diagnostic) }
      if isNew { Terminal.error(text(of: diagnostic)) }
    case .note(let diagnostic): Terminal.error(text(of: diagnostic))
    case .verified(_, let outcome):
      for finding in outcome.findings { Terminal.error("  " + printable(finding)) }
    default: break
    }
    if showsProgress { showProgress() }
  }

  /// What a plugin says. Its progress within one picture is not shown.
  func observe(_ event: PluginEvent) {
    guard case .log(let plugin, let isWarning, let text) = event else { return }
    if asJSON {
      emit(
        "plugin_log",
        [("plugin", .text(plugin)), ("warning", .boolean(isWarning)), ("text", .text(text))])
    } else {
      Terminal.error(
        "plugin '\(printable(plugin))': \(isWarning ? "warning: " : "")\(printable(text))")
    }
  }

  private func count(_ event: RunEvent) {
    state.withLock { state in
      switch event {
      case .started(let pictures): state.pictures += pictures
      case .pictureDone: state.picturesDone += 1
      case .verified(let path, let outcome): state.verified.append((path, outcome))
      case .wrote(_, let byteCount, _):
        state.counts.written += 1
        state.counts.byteCount += byteCount
      case .failed: state.counts.failed += 1
      case .cancelled(_, let reason): state.givenUp[reason, default: 0] += 1
      case .note: break
      }
    }
  }

  /// Pictures done, rate, time left; at most 20 times a second.
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

  // MARK: - the end

  /// Prints what is left to say, and decides the exit status.
  func finish(_ ending: RunEnding) -> ExitStatus {
    if showsProgress { Terminal.progress("") }
    let run = ending.run
    for line in state.withLock({ $0.repetitions.lines }) { Terminal.error(text(of: line)) }
    reportMistakes(of: run)
    if let failure = ending.failure { report(failure) }
    for note in ending.notes where !ending.stopped { self.note(note) }
    if run.options.isDryRun, printsPlan, !ending.stopped {
      for line in run.planLines {
        if asJSON { emit("plan", [("text", .text(line))]) } else { Terminal.output(line) }
      }
    }
    let status = Self.status(ending)
    summarise(ending, status)
    return status
  }

  /// Tells mistakes by their places. People read no more than the first; programs get all that were kept.
  private func reportMistakes(of run: Run) {
    let (lines, rest) =
      asJSON
      ? (Diagnostic.byPlace(run.mistakes), 0) : RepeatedMistakes(run.mistakes).lines(most: 50)
    let further = rest + run.furtherMistakes
    lines.forEach(report)
    let atLeast = run.hasTooManyMistakes ? "at least " : ""
    if further > 0 {
      note("\(atLeast)\(further) more mistake\(further == 1 ? " is" : "s are") not shown")
    }
    if run.hasTooManyMistakes {
      note(
        "the script was stopped after \(run.countOfScriptMistakes) mistakes, many of them the same")
    }
  }

  private func note(_ text: String) {
    if asJSON {
      emit("note", [("text", .text(text))])
    } else {
      Terminal.error("imghost: note: " + text)
    }
  }

  private func report(_ diagnostic: Diagnostic) {
    if asJSON { emit(.failed(diagnostic)) } else { Terminal.error(text(of: diagnostic)) }
  }

  private func text(of diagnostic: Diagnostic) -> String {
    guard let hiddenScript, diagnostic.position?.file == hiddenScript else {
      return diagnostic.text
    }
    return Diagnostic(
      diagnostic.kind, at: nil, subject: diagnostic.subject, file: diagnostic.file,
      message: diagnostic.message
    ).text
  }

  static func status(_ ending: RunEnding) -> ExitStatus {
    let run = ending.run
    switch ending.interruption {
    case .signal(let number)?: return .interrupted(by: number)
    case .timeout?: return .someFailed
    case nil: break
    }
    if ending.failure != nil || run.mistakes.contains(where: { $0.kind == .script }) {
      return .scriptFailed
    }
    if !run.failures.isEmpty || !run.mistakes.isEmpty || ending.stopped { return .someFailed }
    if !run.unverified.isEmpty { return .notVerified }
    return ending.lacksTraces ? .someFailed : .success
  }

  /// What programs are told: outputs that are written, those that the script itself gave up, and all others as failed,
  /// which are at least 1 where the run is no success.
  ///
  /// - Parameter end: why the whole run was given up, if it was.
  private func told(
    _ totals: Run.Totals, requested: Int, end: CancellationReason?, _ status: ExitStatus
  ) -> Run.Totals {
    var told = totals
    let givenUp = state.withLock { $0.givenUp }
    told.cancelled = givenUp.filter { $0.key != end }.values.reduce(0, +)
    let missing = requested - totals.written - told.cancelled
    told.failed = max(missing, totals.failed, status == .success ? 0 : 1)
    return told
  }

  /// Ends the events of a run that does not stop by itself.
  func cutShort(_ status: ExitStatus, requested: Int, end: CancellationReason?) {
    guard asJSON else { return }
    emitEnd(told(state.withLock { $0.counts }, requested: requested, end: end, status), status)
  }

  private func emitEnd(_ totals: Run.Totals, _ status: ExitStatus) {
    emit(
      "finished",
      [
        ("status", .integer(Int(status.rawValue))), ("written", .integer(totals.written)),
        ("failed", .integer(totals.failed)), ("cancelled", .integer(totals.cancelled)),
        ("bytes", .integer(totals.byteCount)),
        ("seconds", .number(monotonicSeconds() - state.withLock { $0.startedAt })),
      ])
  }

  private func summarise(_ ending: RunEnding, _ status: ExitStatus) {
    let facts = state.withLock { $0 }
    let totals = ending.run.totals
    let seconds = monotonicSeconds() - facts.startedAt
    if asJSON {
      let run = ending.run
      // A dry run asks for nothing that it does not write.
      let requested = run.options.isDryRun ? 0 : run.options.requested.value
      return emitEnd(
        told(totals, requested: requested, end: run.cancellation.reason, status), status)
    }
    if let cause = ending.interruption { Terminal.error("imghost: " + cause.text) }
    guard !ending.run.options.isDryRun else { return }
    for (path, outcome) in facts.verified where outcome.isVerified {
      Terminal.error("\(printable(path)): \(outcome.summary)")
    }
    // Where the script failed, nothing else could follow.
    if ending.failure == nil {
      for line in CancelledJobs.lines(ending.run) { Terminal.error(line) }
    }
    if totals.written + totals.failed + totals.cancelled > 0 {
      Terminal.error(
        SummaryLine.text(
          written: totals.written, bytes: totals.byteCount, failed: totals.failed,
          cancelled: totals.cancelled, seconds: seconds))
    } else if !ending.stopped, !ending.run.hasVerified {
      Terminal.error("imghost: the script asked for no output; see save and book in the README")
    }
  }

  // MARK: - JSON events

  private func emit(_ event: RunEvent) {
    switch event {
    case .started(let pictures): emit("started", [("pictures", .integer(pictures))])
    case .pictureDone: emit("picture_done", [])
    case .wrote(let path, let byteCount, let layout):
      emit(
        "wrote",
        [
          ("path", .text(path)), ("bytes", .integer(byteCount)),
          ("width", .optional(layout?.width)), ("height", .optional(layout?.height)),
        ])
    case .failed(let diagnostic): emit("failed", diagnostic.json)
    case .note(let diagnostic): emit("note", diagnostic.json)
    case .cancelled(let path, let reason):
      emit("cancelled", [("path", .text(path)), ("reason", .text(reason.description))])
    case .verified(let path, let outcome):
      emit(
        "verified",
        [
          ("path", .text(path)), ("ok", .boolean(outcome.isVerified)),
          ("summary", .text(outcome.summary)),
          ("findings", .array(outcome.findings.map { .text($0) })),
        ])
    }
  }

  private func emit(_ event: String, _ fields: [(String, JSON)]) {
    Terminal.output(JSON.object([("event", .text(event))] + fields).line)
  }
}

extension Diagnostic {
  var json: [(String, JSON)] {
    [
      ("kind", .text(kind.rawValue)), ("script", .optional(position?.file)),
      ("line", .optional(position?.line)), ("subject", .optional(subject)),
      ("file", .optional(file)), ("message", .text(message)), ("text", .text(text)),
    ]
  }

  static func byPlace(_ all: [Diagnostic]) -> [Diagnostic] {
    let keyed = all.map { (line: $0.position?.line ?? 0, text: Array($0.text.utf8), $0) }
    return keyed.sorted { left, right in
      left.line == right.line ? naturalOrder(left.text, right.text) : left.line < right.line
    }.map { $0.2 }
  }
}
