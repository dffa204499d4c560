import CEnding
import ImageCore
import ImagePipeline
import PDFBook
import Platform
import Scheduling

/// Runs `imghost-verify`, the program that links poppler, in a process of its own.
enum VerifierProcess {
  private static let program = "imghost-verify"
  /// The exit status where `ulimit -v` gives it no memory, see `Limits` of that program.
  private static let memoryStatus: Int32 = 5
  /// The least PSNR of an encoded page against the pixels that were meant.
  private static let leastPSNR = 25.0

  /// A run with less for its pictures can prove pages of usual photographs all the same.
  static let leastMemory = 64 << 20

  /// Why books cannot be verified here; nil where they can.
  static var problem: String? {
    let path = Executable.sibling(program)
    guard access(path, X_OK) != 0 else { return nil }
    return "'verify' needs the program \(program), which is not at \(printable(path))"
  }

  /// `595.2756x841.8898` for `a4`; nil for what is no paper.
  static func points(ofPaper text: String) -> String? {
    var setup = PageSetup()
    guard (try? setup.setPaper(text)) != nil, let paper = setup.paper else { return nil }
    return "\(paper.width)x\(paper.height)"
  }

  /// Runs the verifier and gives all it printed; ends it when cancelled.
  static func run(_ arguments: [String], _ token: CancellationToken) throws(FileError)
    -> (output: String, ChildProcess.Status)
  {
    try ChildProcess(Executable.sibling(program), arguments).wait { token.isCancelled }
  }

  /// Becomes the verifier: `execv(3)`. Returns only when that fails.
  static func replaceThisProcess(_ arguments: [String]) -> ExitStatus {
    let path = Executable.sibling(program)
    var pointers = ([path] + arguments).map { strdup($0) } + [nil]
    execv(path, &pointers)
    Terminal.error("imghost verify: cannot start \(printable(path)): \(systemText(errno))")
    return .someFailed
  }

  /// Verifies one book against what was written. Blocks until the verifier has ended.
  ///
  /// - Parameters:
  ///   - jobs: threads it may use, as many as the run has workers.
  ///   - memory: bytes that pages in work may take, as many as the run's pictures.
  static func verify(
    _ path: String, _ summary: BookSummary, _ token: CancellationToken, jobs: Int,
    memory: Int
  ) -> VerificationOutcome {
    guard summary.worstPSNR >= leastPSNR else {
      let decibels = SummaryLine.decimal(summary.worstPSNR)
      return VerificationOutcome(
        isVerified: false,
        summary: "\(summary.worstPlace) lost too much in encoding (\(decibels) dB); "
          + "raise 'quality'", findings: [])
    }
    guard let expectations = summary.expectations else {
      preconditionFailure("a book is verified of which nobody noted what to expect")
    }
    if let failure = expectations.failure {
      return failed("cannot hand over what to expect: \(failure)")
    }
    defer { withExtendedLifetime(expectations) {} }
    let secret: TemporaryText?
    do throws(FileError) {
      secret = try summary.password.map { (text) throws(FileError) in try TemporaryText(text + "\n")
      }
    } catch {
      return failed("cannot hand over the password: \(error)")
    }
    defer { secret?.remove() }
    let child: ChildProcess
    do throws(FileError) {
      child = try ChildProcess(
        Executable.sibling(program),
        [
          "--expect", expectations.path, "--jobs", String(jobs), "--memory",
          String(max(leastMemory, memory)),
        ]
          + (secret.map { ["--password-file", $0.path] } ?? []) + ["--", path])
    } catch {
      return failed("cannot start \(program): \(error)")
    }
    let (output, status) = child.wait(isCancelled: { token.isCancelled })
    if token.isCancelled { return failed("not verified, because the run was cancelled") }
    let lines = output.split(separator: "\n").map(String.init)
    // The report's first line says how it went, after the file's name.
    let verdict = (lines.first ?? "see 'imghost verify'").replacing(path + ": ", with: "")
      .replacing(", not verified: ", with: ", ")
    switch status {
    case .exited(0):
      let quality =
        summary.worstPSNR.isFinite
        ? "; encoded to \(SummaryLine.decimal(summary.worstPSNR)) dB or better" : ""
      return VerificationOutcome(
        isVerified: true, summary: verdict + quality,
        findings: findings(lines.dropFirst(), of: path))
    case .exited(1): return failed("the book cannot be read again", lines)
    case .exited(memoryStatus):
      Terminal.progress("")
      cending_end(
        1, "imghost: verifying takes more memory than 'ulimit -v' allows; raise the limit\n")
    case .exited(4):
      return VerificationOutcome(
        isVerified: false, summary: verdict, findings: findings(lines.dropFirst(), of: path))
    case .exited(let code): return failed("\(program) ended with status \(code)", lines)
    case .signalled(SIGKILL):
      return failed("the system killed \(program), as it does when memory runs out", lines)
    case .signalled(let number): return failed("\(program) crashed (signal \(number))", lines)
    }
  }

  /// The report's lines without its table of pages, and without its notes.
  private static func findings(_ lines: ArraySlice<String>, of path: String) -> [String] {
    let found = lines.filter { !$0.hasPrefix("  ") && !$0.contains(": note: ") }
      .map { $0.hasPrefix(path + ": ") ? String($0.dropFirst(path.count + 2)) : $0 }
    guard found.count > mostFindings else { return found }
    return found.prefix(mostFindings) + [
      "\(found.count - mostFindings) more; 'imghost verify \(path)' tells all"
    ]
  }

  private static let mostFindings = 32

  private static func failed(_ summary: String, _ lines: [String] = []) -> VerificationOutcome {
    VerificationOutcome(isVerified: false, summary: summary, findings: lines)
  }
}

/// A text in a temporary file of this process.
struct TemporaryText {
  private let file: TemporaryFile
  var path: String { file.path }

  init(_ text: String) throws(FileError) { try self.init(bytes: Array(text.utf8)) }

  init(bytes: [UInt8]) throws(FileError) {
    let folder = Executable.environment("TMPDIR") ?? "/tmp"
    // Known there, it is removed also when the process is ended while the verifier runs.
    file = try TemporaryFiles.make(inFolder: folder)
    let code = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor) }
    if code != 0 {
      remove()
      throw FileError(.write, path: file.path, code: code)
    }
  }

  func remove() { TemporaryFiles.end(file) }
}
