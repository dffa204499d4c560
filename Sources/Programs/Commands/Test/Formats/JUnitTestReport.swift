import CommandInterface
import ImageCore
import ImagePipeline

/// Prints results as JUnit XML, all at the end.
struct JUnitTestReport: TestReport {
  private var results: [TestResult] = []

  func begin(count: Int) {}

  mutating func add(_ result: TestResult) { results.append(result) }

  func end(_ totals: TestTotals, seconds: Double) {
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append("<testsuites name=\"imghost\" \(Self.counts(totals)) time=\"\(Self.time(seconds))\">")
    var files: [String] = []
    for result in results where !files.contains(result.test.file.path) { files.append(result.test.file.path) }
    for file in files { lines += Self.suite(file, results.filter { $0.test.file.path == file }) }
    Terminal.output((lines + ["</testsuites>"]).joined(separator: "\n"))
  }

  private static func suite(_ file: String, _ results: [TestResult]) -> [String] {
    var totals = TestTotals()
    for result in results { totals.add(result) }
    let seconds = results.reduce(0) { $0 + $1.seconds }
    let head = "  <testsuite name=\"\(XMLText.attribute(file))\" \(counts(totals)) time=\"\(time(seconds))\">"
    return [head] + results.map(testCase) + ["  </testsuite>"]
  }

  private static func testCase(_ result: TestResult) -> String {
    let test = result.test
    let head =
      "    <testcase classname=\"\(XMLText.attribute(test.file.path))\" name=\"\(XMLText.attribute(test.name))\" "
      + "time=\"\(time(result.seconds))\""
    var parts: [String] = []
    switch result.verdict {
    case .passed: break
    case .skipped(let reason): parts.append("<skipped message=\"\(XMLText.attribute(reason))\"/>")
    case .failed(let messages):
      let first = messages.first.map { String($0.prefix { $0 != "\n" }) } ?? ""
      parts.append(
        "<failure message=\"\(XMLText.attribute(first))\">\(XMLText.content(messages.joined(separator: "\n")))</failure>"
      )
    }
    if !result.printed.isEmpty {
      parts.append("<system-out>\(XMLText.content(result.printed.joined(separator: "\n")))</system-out>")
    }
    guard !parts.isEmpty else { return head + "/>" }
    return ([head + ">"] + parts.map { "      " + $0 } + ["    </testcase>"]).joined(separator: "\n")
  }

  private static func counts(_ totals: TestTotals) -> String {
    "tests=\"\(totals.count)\" failures=\"\(totals.failed)\" errors=\"0\" skipped=\"\(totals.skipped)\""
  }

  /// Returns seconds rounded to three decimals.
  private static func time(_ seconds: Double) -> String { ParameterValue.text((seconds * 1000).rounded() / 1000) }
}
