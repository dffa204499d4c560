import CommandInterface
import ImageCore
import ImagePipeline

/// Prints results in the Test Anything Protocol, version 14, with messages as YAML.
struct TAPTestReport: TestReport {
  private var number = 0

  func begin(count: Int) { Terminal.output("TAP version 14\n1..\(count)") }

  mutating func add(_ result: TestResult) {
    number += 1
    let isFailure = if case .failed = result.verdict { true } else { false }
    var line = "\(isFailure ? "not ok" : "ok") \(number) - \(Self.escaped(result.test.title))"
    if case .skipped(let reason) = result.verdict { line += " # SKIP " + Self.escaped(reason) }
    Terminal.output(line)
    // A JSON string is also a YAML string.
    var rows = ["duration_ms: \(ParameterValue.text((result.seconds * 10_000).rounded() / 10))"]
    if case .failed(let messages) = result.verdict {
      rows.append("message: " + JSONText.quoted(messages.joined(separator: "\n")))
      rows.append("file: " + JSONText.quoted(result.test.file.path))
      if result.test.line > 0 { rows.append("line: \(result.test.line)") }
      if !result.printed.isEmpty {
        rows.append("printed: " + JSONText.quoted(result.printed.joined(separator: "\n")))
      }
    }
    Terminal.output((["---"] + rows + ["..."]).map { "  " + $0 }.joined(separator: "\n"))
  }

  func end(_ totals: TestTotals, seconds: Double) {}

  /// Returns a text escaped so that no part of it is read as a directive.
  private static func escaped(_ text: String) -> String {
    printable(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }
}
