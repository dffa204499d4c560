/// The format in which results are printed.
enum TestFormat: String, CaseIterable {
  case text
  /// The Test Anything Protocol: https://testanything.org/tap-version-14-specification.html
  case tap
  /// The XML that CI servers read.
  case junit

  var report: any TestReport {
    switch self {
    case .text: TextTestReport()
    case .tap: TAPTestReport()
    case .junit: JUnitTestReport()
    }
  }
}

/// Prints results on standard output, in the order of the tests, each as early as the format allows.
protocol TestReport {
  /// - Parameter count: the number of tests.
  mutating func begin(count: Int)
  mutating func add(_ result: TestResult)
  mutating func end(_ totals: TestTotals, seconds: Double)
}
