import ImageCore
import ImagePipeline
import LuaBindings
import Platform
import Synchronization

/// Runs the scripts that a test requests, each as `imghost run --json` in a process of its own, and reads the events.
final class TestedRun: Sendable {
  private let folder: String
  private let count = Atomic(0)

  /// - Parameter folder: the folder of the test's own files; each run writes into a subfolder of it by default.
  init(folder: String) { self.folder = folder }

  @Sendable func run(_ request: TestMode.Request, isCancelled: () -> Bool) -> Result<TestMode.Outcome, TestMode.Problem>
  {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    let output = request.outputFolder ?? folder + "/run-\(number)"
    var words = ["run", "--json", "--progress=never", "--out=" + output]
    words += request.settings.flatMap { ["--set", $0.name + "=" + $0.value] }
    if let onError = request.onError { words += ["--on-error", onError] }
    words += request.options + ["--", request.script] + request.arguments
    do throws(FileError) {
      let ending = try OwnProcess.run(words, group: .shared, isCancelled: isCancelled)
      return .success(Self.outcome(ending, folder: output))
    } catch {
      return .failure(TestMode.Problem("\(error)"))
    }
  }

  private static func outcome(_ ending: OwnProcess.Ending, folder: String) -> TestMode.Outcome {
    var outcome = TestMode.Outcome()
    outcome.folder = folder
    switch ending.ending {
    case .exit(let status)?: outcome.status = Int(status)
    case .signal(let number)?: outcome.status = 128 + Int(number)
    case nil: outcome.status = 1
    }
    for line in ending.output.split(separator: "\n") {
      if let event = JSONReader.value(of: line) { add(event, to: &outcome) }
    }
    // Mistakes in the command line are plain text, not events.
    outcome.messages += ending.messages.split(separator: "\n").map {
      TestMode.Outcome.Message(kind: "error", script: nil, line: nil, text: printable(String($0)))
    }
    outcome.outputs.sort { naturalOrder(Array($0.path.utf8), Array($1.path.utf8)) }
    return outcome
  }

  private static func add(_ event: JSON, to outcome: inout TestMode.Outcome) {
    switch event["event"]?.textValue {
    case "wrote":
      guard let file = event["path"]?.textValue else { return }
      let (width, height) = (event["width"]?.integerValue, event["height"]?.integerValue)
      outcome.outputs.append(
        TestMode.Outcome.Output(
          path: name(of: file, in: outcome.folder), file: file, byteCount: event["bytes"]?.integerValue ?? 0,
          size: width.flatMap { width in height.map { (width, $0) } }))
    case "failed", "note":
      outcome.messages.append(
        TestMode.Outcome.Message(
          kind: event["event"]?.textValue == "note" ? "note" : "error", script: event["script"]?.textValue,
          line: event["line"]?.integerValue, text: event["text"]?.textValue ?? ""))
    case "print": outcome.printed.append(event["text"]?.textValue ?? "")
    default: break
    }
  }

  /// Returns the path of an output relative to the output folder; a path outside of it is returned unchanged.
  private static func name(of file: String, in folder: String) -> String {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return file.utf8.starts(with: start.utf8) ? String(file.dropFirst(start.count)) : file
  }
}
