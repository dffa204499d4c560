import ImagePipeline
import Scheduling

/// The verification of a complete book.
extension BookAssembler {
  /// Completes the job of a finished book. If requested, verifies the book first, on a thread that does nothing else.
  func settle(_ file: OutputFile, _ summary: BookSummary, failure: Diagnostic?, _ run: RunProgress) {
    let (path, size) = (file.path, file.byteCountOnDisk)
    run.recorder?.mark(.bookWritten, path)
    job.update { $0.pages = summary.pageCount }
    guard verifies else {
      return run.outputEnded(job, outputIndex, byteCount: size, failure: failure, path: path)
    }
    do throws(SchedulingError) {
      try run.scheduler.submitWaiting(.utility, name: "verify " + path) { [self] in
        run.scheduler.hold(summary.verifierBytes)
        let outcome = tools.verify(path, summary, job.cancellation)
        run.scheduler.letGo(summary.verifierBytes)
        // If the verifier has found errors in another file, which has replaced the book, they are not those of the
        // book.
        verified(outcome.isVerified || file.isInPlace ? outcome : .replaced, path, run)
        run.outputEnded(job, outputIndex, byteCount: size, failure: failure, path: path)
      }
    } catch {
      preconditionFailure("a run outlived its scheduler")
    }
  }

  private func verified(_ outcome: VerificationOutcome, _ path: String, _ run: RunProgress) {
    job.update { $0.verification = outcome }
    run.observer(.verified(path: path, outcome))
    guard !outcome.isVerified else { return }
    func diagnostic(_ message: String) -> Diagnostic {
      Diagnostic(.verification, at: position, subject: "book", file: path, message: message)
    }
    guard !job.cancellation.isCancelled else {
      return run.observer(.note(diagnostic("was written, but not verified, because the run was cancelled")))
    }
    run.unverified(
      diagnostic(
        "did not verify: \(outcome.summary); the file is kept"
          + (outcome.lines(about: path).isEmpty
            ? "" : "; correct or leave out what is named above, and run the script again")))
  }
}

extension VerificationOutcome {
  /// The outcome if the book's path now leads to another file.
  static let replaced = VerificationOutcome(
    isVerified: false,
    summary: "another run or program has replaced the file since it was written; give each its own "
      + "name")
}
