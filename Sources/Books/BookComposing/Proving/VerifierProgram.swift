import CExitCleanup
import ImageCore
import ImagePipeline
import PDFBook
import Platform
import Scheduling

/// The program `imghost-verify`, which links poppler and runs in a separate process.
package struct VerifierProgram: Sendable {
  package static let name = "imghost-verify"
  /// The exit status of the program if `ulimit -v` leaves it too little memory, see `Limits` in its source.
  private static let memoryStatus: Int32 = 5
  /// The lowest acceptable PSNR of an encoded page compared with the original pixels, in dB.
  private static let leastPSNR = 25.0
  /// The least memory for the verifier in bytes: enough for pages of typical photographs.
  private static let leastMemory = 64 << 20

  let path: String
  /// The number of threads that the program may use: the run's number of workers.
  let jobs: Int
  /// The bytes of memory for pages being checked: the run's memory for pictures.
  let memory: Int
  /// Called before this process ends because the verifier lacks memory.
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

  /// Verifies one book against the expectations recorded while it was written. Blocks until the verifier has ended.
  func verify(_ book: String, _ summary: BookSummary, _ token: CancellationToken) -> VerificationOutcome {
    guard summary.worstPSNR >= Self.leastPSNR else {
      let decibels = Self.decimal(summary.worstPSNR)
      return VerificationOutcome(
        isVerified: false,
        summary: "\(summary.worstPlace) lost too much in encoding (\(decibels) dB); raise 'quality'",
        findings: [
          DocumentReport.Finding(
            page: summary.worstPage, severity: "error", text: "a picture lost too much in encoding")
        ], isSummaryEnough: true)
    }
    guard let expectations = summary.expectations else {
      preconditionFailure("a book is verified without expectations")
    }
    if let failure = expectations.failure { return Self.failed("cannot write the expectations: \(failure)") }
    defer { withExtendedLifetime(expectations) {} }
    do throws(VerifierFailure) {
      let (output, status) = try run(
        ["--json", "--progress", "never", "--expect", expectations.path] + limits, on: book, password: summary.password,
        token)
      if token.isCancelled { return Self.failed("not verified, because the run was cancelled") }
      if Self.lacksMemory(status) {
        beforeEnding()
        cexitcleanup_end(1, "imghost: verifying takes more memory than 'ulimit -v' allows; raise the limit\n")
      }
      return Self.outcome(output, status, worstPSNR: summary.worstPSNR)
    } catch {
      return Self.failed("\(error)")
    }
  }

  /// Returns whether the program ended because of `ulimit -v`. Even the loader may fail: it exits with 127 if there is
  /// no room for a library.
  private static func lacksMemory(_ status: CapturedProgram.Status) -> Bool {
    switch status {
    case .exited(memoryStatus): true
    case .exited(127): ResourceLimit.addressSpace.soft < .max
    default: false
    }
  }

  /// Returns the outcome for a book according to the program's output and status.
  static func outcome(_ output: String, _ status: CapturedProgram.Status, worstPSNR: Double) -> VerificationOutcome {
    let lines = output.split(separator: "\n").map(String.init)
    switch status {
    case .exited(0), .exited(4):
      guard let report = report(in: lines) else { return failed("\(name) gave no report", lines) }
      let isVerified = status == .exited(0)
      let quality = isVerified && worstPSNR.isFinite ? "; encoded to \(decimal(worstPSNR)) dB or better" : ""
      let errors = report.findings.count { $0.severity == "error" }
      let verdict = isVerified ? report.summary : "\(count(report.pages, "page")), \(count(errors, "error"))"
      return VerificationOutcome(
        isVerified: isVerified, summary: verdict + quality,
        findings: report.findings.filter { $0.severity != "note" })
    case .exited(1): return failed("the book cannot be read again", lines)
    case .exited(let code): return failed("\(name) ended with status \(code)", lines)
    case .signalled(SIGKILL):
      return failed("the system killed \(name), as it does when memory runs out", lines)
    case .signalled(let number): return failed("\(name) crashed (signal \(number))", lines)
    case .unknown: return failed("the end of \(name) cannot be awaited", lines)
    }
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Reads the summary, the number of pages and the findings of a report in JSON.
  private static func report(in lines: [String]) -> (summary: String, pages: Int, findings: [DocumentReport.Finding])? {
    guard let line = lines.first(where: { $0.hasPrefix("{") }) else { return nil }
    var reader = JSONReader(Array(line.utf8))
    var (summary, pages, findings) = ("", 0, [DocumentReport.Finding]())
    let isWhole = reader.eachField { name, reader in
      switch name {
      case "findings":
        return reader.eachItem { reader in
          guard let value = reader.value() else { return false }
          findings.append(DocumentReport.Finding(value))
          return true
        }
      case "pages":
        return reader.eachItem { reader in
          pages += 1
          return reader.value() != nil
        }
      default:
        guard let value = reader.value() else { return false }
        if name == "summary" { summary = value.textValue ?? "" }
        return true
      }
    }
    return isWhole ? (summary, pages, findings) : nil
  }

  private static func failed(_ summary: String, _ lines: [String] = []) -> VerificationOutcome {
    VerificationOutcome(isVerified: false, summary: summary, output: lines)
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
