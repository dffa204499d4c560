import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// The files that `imghost test` runs: those that are named, and all `*_test.lua` in named folders and in their
/// subfolders `tests`.
enum TestFiles {
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
