import Dispatch
import Foundation
import Platform
import Testing

/// The result of running a program.
struct Outcome: CustomStringConvertible {
  let status: Int32
  /// The signal that ended it, if one did.
  let signal: Int32?
  let output: String
  let error: String
  let seconds: Double

  var outputLines: [String] { Self.lines(output) }
  var errorLines: [String] { Self.lines(error) }

  /// The lines of standard error but for the summary, whose time differs from run to run.
  var messages: [String] { errorLines.filter { !($0.hasSuffix(" s") && $0.contains(" written (")) } }

  private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  /// Records an issue, with all that the program printed, unless it ended with a status and wrote a text to standard
  /// error.
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

/// One program to be run in a folder, with a limit of time after which it is killed, which fails the test.
struct Command {
  var program = Built.program("imghost")
  var arguments: [String]
  var folder: String
  /// Added to the test's own environment, in which the user's cache is another; nil removes.
  var environment: [String: String?] = [:]
  var input = ""
  /// The seconds that the program may take on an idle machine.
  var seconds = 20.0

  /// How much longer anything may take on a busy one: a limit tells what hangs, not what is slow.
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

    /// Waits until a condition holds; false when it never does.
    func wait(seconds: Double = 10, until condition: () -> Bool) -> Bool {
      let end = Date().addingTimeInterval(seconds * Command.patience)
      while Date() < end {
        if condition() { return true }
        usleep(2_000)
      }
      return false
    }

    /// Waits for its end, and kills it when that does not come.
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

  /// Starts it. Its streams are files, so that no pipe can fill.
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
