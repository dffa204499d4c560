import CommandInterface
import ImagePipeline
import Reporting

/// Prints results for people: one line per test, followed by the messages of a failure, and by the paths in
/// `TestResult.updated`.
struct TextTestReport: TestReport {
  func begin(count: Int) {}

  func add(_ result: TestResult) {
    let title = printable(result.test.title)
    switch result.verdict {
    case .passed: Terminal.output("ok       \(title) (\(SummaryLine.decimal(result.seconds)) s)")
    case .skipped(let reason): Terminal.output("skipped  \(title)" + (reason.isEmpty ? "" : ": \(printable(reason))"))
    case .failed(let messages):
      Terminal.output("FAILED   \(title) (\(SummaryLine.decimal(result.seconds)) s)")
      for message in messages { print(message) }
      if !result.printed.isEmpty {
        print("printed:")
        for line in result.printed { print("  " + line) }
      }
    }
    for path in result.updated { print("updated \(path)") }
  }

  /// Prints indented lines below a test.
  private func print(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      Terminal.output("         " + printable(String(line)))
    }
  }

  func end(_ totals: TestTotals, seconds: Double) {
    var parts = ["\(totals.passed) passed"]
    if totals.failed > 0 { parts.append("\(totals.failed) failed") }
    if totals.skipped > 0 { parts.append("\(totals.skipped) skipped") }
    Terminal.output("\n" + parts.joined(separator: ", ") + " in \(SummaryLine.decimal(seconds)) s")
  }
}
