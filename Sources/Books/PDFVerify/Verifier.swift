import BookExpectations
import ImageCore
import Platform
import Synchronization

/// Proves a PDF: its structure by a reader of its own, its pictures by their digests, and every page by
/// rendering it with poppler at its pictures' native scale and comparing pixels.
///
/// Poppler may crash on a hostile file: where files may be hostile, run the verifier in a process of its own, as
/// `imghost-verify` does. A check that hangs is given up after a time, which is an error of the report.
public struct Verifier: Sendable {
  /// Threads that check pages, each with a document of its own.
  public var jobs: Int
  /// Seconds that opening the document, or one page, may take.
  public var deadline: Int
  /// Requirements beside what the document's writer meant.
  public var requirements = Requirements()
  /// The folder that pictures come from: each must be one of its files, or made from one.
  public var sources: SourceFolder?
  /// The password that opens an encrypted document, the user's or the owner's; nil for none.
  public var password: String?
  /// Whether the report can draw a contact sheet.
  public var drawsPages = false
  /// Called on any thread after each page, with the number of pages done and of all pages.
  public var onPage: @Sendable (_ done: Int, _ pages: Int) -> Void = { _, _ in }
  /// Pixels that poppler may decode for one page to render each picture at its own scale, which takes half a second.
  /// A page with more is rendered once, and its pictures are compared at that scale.
  package var nativePixels = 128 << 20
  private let decodeJPEG: JPEGDecoding
  /// Bytes that pages in work may take. A page that needs more is an error of the report, and is not rendered. A
  /// document that makes poppler take far more is given up; on Linux only, this counts all memory of the process.
  public var memory = 2 << 30
  /// Milliseconds of a clock that only goes forward.
  package var now: @Sendable () -> Int = Watchdog.milliseconds
  private let onGivenUp: @Sendable (VerificationReport) -> Void
  private var limits: MemoryLimits { MemoryLimits(bytes: memory) }
  private var settings: CheckSettings {
    CheckSettings(
      jobs: jobs, limits: limits, requirements: requirements, sources: sources,
      decodeJPEG: decodeJPEG, drawsPages: drawsPages, nativePixels: nativePixels)
  }

  /// - Parameters:
  ///   - decodeJPEG: independent of poppler; called on any thread.
  ///   - onGivenUp: called by `verify` before it returns the report of a document that exceeded the deadline, or
  ///     its memory.
  public init(
    jobs: Int = 1, deadline: Int = 60, decodeJPEG: @escaping JPEGDecoding,
    onGivenUp: @escaping @Sendable (VerificationReport) -> Void = { _ in }
  ) {
    self.jobs = jobs
    self.deadline = deadline
    self.decodeJPEG = decodeJPEG
    self.onGivenUp = onGivenUp
  }

  /// Checks one PDF. Blocks until that is done; may be called from several threads. Everything wrong with the PDF is a
  /// finding.
  ///
  /// If opening the document or a page exceeds the deadline, the report is that one error. Threads that hang cannot be
  /// ended: they keep their memory until they return or the process ends. Meanwhile the file must not be made shorter.
  public func verify(_ path: String, expecting expected: VerificationExpectations? = nil) -> VerificationReport {
    let decryption = Decryption()
    let watchdog = Watchdog(seconds: deadline, now: now, takesTooMuch: memoryGuard())
    let result = Result()
    let isStarted = startThread {
      watchdog.begin(0, worker: 0)
      let outcome = run(path, expected, watchdog, decryption)
      result.outcome.withLock { $0 = outcome }
    }
    // Without a second thread, the check runs unwatched.
    guard isStarted else { return run(path, expected, watchdog, decryption).report(path) }
    if let reason = watchdog.watch(until: { result.outcome.withLock { $0 != nil } }) {
      decryption.stop()
      let report = VerificationReport(path: path, givenUp: reason, deadline: deadline, limits)
      onGivenUp(report)
      return report
    }
    return (result.outcome.withLock { $0 } ?? Outcome()).report(path)
  }

  /// Returns a closure that tells whether the process has taken far more memory than pages may, from now on.
  private func memoryGuard() -> @Sendable () -> Bool {
    // Without /proc, only the peak is known.
    let resident: @Sendable () -> Int = { residentByteCount() ?? peakByteCount }
    let (before, most) = (resident(), limits.processBytes)
    return {
      guard resident() - before > most else { return false }
      trimMemory()
      return resident() - before > most
    }
  }

  /// The outcome that the checking thread hands over.
  private final class Result: Sendable {
    let outcome = Mutex<Outcome?>(nil)
  }

  private func run(
    _ path: String, _ expected: VerificationExpectations?, _ watchdog: Watchdog, _ decryption: Decryption
  ) -> Outcome {
    var outcome = Outcome()
    LogCapture.start()
    _ = LogCapture.take()
    do {
      let (input, mapping) = try Self.open(path)
      do {
        try check(input, mapping, expected, watchdog, &outcome)
      } catch .encryption(.encrypted) {
        guard let plain = try decryption.open(path, password: password ?? "") else {
          try checkEncrypted(mapping, expected, watchdog, &outcome)
          outcome.faults += LogCapture.take()
          return outcome
        }
        outcome.faults += plain.faults + [.encryption(.decrypted)]
        outcome.isDecrypted = true
        try check(plain.file, Self.mapping(plain.file), expected, watchdog, &outcome)
        // The copy is in qpdf's form, whatever the file is in.
        if outcome.isWritten, let fault = PlainForm.fault(in: mapping, isEncrypted: true) {
          outcome.faults.append(.form(fault))
        }
      }
    } catch {
      outcome.faults.append(error)
    }
    outcome.faults += LogCapture.take()
    return outcome
  }

  private func check(
    _ input: InputFile, _ mapping: FileMapping, _ expected: VerificationExpectations?, _ watchdog: Watchdog,
    _ outcome: inout Outcome
  ) throws(Fault) {
    let file = try PDFFile(mapping)
    outcome.faults += file.faults
    let document = DocumentContext(file, given: expected, isDecrypted: outcome.isDecrypted, settings, watchdog)
    try DocumentChecker(input: input, watchdog: watchdog, onPage: onPage).run(document, &outcome)
  }

  /// Checks an encrypted file without qpdf. Only poppler can open it then, and only without a password: version 22.12
  /// of `poppler_document_new_from_bytes` crashes on a wrong one.
  private func checkEncrypted(
    _ mapping: FileMapping, _ expected: VerificationExpectations?, _ watchdog: Watchdog, _ outcome: inout Outcome
  ) throws(Fault) {
    do throws(Fault) {
      try RenderingOnlyCheck(mapping: mapping, expected: expected, requirements: requirements).run(watchdog, &outcome)
    } catch .poppler(.refuses) {
      throw password == nil ? .encryption(.locked) : .encryption(.lockedWithoutProgram)
    }
    outcome.faults.append(.encryption(.encrypted))
  }

  private static func open(_ path: String) throws(Fault) -> (InputFile, FileMapping) {
    do throws(FileError) {
      let file = try InputFile(path: path)
      guard file.byteCount > 0 else { throw FileError(.read, path: path, code: 0) }
      return (file, try FileMapping(file))
    } catch {
      throw error.code == 0 ? .file(.empty) : .file(.unreadable(error.description))
    }
  }

  private static func mapping(_ file: InputFile) throws(Fault) -> FileMapping {
    do throws(FileError) {
      guard file.byteCount > 0 else { throw FileError(.read, path: file.path, code: EIO) }
      return try FileMapping(file)
    } catch {
      throw .file(.unreadable(error.description))
    }
  }
}
