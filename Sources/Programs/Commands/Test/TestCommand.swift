import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting
import Scheduling

enum TestCommand: Command {
  static let name = "test"
  static let summary = "run tests of scripts: sizes, pixels, golden pictures, pages and texts"
  static let operands = "[FILE…]"
  static let options = [
    CommandOption(
      name: "--filter", value: "TEXT", help: "only tests with this text in their title, such as 'book_test.lua: title'",
      repeats: true),
    CommandOption(
      name: "--format", value: "FORM", help: "form of the results on standard output",
      choices: TestFormat.allCases.map(\.rawValue), defaultValue: "text"),
    CommandOption(name: "--update", value: nil, help: "write golden pictures anew; look at them before you keep them"),
    CommandOption(
      name: "--jobs", value: "N", help: "tests that run at a time", defaultValue: "the available processors"),
    CommandOption(
      name: "--timeout", value: "SECONDS", help: "stop a test that takes longer", defaultValue: "60"),
  ]
  static let details = """
    FILE is a file of tests, or a folder. Without one, imghost test takes NAME_test.lua in the current
    folder and in its folder 'tests'. A test begins with local t = require "imghost.test", and runs a
    script with t.run("book.lua", { … }).

    Each test runs in a process of its own. Its working directory is the folder of its file, or the
    one above it if that is called 'tests'. Names are relative to it, also those of scripts and golden
    pictures.

    Exit status: 0 all tests passed; 1 some failed; 2 wrong usage, or there are no tests.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let files = try TestFiles.find(line.operands)
    let jobs = try line.count("--jobs") ?? Machine.detect().effectiveCores
    let limit = try line.seconds("--timeout") ?? 60
    let format = line.value("--format").flatMap(TestFormat.init) ?? .text
    Interruption.block()
    let cancellation = CancellationToken()
    let process = TestProcess(limit: limit, updates: line.has("--update"), cancellation: cancellation)
    let interruption = Interruption(
      cancellation: cancellation, timeout: nil, beforeExit: { _ in process.waitForEnd() })
    let began = monotonicSeconds()
    let all = OrderedWork.map(files, threads: jobs) { process.list($0) }.flatMap(\.self)
    let chosen = try filtered(all, by: line.values("--filter"))
    var report = format.report
    var totals = TestTotals()
    report.begin(count: chosen.count)
    OrderedWork.run(chosen.count, threads: jobs) { index in
      switch chosen[index] {
      case .test(let test): process.run(test)
      case .failed(let result): result
      }
    } deliver: { result in
      // An interrupted test has no result.
      guard !cancellation.isCancelled else { return true }
      totals.add(result)
      report.add(result)
      return true
    }
    interruption.end()
    if case .signal(let number)? = interruption.cause {
      Terminal.error("imghost: interrupted after \(totals.count) of \(chosen.count) tests")
      return .interrupted(by: number)
    }
    report.end(totals, seconds: monotonicSeconds() - began)
    return totals.failed == 0 ? .success : .someFailed
  }

  private static func filtered(_ all: [TestProcess.Listed], by filters: [String]) throws(UsageError)
    -> [TestProcess.Listed]
  {
    guard !filters.isEmpty else { return all }
    let chosen = all.filter { listed in filters.contains { listed.title.contains($0) } }
    guard !chosen.isEmpty else {
      let texts = filters.map { "'\(printable($0))'" }.joined(separator: " or ")
      throw .other("--filter: none of \(all.count) test\(all.count == 1 ? "" : "s") has \(texts) in its title")
    }
    return chosen
  }
}

/// The files that `imghost test` runs: those that are named, and all `*_test.lua` in named folders and in their
/// subfolders `tests`. Without names, the current folder counts as named.
private enum TestFiles {
  static func find(_ operands: [String]) throws(UsageError) -> [TestFile] {
    guard !operands.isEmpty else {
      let found = files(in: ".")
      guard !found.isEmpty else {
        throw .other(
          "no tests here: their files are called \(example) or \(TestFile.testsFolder)/\(example); "
            + "'imghost new NAME' makes a project with a test")
      }
      return found.map { TestFile($0) }
    }
    var paths: [String] = []
    for operand in operands {
      var status = stat()
      guard stat(operand, &status) == 0 else {
        throw .other("\(printable(operand)): \(FileError(.read, path: operand, code: errno))")
      }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        paths.append(operand)
        continue
      }
      let found = files(in: operand)
      guard !found.isEmpty else {
        throw .other("\(printable(operand)): the folder has no file \(example) or \(TestFile.testsFolder)/\(example)")
      }
      paths += found
    }
    var seen: Set<String> = []
    return paths.filter { seen.insert($0).inserted }.map { TestFile($0) }
  }

  private static let example = "NAME" + TestFile.ending

  private static func files(in folder: String) -> [String] {
    let base = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
    let inside = base + TestFile.testsFolder
    return names(in: folder).map { base + $0 } + names(in: inside).map { inside + "/" + $0 }
  }

  /// Returns the names of test files in a folder, in natural order.
  private static func names(in folder: String) -> [String] {
    let names = (folderNames(folder) ?? []).filter { $0.hasSuffix(TestFile.ending) && !PathName.isHidden($0) }
    return names.sorted { naturalOrder(Array($0.utf8), Array($1.utf8)) }
  }
}
