import CommandInterface
import ImagePipeline
import Scheduling

extension RunReporter {
  /// Prints the rest of the messages, and returns the exit status.
  package func finish(_ ending: RunEnding) -> ExitStatus {
    if showsProgress { Terminal.progress("") }
    let run = ending.run
    for line in state.withLock({ $0.repetitions.lines }) { Terminal.error(text(of: line), .failure) }
    reportMistakes(of: run)
    if let failure = ending.failure { report(failure) }
    tellUnreadable(run)
    for note in ending.notes where !ending.stopped { self.note(note) }
    if run.options.isDryRun, asJSON {
      for setting in run.settings.declared { RunEvents.emit("setting", setting.json) }
    }
    if run.options.isDryRun, !ending.stopped, verbosity > .quiet {
      for line in run.designLines {
        if asJSON { RunEvents.emit("plan", [("text", .text(line))]) } else { Terminal.output(line) }
      }
    }
    if run.options.isDryRun, printsPlan, !ending.stopped {
      for line in run.planLines {
        if asJSON { RunEvents.emit("plan", [("text", .text(line))]) } else { Terminal.output(line) }
      }
    }
    var status = Self.status(ending)
    if status == .scriptFailed { status = mistakeStatus }
    summarise(ending, status)
    return status
  }

  /// Reports mistakes in the order of their places: the first ones to people, all that were kept to programs.
  private func reportMistakes(of run: Run) {
    let (lines, rest) = asJSON ? (Diagnostic.byPlace(run.mistakes), 0) : RepeatedMistakes(run.mistakes).lines(most: 50)
    let further = rest + run.furtherMistakes
    lines.forEach(report)
    let atLeast = run.hasTooManyMistakes ? "at least " : ""
    if further > 0 { note("\(atLeast)\(further) more mistake\(further == 1 ? " is" : "s are") not shown") }
    if run.hasTooManyMistakes {
      note("the script was stopped after \(run.countOfScriptMistakes) mistakes, many of them the same")
    }
  }

  /// Tells how many pictures cannot be read, and how to go on without them.
  private func tellUnreadable(_ run: Run) {
    let line = UnreadablePictures.line(run.mistakes + run.failures, of: run.sourceCount) { count in
      guard run.options.onError == .stop, !run.mistakes.contains(where: { $0.kind.stopsRun }) else { return nil }
      let rest = count == 1 ? "leave it out" : "leave them out"
      return run.options.isDryRun
        ? "'imghost run --on-error continue' can \(rest)" : "use --on-error continue to \(rest)"
    }
    if let line { summary(line) }
  }

  /// Shows a line at the end that is neither a failure nor a note.
  private func summary(_ text: String) {
    if asJSON { return RunEvents.emit("note", [("text", .text(text))]) }
    if verbosity > .silent { Terminal.error("imghost: " + text) }
  }

  package static func status(_ ending: RunEnding) -> ExitStatus {
    let run = ending.run
    switch ending.interruption {
    case .signal(let number)?: return .interrupted(by: number)
    case .timeout?: return .someFailed
    case nil: break
    }
    if ending.failure != nil || run.mistakes.contains(where: { $0.kind == .script }) { return .scriptFailed }
    if run.mistakes.contains(where: { $0.kind == .usage }) { return .wrongUsage }
    if !run.failures.isEmpty || !run.mistakes.isEmpty || ending.stopped { return .someFailed }
    if !run.unverified.isEmpty { return .notVerified }
    return ending.lacksTraces ? .someFailed : .success
  }

  /// Returns the totals for programs: written outputs, those that the script cancelled, and all others as failed.
  /// At least 1 counts as failed if the run is no success.
  ///
  /// - Parameter end: the reason for which the whole run was cancelled, if it was.
  private func reported(_ totals: Run.Totals, requested: Int, end: CancellationReason?, _ status: ExitStatus)
    -> Run.Totals
  {
    var reported = totals
    let cancelled = state.withLock { $0.cancelled }
    reported.cancelled = cancelled.filter { $0.key != end }.values.reduce(0, +)
    let missing = requested - totals.written - reported.cancelled
    reported.failed = max(missing, totals.failed, status == .success ? 0 : 1)
    return reported
  }

  /// Ends the events of a run that does not stop by itself.
  package func cutShort(_ status: ExitStatus, requested: Int, end: CancellationReason?) {
    guard asJSON else { return }
    let (counts, startedAt) = state.withLock { ($0.counts, $0.startedAt) }
    RunEvents.emitEnd(
      reported(counts, requested: requested, end: end, status), status,
      seconds: monotonicSeconds() - startedAt)
  }

  /// The line at the end of a shard.
  private static func summary(of shard: ShardIndex, _ run: Run, _ totals: Run.Totals, seconds: Double) -> String {
    if run.division.isDoneBefore { return "shard \(shard): done by an earlier run; nothing has changed since" }
    let pages = run.options.part.store?.packedPageCount ?? 0
    let written = SummaryLine.text(
      written: totals.written, bytes: totals.byteCount, failed: totals.failed, cancelled: totals.cancelled,
      seconds: seconds)
    let packed = pages == 0 ? "" : "\(pages) picture\(pages == 1 ? "" : "s") for books, "
    return "shard \(shard): \(packed)\(written)"
  }

  private func summarise(_ ending: RunEnding, _ status: ExitStatus) {
    let (verified, startedAt, qualities) = state.withLock { ($0.verified, $0.startedAt, $0.qualities) }
    let run = ending.run
    let totals = run.totals
    let seconds = monotonicSeconds() - startedAt
    if asJSON {
      // A dry run asks for nothing that it does not write, and a shard leaves most to others.
      let isPartial = run.options.isDryRun || run.options.part.shard != nil
      let requested = isPartial ? 0 : run.options.requested.value
      return RunEvents.emitEnd(
        reported(totals, requested: requested, end: run.cancellation.reason, status), status, seconds: seconds)
    }
    if let cause = ending.interruption { Terminal.error("imghost: " + cause.text, .failure) }
    guard !run.options.isDryRun, verbosity > .quiet else { return }
    for (path, outcome) in verified where outcome.isVerified {
      Terminal.error("\(printable(path)): \(outcome.summary)")
    }
    // A script that failed ended its jobs; that needs no words.
    if ending.failure == nil { for line in CancelledJobs.lines(run) { Terminal.error(text(of: line)) } }
    if let shard = run.options.part.shard, !ending.stopped {
      Terminal.error(Self.summary(of: shard, run, totals, seconds: seconds))
    } else if totals.written + totals.failed + totals.cancelled > 0 {
      Terminal.error(
        SummaryLine.text(
          written: totals.written, bytes: totals.byteCount, failed: totals.failed,
          cancelled: totals.cancelled, qualities: qualities, seconds: seconds))
    } else if !ending.stopped, !run.hasVerified, !run.hasMeasured {
      Terminal.error("imghost: the script writes no output; see 'imghost ops save' and 'imghost ops book'")
    }
  }
}
