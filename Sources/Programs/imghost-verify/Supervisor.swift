import ImageCore
import PDFVerify
import Platform

/// Checks each PDF in a process of its own, so that a file that makes poppler crash causes only one clear line, and the
/// next file is still checked.
struct Supervisor {
  private var options: Options

  init(options: Options) { self.options = options }

  /// Runs all checks, and returns the exit status. A check with status 2 (wrong usage) is the last one. The status for
  /// a PDF that does not verify takes precedence over that for an unreadable one.
  mutating func run() -> Int32 {
    if let password = options.password {
      // All workers read the password from this unnamed file.
      guard let file = tmpfile(), Array(password.utf8).withUnsafeBytes({ writeAll($0, to: fileno(file)) }) == 0 else {
        complain("--password: there is no room for a temporary file: \(systemText(errno))")
        return 1
      }
      options.passwordDescriptor = fileno(file)
    }
    let suites = options.junit.map { _ in tmpfile() } ?? nil
    if options.junit != nil, suites == nil {
      complain("--junit: there is no room for a temporary file: \(systemText(errno))")
      return 1
    }
    var status: Int32 = 0
    for path in options.paths {
      let result = check(path, suites.map { fileno($0) })
      if result == 2 { return 2 }
      status = max(status, result)
    }
    guard let junit = options.junit, let suites else { return status }
    do throws(PictureError) {
      try WholeFile.write(
        VerificationReport.junitDocument(Self.contents(suites)), to: junit)
    } catch {
      complain("--junit: \(junit): \(error)")
      status = max(status, 1)
    }
    return status
  }

  private static func contents(_ file: UnsafeMutablePointer<FILE>) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(fileno(file), &chunk, chunk.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  private func check(_ path: String, _ junit: Int32?) -> Int32 {
    let process: ChildProcess
    do throws(ChildProcess.Failure) {
      process = try start(options.workerArguments(path, junitDescriptor: junit))
    } catch {
      return fail(path, "another process cannot be started to check it: \(systemText(error.code))", junit)
    }
    let code: Int32
    switch process.wait() {
    case nil: return fail(path, "cannot wait for its check: \(systemText(errno))", junit)
    case .signal(SIGKILL):
      return fail(
        path, "the system killed its check, as it does when memory runs out; lower --jobs or --memory, or free memory",
        junit)
    case .signal(let signal):
      return fail(path, "checking it crashed: \(String(cString: strsignal(signal)))", junit)
    case .exit(let status): code = status
    }
    if [0, 1, 2, 4].contains(code) { return code }
    if code == Limits.memoryStatus {
      let status = failForMemory(path, junit)
      return options.expectations == nil ? status : code
    }
    return fail(path, "checking it stopped with status \(code)", junit)
  }

  /// Reports a lack of memory: as a report with `--json` or `--junit`, else as a message.
  private func failForMemory(_ path: String, _ junit: Int32?) -> Int32 {
    let text = "checking it takes more memory than 'ulimit -v' allows; raise the limit"
    if options.isJSON || junit != nil {
      _ = fail(path, text, junit)
    } else {
      complain("\(path): \(text)")
    }
    return 1
  }

  private func fail(_ path: String, _ text: String, _ junit: Int32?) -> Int32 {
    let code = Output.write(VerificationReport(path: path, failure: text), asJSON: options.isJSON, junit: junit)
    if code != 0 { complain(Output.failure(code)) }
    return 4
  }

  /// Starts this program as a worker.
  private func start(_ arguments: [String]) throws(ChildProcess.Failure) -> ChildProcess {
    // Every page needs the same few tens of megabytes, and returning them to the system and allocating them again takes
    // a seventh of the checking time. The setting is for glibc's malloc, and has no effect elsewhere.
    setenv("MALLOC_MMAP_THRESHOLD_", "33554432", 0)
    let kept = min(268_435_456, (options.memory ?? .max) / 4)
    setenv("MALLOC_TRIM_THRESHOLD_", "\(kept)", 0)
    return try ChildProcess(ownProgram, arguments, name: "imghost-verify")
  }
}

/// Writes the report to standard output, and for JUnit to a descriptor.
enum Output {
  /// Writes a report, and returns the `errno` of a failed write, 0 for success. A closed pipe is not a failure:
  /// `imghost verify book.pdf | head -1`.
  static func write(_ report: VerificationReport, asJSON: Bool, junit: Int32?) -> Int32 {
    let code = write(asJSON ? report.json + "\n" : report.text, to: 1)
    guard let junit else { return code }
    let junitCode = write(report.junit, to: junit)
    return code == 0 ? junitCode : code
  }

  static func failure(_ code: Int32) -> String { "cannot write the report: " + systemText(code) }

  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    let code = Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) }
    return code == EPIPE ? 0 : code
  }
}
