import ImageCore

extension VerificationReport {
  /// The report as a `testsuite` element of JUnit's XML, which continuous integration shows: one test for the
  /// document and one a page; warnings and notes go into `system-out`. What was not held against what it should show
  /// is skipped.
  public var junit: String {
    var cases = testCase("document", nil)
    for page in pages { cases += testCase("page \(page.number)", page.number) }
    // A page that was given up has findings, but no report.
    let reported = Set(pages.map(\.number))
    let others = Set(findings.compactMap(\.page)).subtracting(reported).sorted()
    for page in others { cases += testCase("page \(page)", page) }
    let tests = 1 + pages.count + others.count
    let failures = Set(findings.filter { $0.severity == .error }.map(\.page)).count
    let all = [nil] + pages.map(\.number) + others
    let skipped = all.count { reasonSkipped($0) != nil }
    return "  <testsuite name=\"\(XMLText.attribute(path))\" tests=\"\(tests)\""
      + " failures=\"\(failures)\" skipped=\"\(skipped)\">\n" + cases + "  </testsuite>\n"
  }

  /// The file around `testsuite` elements.
  public static func junitDocument(_ suites: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"imghost verify\">\n" + suites + "</testsuites>\n"
  }

  private func testCase(_ name: String, _ page: Int?) -> String {
    let mine = findings.filter { $0.page == page }
    let start = "    <testcase classname=\"\(XMLText.attribute(path))\" name=\"\(name)\""
    let reason = reasonSkipped(page)
    guard !mine.isEmpty || reason != nil else { return start + "/>\n" }
    var text = start + ">\n"
    if let reason { text += "      <skipped message=\"\(XMLText.attribute(reason))\"/>\n" }
    let errors = mine.filter { $0.severity == .error }
    if let first = errors.first {
      // One failure a test is what readers of this format count on.
      text += "      <failure message=\"\(XMLText.attribute(first.text))\">"
      text += XMLText.content(errors.map(\.text).joined(separator: "\n")) + "</failure>\n"
    }
    let rest = mine.filter { $0.severity != .error && $0.text != reason }
    if !rest.isEmpty {
      let lines = rest.map { "\($0.severity.rawValue): \($0.text)" }.joined(separator: "\n")
      text += "      <system-out>\(XMLText.content(lines))</system-out>\n"
    }
    return text + "    </testcase>\n"
  }
}
