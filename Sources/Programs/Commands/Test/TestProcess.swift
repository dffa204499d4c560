import ImageCore
import ImagePipeline
import Platform
import Scheduling

/// Runs tests in processes of their own, and reads the events that the processes print.
struct TestProcess: Sendable {
  /// The time limit of one test, in seconds.
  let limit: Double
  let updates: Bool
  let cancellation: CancellationToken
  private let running = Monitor(0)
  /// The maximum time that cancelled processes may take to end, in seconds.
  private static let longestEnd = 4.0

  init(limit: Double, updates: Bool, cancellation: CancellationToken) {
    self.limit = limit
    self.updates = updates
    self.cancellation = cancellation
  }

  /// Waits up to `longestEnd` seconds until all processes have ended after a cancellation, because they may write into
  /// folders that are removed next.
  func waitForEnd() { _ = running.wait(seconds: Self.longestEnd) { $0 == 0 ? () : nil } }

  /// One test, or the failure to list the tests of a file.
  enum Listed {
    case test(TestCase)
    case failed(TestResult)

    var title: String {
      switch self {
      case .test(let test): test.title
      case .failed(let result): result.test.title
      }
    }
  }

  /// Returns the tests that a file declares, or the failure to list them.
  func list(_ file: TestFile) -> [Listed] {
    let unknown = TestCase(file: file, number: 0, name: String(PathName.name(file.path)), line: 0)
    let report = run(file, case: nil)
    if report.isWhole { return [.test(unknown)] }
    if let failure = report.failure(of: self) { return [.failed(TestResult(test: unknown, verdict: .failed(failure)))] }
    guard !report.names.isEmpty else {
      let line = "\(file.path): the file has no test; write t.test(\"name\", function() … end)"
      return [.failed(TestResult(test: unknown, verdict: .failed([line])))]
    }
    return report.names.enumerated().map { index, declared in
      .test(TestCase(file: file, number: index + 1, name: declared.name, line: declared.line))
    }
  }

  func run(_ test: TestCase) -> TestResult {
    let report = run(test.file, case: test.number)
    var result = TestResult(test: test, verdict: .passed, seconds: report.seconds)
    result.printed = report.printed
    result.updated = report.updated
    if let reason = report.skipped {
      result.verdict = .skipped(reason: reason)
    } else if let failure = report.failure(of: self) {
      result.verdict = .failed(failure)
    } else if test.number > 0, !report.hasEnded {
      result.verdict = .failed(["\(test.file.path): the test was not reached; does the file declare it every time?"])
    }
    return result
  }

  private func run(_ file: TestFile, case number: Int?) -> Report {
    var report = Report(file: file)
    if cancellation.isCancelled { return report }
    let began = monotonicSeconds()
    running.withLock { $0 += 1 }
    defer {
      running.withLock { $0 -= 1 }
      running.notifyAll()
    }
    do throws(FileError) {
      let folder = try ScratchFolder()
      defer { folder.remove() }
      var words = ["test-worker", "--out=" + folder.path]
      if let number { words.append("--case=\(number)") }
      if updates { words.append("--update") }
      let token = cancellation
      report.ending = try OwnProcess.run(
        words + ["--", file.name], in: file.project, group: .own, seconds: limit, isCancelled: { token.isCancelled })
    } catch {
      report.problem = "\(file.path): the test cannot be started: \(error)"
    }
    report.seconds = monotonicSeconds() - began
    report.read()
    return report
  }
}

extension TestProcess {
  /// The events of a test's process, and how it ended.
  fileprivate struct Report {
    let file: TestFile
    var ending: OwnProcess.Ending?
    var problem: String?
    var seconds = 0.0
    var names: [(name: String, line: Int)] = []
    var isWhole = false
    var hasEnded = false
    var skipped: String?
    var failures: [String] = []
    var notes: [String] = []
    var printed: [String] = []
    var updated: [String] = []

    init(file: TestFile) { self.file = file }

    mutating func read() {
      for line in (ending?.output ?? "").split(separator: "\n") {
        guard let event = JSONReader.value(of: line), let name = event["event"]?.textValue else { continue }
        let text = event["text"]?.textValue ?? ""
        switch TestEventName(rawValue: name) {
        case .declared: names.append((text, event["line"]?.integerValue ?? 0))
        case .isWhole: isWhole = true
        case .ended: hasEnded = true
        case .skipped: skipped = text
        case .updated: updated.append(text)
        case nil: break
        }
        switch name {
        case "failed": failures.append(shown(text))
        case "note": notes.append(shown(text))
        case "print": printed.append(text)
        default: break
        }
      }
    }

    /// Returns a message with the path of the test's file replaced by the one that the user gave.
    private func shown(_ text: String) -> String {
      text.hasPrefix(file.name + ":") ? file.path + text.dropFirst(file.name.count) : text
    }

    /// Returns the messages of a failed test; nil if it succeeded.
    func failure(of process: TestProcess) -> [String]? {
      if process.cancellation.isCancelled { return ["\(file.path): the test was interrupted"] }
      if let problem { return [problem] }
      guard let ending else { return nil }
      if ending.isOverdue {
        let limit = ParameterValue.text(process.limit)
        return ["\(file.path): the test took longer than \(limit) s and was stopped; raise the limit with --timeout"]
          + failures
      }
      if ending.status == 0 { return nil }
      let messages = ending.messages.split(separator: "\n").map { printable(String($0)) }
      let how: String
      switch ending.ending {
      case .signal(let number)?: how = "the process of the test ended with signal \(number)"
      case .exit(let status)?: how = "the process of the test ended with status \(status)"
      case nil: how = "the process of the test cannot be waited for"
      }
      let all = failures + (failures.isEmpty ? messages : []) + notes
      return all.isEmpty ? ["\(file.path): \(how)"] : all
    }
  }
}
