import CExitCleanup
import ImageCore
import ImagePipeline
import PDFBook
import Platform
import Scheduling

/// The program `imghost-verify`, which links poppler and runs in a separate process.
package struct VerifierProgram: Sendable {
  package static let name = "imghost-verify"
  /// The exit status if `ulimit -v` leaves it too little memory, see `Limits` of that program.
  private static let memoryStatus: Int32 = 5
  /// The lowest acceptable PSNR of an encoded page compared with the original pixels, in dB.
  private static let leastPSNR = 25.0
  /// The least memory for the verifier: enough for pages of typical photographs.
  private static let leastMemory = 64 << 20

  /// The path of the program.
  let path: String
  /// The number of threads that it may use: the run's number of workers.
  let jobs: Int
  /// The bytes of memory for pages being checked: the run's memory for pictures.
  let memory: Int
  /// Called before this process ends because the verifier gets no memory.
  let beforeEnding: @Sendable () -> Void

  package init(path: String, jobs: Int, memory: Int, beforeEnding: @escaping @Sendable () -> Void = {}) {
    self.path = path
    self.jobs = jobs
    self.memory = memory
    self.beforeEnding = beforeEnding
  }

  /// The reason why nothing can be verified on this machine; nil if verification is possible.
  var problem: String? {
    guard access(path, X_OK) != 0 else { return nil }
    return Self.absence(at: path) ?? "'verify' cannot start \(printable(path)): \(systemText(errno))"
  }

  /// Returns a message about a missing program and where to get it; nil if it is installed.
  package static func absence(at path: String) -> String? {
    guard access(path, F_OK) != 0 else { return nil }
    return "verifying needs the program \(name), which is not at \(printable(path)); "
      + "install the package \(name) (imghost-gpl of the portable files), or copy the program there"
  }

  /// Returns the size of a paper in points, in the program's notation `WIDTHxHEIGHT`. Nil if there is no such paper.
  package static func points(ofPaper text: String) -> String? {
    var setup = PageSetup()
    guard (try? setup.setPaper(text)) != nil, let paper = setup.paper else { return nil }
    return "\(paper.width)x\(paper.height)"
  }

  /// The arguments that limit the resources of the program.
  var limits: [String] { ["--jobs", String(jobs), "--memory", String(max(Self.leastMemory, memory))] }

  /// Runs the program and returns its output. Kills it if cancelled.
  ///
  /// - Parameter password: the document's password, passed through a temporary file that only this user can read.
  func run(_ arguments: [String], on document: String, password: String?, _ token: CancellationToken)
    throws(VerifierFailure) -> (output: String, CapturedProgram.Status)
  {
    let secret: TemporaryText?
    do throws(FileError) {
      secret = try password.map { (text) throws(FileError) in try TemporaryText(text + "\n") }
    } catch {
      throw .password(error)
    }
    defer { secret?.remove() }
    let file = secret.map { ["--password-file", $0.path] } ?? []
    let child: CapturedProgram
    do throws(FileError) {
      child = try CapturedProgram(path, arguments + file + ["--", document])
    } catch {
      throw .start(error)
    }
    return child.wait { token.isCancelled }
  }

  /// Verifies one book against what was written. Blocks until the verifier has ended.
  func verify(_ book: String, _ summary: BookSummary, _ token: CancellationToken) -> VerificationOutcome {
    guard summary.worstPSNR >= Self.leastPSNR else {
      let decibels = Self.decimal(summary.worstPSNR)
      var outcome = VerificationOutcome(
        isVerified: false,
        summary: "\(summary.worstPlace) lost too much in encoding (\(decibels) dB); "
          + "raise 'quality'", findings: [])
      outcome.marks = [
        DocumentReport.Finding(page: summary.worstPage, severity: "error", text: "a picture lost too much in encoding")
      ]
      return outcome
    }
    guard let expectations = summary.expectations else {
      preconditionFailure("a book is verified without expectations")
    }
    if let failure = expectations.failure { return Self.failed("cannot write the expectations: \(failure)") }
    defer { withExtendedLifetime(expectations) {} }
    do throws(VerifierFailure) {
      let (output, status) = try run(
        ["--expect", expectations.path] + limits, on: book, password: summary.password, token)
      if token.isCancelled { return Self.failed("not verified, because the run was cancelled") }
      if Self.lacksMemory(status) {
        beforeEnding()
        cexitcleanup_end(1, "imghost: verifying takes more memory than 'ulimit -v' allows; raise the limit\n")
      }
      return Self.outcome(of: book, output, status, worstPSNR: summary.worstPSNR)
    } catch {
      return Self.failed("\(error)")
    }
  }

  /// Returns whether `ulimit -v` is the reason for the program's end, even before its start: the loader exits with 127
  /// if there is no room for a library.
  private static func lacksMemory(_ status: CapturedProgram.Status) -> Bool {
    switch status {
    case .exited(memoryStatus): true
    case .exited(127): ResourceLimit.addressSpace.soft < .max
    default: false
    }
  }

  /// Returns the outcome for a book according to the program's output and status.
  static func outcome(of book: String, _ output: String, _ status: CapturedProgram.Status, worstPSNR: Double)
    -> VerificationOutcome
  {
    let lines = output.split(separator: "\n").map(String.init)
    // The report's first line holds the verdict, after the file's name.
    let verdict = (lines.first ?? "see 'imghost verify'").replacing(book + ": ", with: "")
      .replacing(", not verified: ", with: ", ")
    switch status {
    case .exited(0):
      let quality =
        worstPSNR.isFinite ? "; encoded to \(decimal(worstPSNR)) dB or better" : ""
      return VerificationOutcome(
        isVerified: true, summary: verdict + quality,
        findings: findings(lines.dropFirst(), of: book))
    case .exited(1): return failed("the book cannot be read again", lines)
    case .exited(4):
      var outcome = VerificationOutcome(
        isVerified: false, summary: verdict, findings: findings(lines.dropFirst(), of: book))
      outcome.marks = lines.dropFirst().prefix(mostMarks).compactMap { mark($0, of: book) }
      return outcome
    case .exited(let code): return failed("\(name) ended with status \(code)", lines)
    case .signalled(SIGKILL):
      return failed("the system killed \(name), as it does when memory runs out", lines)
    case .signalled(let number): return failed("\(name) crashed (signal \(number))", lines)
    }
  }

  /// Returns the report's lines without its table of pages and its notes.
  private static func findings(_ lines: ArraySlice<String>, of book: String) -> [String] {
    let found = lines.filter { !$0.hasPrefix("  ") && !$0.contains(": note: ") }
      .map { $0.hasPrefix(book + ": ") ? String($0.dropFirst(book.count + 2)) : $0 }
    guard found.count > mostFindings else { return found }
    return found.prefix(mostFindings) + ["\(found.count - mostFindings) more; 'imghost verify \(book)' lists all"]
  }

  private static let mostFindings = 32
  /// The most lines of a report that are searched for findings.
  private static let mostMarks = 10_000

  /// Parses a line of the report about a page: `book.pdf: page 2: error: …`. Nil for other lines.
  private static func mark(_ line: String, of book: String) -> DocumentReport.Finding? {
    let start = book + ": page "
    guard line.hasPrefix(start) else { return nil }
    let rest = line.dropFirst(start.count)
    let digits = rest.prefix { $0.isNumber }
    guard let page = Int(digits) else { return nil }
    let text = rest.dropFirst(digits.count)
    return ["error", "warning"].first { text.hasPrefix(": \($0): ") }.map { severity in
      DocumentReport.Finding(page: page, severity: severity, text: String(text.dropFirst(severity.count + 4)))
    }
  }

  private static func failed(_ summary: String, _ lines: [String] = []) -> VerificationOutcome {
    VerificationOutcome(isVerified: false, summary: summary, findings: lines)
  }

  /// Returns decibels with one decimal, or two if below 1.
  private static func decimal(_ value: Double) -> String {
    let scale = value < 1 ? 100.0 : 10
    return ParameterValue.text((value * scale).rounded() / scale)
  }
}

/// The reason why the verifier did not run.
enum VerifierFailure: Error, CustomStringConvertible {
  case password(FileError)
  case start(FileError)

  var description: String {
    switch self {
    case .password(let error): "cannot hand over the password: \(error)"
    case .start(let error): "cannot start \(VerifierProgram.name): \(error)"
    }
  }
}
