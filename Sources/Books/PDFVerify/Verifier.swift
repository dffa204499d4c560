import BookExpectations
import ImageCore
import Platform
import Synchronization

/// Verifies a PDF: parses its structure with a reader of its own, compares pictures with their digests, renders every
/// page with poppler at the native scale of its pictures, and compares the pixels.
///
/// A hostile file may crash poppler, so verify such files in a separate process, as `imghost-verify` does. A check that
/// exceeds `deadline` is abandoned and reported as an error.
public struct Verifier: Sendable {
  /// The number of threads that check pages; each opens the document itself.
  public var jobs: Int
  /// The limit of processor time in seconds for opening the document, and for each page, which gets a second more for
  /// each megapixel of its pictures, up to 600.
  public var deadline: Int
  /// Requirements of the caller, in addition to the expectations of the document's writer.
  public var requirements = Requirements()
  /// The folder of source pictures: each picture in the document must be one of its files, or be made from some of
  /// them.
  public var sources: SourceFolder?
  /// The user or owner password of an encrypted document; nil for none.
  public var password: String?
  /// Whether the report can draw a contact sheet.
  public var drawsPages = false
  /// Called on any thread after each page, with the number of pages done and the total.
  public var onPage: @Sendable (_ done: Int, _ pages: Int) -> Void = { _, _ in }
  /// The maximum number of pixels that poppler may decode to render each picture of a page at its own scale; the
  /// default takes half a second. A page that needs more for several pictures is rendered once, and all but its
  /// smallest pictures are compared with that rendering.
  package var nativePixels = 128 << 20
  private let decodeJPEG: JPEGDecoding
  /// The memory in bytes for all pages that are checked at one time. A page that needs more is rendered at a reduced
  /// scale, or reported as an error if even that needs more. The check of a document is abandoned if the memory of the
  /// whole process grows by 192 MiB more than this.
  public var memory = 2 << 30
  /// Returns the milliseconds of a monotonic clock.
  package var now: @Sendable () -> Int = Watchdog.milliseconds
  private let onGivenUp: @Sendable (VerificationReport) -> Void
  private var limits: MemoryLimits { MemoryLimits(bytes: memory) }
  private var settings: CheckSettings {
    CheckSettings(
      jobs: jobs, limits: limits, requirements: requirements, sources: sources,
      decodeJPEG: decodeJPEG, drawsPages: drawsPages, nativePixels: nativePixels)
  }

  /// - Parameters:
  ///   - decodeJPEG: a decoder independent of poppler; called on any thread.
  ///   - onGivenUp: called by `verify` before it returns the report of a document that exceeded the deadline or the
  ///     memory limit.
  public init(
    jobs: Int = 1, deadline: Int = 60, decodeJPEG: @escaping JPEGDecoding,
    onGivenUp: @escaping @Sendable (VerificationReport) -> Void = { _ in }
  ) {
    self.jobs = jobs
    self.deadline = deadline
    self.decodeJPEG = decodeJPEG
    self.onGivenUp = onGivenUp
  }

  /// Checks one PDF and blocks until the check is done. May be called from several threads. Every problem with the PDF
  /// becomes a finding of the report.
  ///
  /// If opening the document or checking a page exceeds the deadline, or the process its memory limit, the report
  /// contains only that error. Threads that hang cannot be ended: they keep their memory until they return or the
  /// process ends. Until then, the file must not be truncated.
  public func verify(_ path: String, expecting expected: VerificationExpectations? = nil) -> VerificationReport {
    let decryption = Decryption()
    let watchdog = Watchdog(seconds: deadline, now: now, takesTooMuch: memoryGuard())
    let result = Mutex<Outcome?>(nil)
    let isStarted = startThread {
      watchdog.begin(0, worker: 0)
      let outcome = run(path, expected, watchdog, decryption)
      result.withLock { $0 = outcome }
    }
    // If no second thread can be started, the check runs on this one, and is never abandoned.
    guard isStarted else { return run(path, expected, watchdog, decryption).report(path) }
    if let reason = watchdog.watch(until: { result.withLock { $0 != nil } }) {
      decryption.stop()
      let report = VerificationReport(path: path, givenUp: reason, deadline: deadline, limits)
      onGivenUp(report)
      return report
    }
    return (result.withLock { $0 } ?? Outcome()).report(path)
  }

  /// Makes a closure that returns whether the memory of the process has grown by more than `MemoryLimits.processBytes`
  /// since the closure was made.
  private func memoryGuard() -> @Sendable () -> Bool {
    // Without /proc, only the peak of the process's memory is available.
    let resident: @Sendable () -> Int = { residentByteCount() ?? peakByteCount }
    let (before, most) = (resident(), limits.processBytes)
    return {
      guard resident() - before > most else { return false }
      trimMemory()
      return resident() - before > most
    }
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
        // The original is checked, because qpdf's copy always has the plain form.
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

  /// Checks an encrypted file without qpdf. Only poppler can then open the file, and only without a password, because
  /// `poppler_document_new_from_bytes` of version 22.12 crashes on a wrong password.
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
