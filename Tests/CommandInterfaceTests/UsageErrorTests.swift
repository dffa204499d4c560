import Testing

@testable import CommandInterface

/// Each kind of error with its text.
struct UsageErrorTests {
  static let texts: [(UsageError, String)] = [
    (.unknownCommand("rnu", known: ["run", "ops"]), "unknown command 'rnu' (did you mean 'run'?)"),
    (.unknownCommand("xyzzy", known: ["run", "ops"]), "unknown command 'xyzzy'"),
    (
      .unknownOption("--jbos", valid: ["--jobs", "--help"], home: nil),
      "unknown option '--jbos' (did you mean '--jobs'?); valid: --jobs, --help"
    ),
    (
      .unknownOption("--sealed", valid: ["--jobs"], home: "verify"),
      "unknown option '--sealed' (an option of 'imghost verify'); valid: --jobs"
    ),
    (.missingValue("--jobs", expected: "N"), "missing value for --jobs: expected N"),
    (.unexpectedValue("--dry-run"), "unexpected value for --dry-run: it takes none"),
    (
      .badValue(option: "--set", value: "a", expected: "KEY=VALUE"), "invalid value 'a' for --set: expected KEY=VALUE"
    ),
    (
      .unusableFile(option: "--trace", path: ".", problem: "it is a folder, not a file"),
      "--trace: .: it is a folder, not a file"
    ),
    (.missingOperand("SCRIPT"), "missing argument SCRIPT"),
    (.unexpectedOperand("vignette"), "unexpected argument 'vignette'"),
    (.emptyOperand, "empty argument"),
    (.other("in its own words"), "in its own words"),
  ]

  @Test(arguments: texts)
  func text(_ error: UsageError, _ expected: String) { #expect(error.text == expected) }

  /// Fails when a case has no row. A new case does not compile until it is listed here.
  @Test func everyCaseHasARow() {
    let rows = Set(
      Self.texts.map { error, _ in
        switch error {
        case .unknownCommand: 0
        case .unknownOption: 1
        case .missingValue: 2
        case .unexpectedValue: 3
        case .badValue: 4
        case .unusableFile: 5
        case .missingOperand: 6
        case .unexpectedOperand: 7
        case .emptyOperand: 8
        case .other: 9
        }
      })
    #expect(rows == Set(0...9))
  }

  static let statuses: [([String], CommandInterface.ExitStatus)] = [
    (["paint", "a.png"], .success), (["tool", "test", "saw"], .someFailed),
    (["--version"], .success), (["paint", "--help"], .success),
  ]

  @Test(arguments: statuses)
  func exitStatus(_ words: [String], _ expected: CommandInterface.ExitStatus) {
    #expect(example.run(words) == expected)
  }

  @Test(arguments: [
    [], ["piant"], ["paint", ""], ["tool"], ["tool", "x"], ["tool", "test"],
    ["tool", "test", "saw", "hammer"], ["paint", "--jobs"],
  ])
  func wrongUsage(_ words: [String]) { #expect(example.run(words) == .wrongUsage) }
}
