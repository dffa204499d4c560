import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import Platform
import Reporting

/// The names of the events that the process of a test sends in addition to the events of a run.
enum TestEventName: String {
  case declared = "test_declared"
  case isWhole = "test_file"
  case ended = "test_ended"
  case skipped = "test_skipped"
  case updated = "test_updated"
}

/// `imghost test-worker`: runs one test in this process, or lists those of a file. Only `imghost test` calls it, and no
/// help mentions it.
enum TestWorkerCommand: Command {
  static let name = "test-worker"
  static let summary = "run one test of a file; for 'imghost test' alone"
  static let operands = "FILE"
  static let maximumOperands = 1
  static let options = [
    CommandOption(name: "--out", value: "DIR", help: "folder for the test's own files"),
    CommandOption(name: "--case", value: "N", help: "the test, from 1; 0 for a file that is one; none to name all"),
    CommandOption(name: "--update", value: nil, help: "write golden pictures anew"),
  ]

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let file = try line.operand(0, "FILE")
    guard let folder = line.value("--out") else { throw .missingValue("--out", expected: "DIR") }
    let number = line.value("--case").flatMap { Int($0) }
    let mode = TestMode(
      part: number.map { $0 == 0 ? .whole : .test($0) } ?? .names,
      name: PathName.stem(String(PathName.name(file))), project: currentFolder(), folder: folder,
      updates: line.has("--update"), onEvent: emit, run: TestedRun(folder: folder).run)
    var options = RunOptions()
    options.outputFolder = folder
    return try ScriptRunner.run(
      line, options: options, reporter: RunReporter(asJSON: true, showsProgress: false), tests: mode)
  }

  @Sendable private static func emit(_ event: TestMode.Event) {
    func emit(_ name: TestEventName, _ fields: [(String, JSON)] = []) {
      Terminal.output(JSON.object([("event", .text(name.rawValue))] + fields).line)
    }
    switch event {
    case .declared(let name, let line): emit(.declared, [("text", .text(name)), ("line", .integer(line))])
    case .isWhole: emit(.isWhole)
    case .ended: emit(.ended)
    case .skipped(let reason): emit(.skipped, [("text", .text(reason))])
    case .updated(let path): emit(.updated, [("text", .text(path))])
    }
  }
}
