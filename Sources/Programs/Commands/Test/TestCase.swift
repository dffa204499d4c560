import ImageCore
import Platform

/// A file of tests.
struct TestFile: Sendable {
  /// The path as the user gave it, or as it was found.
  let path: String
  /// The folder that its tests run in: the file's own, or the one above it if that is called `tests`.
  let project: String
  /// The path inside the project.
  let name: String

  init(_ path: String) {
    self.path = path
    let folder = PathName.folder(path).map { $0.isEmpty ? "/" : String($0) } ?? "."
    let file = String(PathName.name(path))
    // The name of the folder counts, not that of a link to it.
    let whole = PathName.absolute(folder, in: currentFolder())
    if PathName.name(whole) == Self.testsFolder {
      project = String(PathName.folder(whole) ?? "/")
      name = Self.testsFolder + "/" + file
    } else {
      project = whole
      name = file
    }
  }

  static let testsFolder = "tests"
  static let ending = "_test.lua"
}

/// One test, or a file of which the tests are not known.
struct TestCase: Sendable {
  let file: TestFile
  /// From 1; 0 for a file that is one test.
  let number: Int
  let name: String
  /// The line that declares it; 0 for none.
  let line: Int

  /// The title in reports: `book_test.lua: keeps the size`.
  var title: String { number == 0 ? file.path : file.path + ": " + name }
}

/// The result of a test.
struct TestResult: Sendable {
  enum Verdict: Sendable, Equatable {
    case passed
    case skipped(reason: String)
    /// The messages, the first one of the failure itself.
    case failed([String])
  }

  let test: TestCase
  var verdict: Verdict
  var seconds = 0.0
  /// Lines that the test has printed.
  var printed: [String] = []
  /// Golden pictures that were written.
  var updated: [String] = []
}

/// How many tests ended how.
struct TestTotals: Sendable {
  var passed = 0
  var failed = 0
  var skipped = 0
  var count: Int { passed + failed + skipped }

  mutating func add(_ result: TestResult) {
    switch result.verdict {
    case .passed: passed += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    }
  }
}
