import ImageCore
import Platform

struct TestFile: Sendable {
  /// The path as the user gave it, or as the search for test files found it.
  let path: String
  /// The working folder of the tests: the folder of the file, or the parent folder if that folder is called `tests`.
  let project: String
  /// The path relative to the project.
  let name: String

  init(_ path: String) {
    self.path = path
    let folder = PathName.folder(path).map { $0.isEmpty ? "/" : String($0) } ?? "."
    let file = String(PathName.name(path))
    // A relative path such as `.` does not contain the folder's name, so the absolute path is used.
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

/// One test, or a file whose tests could not be listed.
struct TestCase: Sendable {
  let file: TestFile
  /// The number of the test, from 1; 0 if the whole file is one test, or its tests could not be listed.
  let number: Int
  let name: String
  /// The line that declares the test; 0 if there is none.
  let line: Int

  /// The title in reports: `book_test.lua: keeps the size`; only the path if the number is 0.
  var title: String { number == 0 ? file.path : file.path + ": " + name }
}

struct TestResult: Sendable {
  enum Verdict: Sendable, Equatable {
    case passed
    case skipped(reason: String)
    /// The test failed, with messages; the first one describes the failure itself.
    case failed([String])
  }

  let test: TestCase
  var verdict: Verdict
  var seconds = 0.0
  var printed: [String] = []
  /// The paths of the golden pictures that `--update` has written: the pictures that outputs must look like.
  var updated: [String] = []
}

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
