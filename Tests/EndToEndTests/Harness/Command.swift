import Dispatch
import Foundation
import Platform
import Testing

/// The result of running a program.
struct Outcome: CustomStringConvertible {
  let status: Int32
  /// The signal that ended the program; nil if it exited.
  let signal: Int32?
  let output: String
  let error: String
  let seconds: Double

  var outputLines: [String] { Self.lines(output) }
  var errorLines: [String] { Self.lines(error) }

  /// The lines of standard error except for the summary, whose time differs from run to run.
  var messages: [String] { errorLines.filter { !($0.hasSuffix(" s") && $0.contains(" written (")) } }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  /// Records an issue with all output of the program if its status differs, or if standard error does not contain a
  /// text.
  func expect(status expected: Int32, error text: String = "", at place: SourceLocation = #_sourceLocation) {
    if status != expected { Issue.record("expected status \(expected), got \(self)", sourceLocation: place) }
    if !text.isEmpty, !error.contains(text) {
      Issue.record("expected '\(text)' in standard error of \(self)", sourceLocation: place)
    }
  }

  var description: String {
    let ending = signal.map { "signal \($0)" } ?? "status \(status)"
    return "\(ending) after \(seconds) s\n--- stdout\n\(output)\n--- stderr\n\(error)"
  }
}

/// A program to run in a folder, with a time limit after which it is killed and the test fails.
struct Command {
  var program = Built.program("imghost")
  var arguments: [String]
  var folder: String
  /// Variables that replace those of the test's environment; nil removes one. The user's cache is always replaced.
  var environment: [String: String?] = [:]
  var input = ""
  /// The time limit in seconds on an idle machine.
  var seconds = 20.0

  /// The factor for all time limits, because they must detect hangs and not slowness of a busy machine.
  static let patience = 15.0

  /// A program that has been started.
  final class Running {
    let process = Process()
    fileprivate let ended = DispatchSemaphore(value: 0)
    fileprivate var paths: (output: String, error: String) = ("", "")
    fileprivate let began = Date()

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The text written to standard output and standard error so far.
    var soFar: String { text(paths.output) + text(paths.error) }

    fileprivate func text(_ path: String) -> String {
      String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// Waits until a condition holds. Returns false if it does not hold within the time limit.
    func wait(seconds: Double = 10, until condition: () -> Bool) -> Bool {
      let end = Date().addingTimeInterval(seconds * Command.patience)
      while Date() < end {
        if condition() { return true }
        usleep(2_000)
      }
      return false
    }

    /// Waits for the end of the program, and kills it when the time limit is exceeded.
    func finish(within seconds: Double) -> Outcome {
      let seconds = seconds * Command.patience
      var isLate = false
      if ended.wait(timeout: .now() + seconds) == .timedOut {
        isLate = true
        send(SIGKILL)
        ended.wait()
      }
      let taken = Date().timeIntervalSince(began)
      let wasSignalled = process.terminationReason == .uncaughtSignal
      let outcome = Outcome(
        status: wasSignalled ? -1 : process.terminationStatus,
        signal: wasSignalled ? process.terminationStatus : nil, output: text(paths.output),
        error: text(paths.error), seconds: taken)
      try? FileManager.default.removeItem(atPath: paths.output)
      try? FileManager.default.removeItem(atPath: paths.error)
      if isLate { Issue.record("it did not end within \(seconds) s: \(outcome)") }
      return outcome
    }
  }

  /// Starts the program. Its streams are files, because a pipe could become full.
  func start() throws -> Running {
    let running = Running()
    let process = running.process
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    var variables = ProcessInfo.processInfo.environment
    variables["XDG_CACHE_HOME"] = Built.cache
    // Plugins that somebody has installed here do not count.
    variables["XDG_DATA_HOME"] = Built.cache + "/no-data"
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    let name = NSTemporaryDirectory() + "imghost-e2e-" + UUID().uuidString
    running.paths = (name + ".out", name + ".err")
    for path in [name + ".out", name + ".err", name + ".in"] {
      _ = FileManager.default.createFile(atPath: path, contents: path.hasSuffix(".in") ? Data(input.utf8) : nil)
    }
    process.standardInput = FileHandle(forReadingAtPath: name + ".in")
    process.standardOutput = FileHandle(forWritingAtPath: name + ".out")
    process.standardError = FileHandle(forWritingAtPath: name + ".err")
    let ended = running.ended
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    // Some thousand of them, kept as long as their processes are, would be more than Foundation starts others with.
    for stream in [process.standardInput, process.standardOutput, process.standardError] {
      try? (stream as? FileHandle)?.close()
    }
    try? FileManager.default.removeItem(atPath: name + ".in")
    return running
  }

  func run() throws -> Outcome { try start().finish(within: seconds) }
}
