import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Scheduling

/// Reports a run to a person, or as JSON to a program. From any thread.
package final class RunReporter: Sendable {
  struct State {
    var pictures = 0
    var picturesDone = 0
    var counts = Run.Totals()
    /// The qualities that goals of `save` found; nil for none.
    var qualities: ClosedRange<Int>?
    /// The numbers of cancelled outputs by their reasons.
    var cancelled: [CancellationReason: Int] = [:]
    var startedAt = monotonicSeconds()
    var verified: [(String, VerificationOutcome)] = []
    var lastShown = 0.0
    var repetitions = RepeatedFailures()
  }

  let asJSON: Bool
  let showsProgress: Bool
  let printsPlan: Bool
  let verbosity: Verbosity
  private let passesPrintedLines: Bool
  private let words: @Sendable (Diagnostic) -> String
  /// The status after mistakes of the script.
  let mistakeStatus: ExitStatus
  let state = Monitor(State())

  /// - Parameters:
  ///   - passesPrintedLines: whether lines that the script prints are shown.
  ///   - mistakeStatus: the status after mistakes of the script.
  ///   - words: tells a message. A script that the user has not written needs words without its lines.
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
  ///
  /// - Parameter takesOutput: whether standard output is for lines; otherwise a picture goes there.
  package func printed(_ text: String, takesOutput: Bool = true) {
    guard passesPrintedLines else { return }
    if asJSON {
      RunEvents.emit("print", [("text", .text(text))])
    } else if takesOutput {
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
    case .wrote(let path, let byteCount, let layout, let quality):
      if verbosity > .normal { Terminal.error(WrittenLine.text(path, byteCount, layout, quality: quality)) }
    case .verified(_, let outcome):
      for finding in outcome.findings { Terminal.error("  " + printable(finding)) }
    default: break
    }
    if showsProgress { showProgress() }
  }

  /// Reports a plugin's message. Its progress within one picture is not shown.
  package func observe(_ event: PluginEvent) {
    guard case .log(let plugin, let isWarning, let text) = event, verbosity > .silent else { return }
    if asJSON { return RunEvents.emitPluginLog(plugin, isWarning: isWarning, text) }
    guard isWarning || verbosity > .quiet else { return }
    Terminal.error("plugin '\(printable(plugin))': \(isWarning ? "warning: " : "")\(printable(text))")
  }

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
      case .failed: state.counts.failed += 1
      case .cancelled(_, let reason): state.cancelled[reason, default: 0] += 1
      case .note: break
      }
    }
  }

  /// Shows pictures done, rate, and time left, at most 20 times a second.
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
