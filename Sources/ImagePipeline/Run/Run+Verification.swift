import ImageCore
import Scheduling
import Synchronization

/// Documents that a script wants proven now.
extension Run {
  /// Checks the options of `img.verify`; nil where they have mistakes, which are noted.
  public func documentCheck(_ path: String, _ raw: RawArguments, at position: ScriptPosition?)
    -> DocumentCheck?
  {
    guard let checker = environment.documents else {
      report("verify", "documents cannot be verified here", position)
      return nil
    }
    var raw = raw
    var texts: [String] = []
    if let index = raw.named.firstIndex(where: { $0.name == "text" }) {
      // A list of texts is the one thing that descriptors cannot say.
      if case .list(let items) = raw.named[index].value {
        texts = items.compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard texts.count == items.count else {
          report("verify", "'text' must be a text or a list of texts", position)
          return nil
        }
        raw.named[index].value = .text("")
      } else if case .text(let text) = raw.named[index].value {
        texts = [text]
      }
    }
    do throws(ArgumentErrors) {
      let arguments = try Arguments(
        raw, parameters: VerifyParameters.all, positionalCount: 0)
      let problems = checker.problems(with: arguments)
      for problem in problems { report("verify", problem, position) }
      return problems.isEmpty
        ? DocumentCheck(path: resolved(path), arguments: arguments, texts: texts) : nil
    } catch {
      for error in error.errors { report("verify", error.description, position) }
      return nil
    }
  }

  /// A document that this run writes lies in its output folder.
  private func resolved(_ path: String) -> String {
    let whole = PathName.joined(options.outputFolder, path)
    let isOwn =
      startedJobs.contains { $0.result.outputs.contains { $0.path == whole } }
      || pending.contains { sink in
        if case .book(path, _) = sink.target { true } else { false }
      }
    return isOwn ? whole : path
  }

  /// Proves a document at utility class, after the jobs that write it. The script's thread waits, and
  /// meanwhile tells of jobs that finish.
  public func verify(_ check: DocumentCheck, onFinished: (Job) throws -> Void) throws
    -> DocumentReport
  {
    hasVerified = true
    try settle()
    for job in startedJobs where job.result.outputs.contains(where: { $0.path == check.path }) {
      while !job.isFinished, !options.isDryRun {
        try wait(forNextOf: [job], onFinished: onFinished)
      }
    }
    guard !options.isDryRun, let checker = environment.documents else {
      return DocumentReport(path: check.path, isVerified: true)
    }
    let job = Job(.verify, position: nil, qos: .utility, parent: cancellation)
    job.state.withLock { state in
      state.isStarted = true
      state.remaining = 1
    }
    progress.state.withLock { $0.openJobs += 1 }
    let result = SharedReport()
    let progress = self.progress
    do throws(SchedulingError) {
      try scheduler.submitWaiting(.utility, name: "verify " + check.path) {
        result.report.withLock { $0 = checker.check(check, job.cancellation) }
        job.state.withLock { $0.remaining = 0 }
        progress.finishIfDone(job)
      }
    } catch {
      preconditionFailure("a run outlived its scheduler")
    }
    while !job.isFinished { try wait(forNextOf: [job], onFinished: onFinished) }
    return result.report.withLock { $0 }
      ?? DocumentReport(path: check.path, failure: "it was not verified")
  }
}

/// A report on its way from the thread that waits for the verifier.
private final class SharedReport: Sendable {
  let report = Mutex<DocumentReport?>(nil)
}
