import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting
import Scheduling

/// Compares files with the sizes and digests in a manifest or a list of digests.
struct FileListCheck: Sendable {
  /// The only folder whose files are read; nil for the folder of the list. An output outside of it is an error, and a
  /// source outside of it is skipped.
  let root: String?
  let asJSON: Bool

  /// The result for one list.
  struct Outcome {
    let status: Int32
    /// The outputs that match the list and are PDFs.
    let documents: [String]
  }

  /// Returns whether an operand is a manifest or a list rather than a PDF.
  static func isList(_ path: String) -> Bool {
    if FileListKind(path: path) != nil { return true }
    let file = try? InputFile(path: path)
    let length = min(OutputManifest.beginning.utf8.count, file?.byteCount ?? 0)
    return (try? file?.bytes(at: 0, count: length))?.starts(with: OutputManifest.beginning.utf8) ?? false
  }

  /// Checks the files of a list, and reports the result on standard output.
  func run(_ path: String) -> Outcome {
    let listed: ListedFiles
    do throws(FileError) {
      let file = try InputFile(path: path)
      guard file.byteCount <= ListedFiles.mostBytes else { throw FileError(.read, path: path, code: EFBIG) }
      let bytes = try file.bytes(at: 0, count: file.byteCount)
      do throws(ListedFiles.Problem) {
        listed =
          FileListKind(path: path) == .digests
          ? try ListedFiles(digests: bytes) : try ListedFiles(manifest: bytes)
      } catch {
        return fail(path, error.text, .notVerified)
      }
    } catch {
      return fail(path, error.description, .someFailed)
    }
    let place = Place(list: path, root: root)
    let results = OrderedWork.map(listed.files, threads: Machine.detect().effectiveCores) { $0.check(in: place) }
    return report(path, listed, results)
  }

  private func report(_ path: String, _ listed: ListedFiles, _ results: [FileResult]) -> Outcome {
    let problems = zip(listed.files, results).compactMap { file, result in
      if case .wrong(let text) = result { (path: file.path, text: text) } else { nil }
    }
    let outside = results.count { $0 == .outside }
    tell(path, problems, checked: results.count - outside, outside: outside, unwritten: listed.unwritten)
    var known: Set<String> = []
    let documents = results.compactMap { result in
      if case .document(let path) = result, known.insert(path).inserted { path } else { nil }
    }
    return Outcome(status: (problems.isEmpty ? ExitStatus.success : .notVerified).rawValue, documents: documents)
  }

  private func fail(_ path: String, _ text: String, _ status: ExitStatus) -> Outcome {
    if asJSON {
      tell(path, [(path, text)], checked: 0)
    } else {
      Terminal.error("imghost verify: \(printable(path)): \(text)")
    }
    return Outcome(status: status.rawValue, documents: [])
  }

  private func tell(
    _ list: String, _ problems: [(path: String, text: String)], checked: Int, outside: Int = 0, unwritten: Int = 0
  ) {
    guard !asJSON else {
      let errors = problems.map { JSON.object([("path", .text($0.path)), ("message", .text($0.text))]) }
      return Terminal.output(
        JSON.object([
          ("manifest", .text(list)), ("verified", .boolean(problems.isEmpty)), ("files", .integer(checked)),
          ("outside", .integer(outside)), ("unwritten", .integer(unwritten)), ("errors", .array(errors)),
        ]).line)
    }
    func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
    let verdict = problems.isEmpty ? "verified" : "not verified: " + count(problems.count, "error")
    let more = [
      outside > 0 ? count(outside, "source") + " outside its folder not read" : nil,
      unwritten > 0 ? count(unwritten, "output") + " never written" : nil,
    ].compactMap(\.self).map { "; " + $0 }.joined()
    Terminal.output("\(printable(list)): \(count(checked, "file")), \(verdict)\(more)")
    for problem in problems {
      Terminal.output("\(printable(list)): error: \(printable(problem.path)): \(problem.text)")
    }
  }
}

private enum FileResult: Sendable, Equatable {
  case right
  /// The file matches the list, and is an output and a PDF.
  case document(path: String)
  case wrong(String)
  /// The file is a source outside the root, so it was not read.
  case outside
}

/// The folder of a list, and the root folder of all listed files that are read.
private struct Place: Sendable {
  /// The absolute folder that paths are relative to.
  let folder: String
  /// The only folder whose files are read, with links resolved; nil if it does not exist.
  let root: String?
  /// The name of the root for messages.
  let rootName: String

  init(list: String, root: String?) {
    let own = PathName.folder(list).map { $0.isEmpty ? "/" : String($0) } ?? "."
    folder = ListFolder.real(own) ?? own
    self.root = ListFolder.real(root ?? own)
    rootName = root ?? (own == "." ? "the current folder" : own)
  }

  /// Returns whether a path, with links resolved, is inside the root.
  func holds(_ path: String) -> Bool {
    guard let root else { return false }
    return path.utf8.starts(with: (root == "/" ? root : root + "/").utf8)
  }
}

extension ListedFiles.File {
  /// Compares the file with its entry in the list.
  fileprivate func check(in place: Place) -> FileResult {
    guard !path.utf8.contains(0) else { return .wrong("a path has no zero byte") }
    let whole = PathName.absolute(path, in: place.folder)
    // A link may lead outside. The path of a missing file is checked without resolving links.
    guard place.holds(ListFolder.real(whole) ?? whole) else {
      return isSource
        ? .outside
        : .wrong("it lies outside \(printable(place.rootName)) and is not read; name a folder around it with --root")
    }
    do {
      let file = try InputFile(path: whole)
      if let byteCount, byteCount != file.byteCount {
        return .wrong("it has \(file.byteCount) bytes instead of \(byteCount)")
      }
      guard try SHA256.digest(of: file, count: file.byteCount).description == digest else {
        return .wrong("its SHA-256 digest is another one: its bytes have changed")
      }
      let beginning = try file.bytes(at: 0, count: min(1_024, file.byteCount))
      let isDocument = PathName.fileExtension(path) == "pdf" || beginning.starts(with: "%PDF-".utf8)
      return !isSource && isDocument
        ? .document(path: whole) : .right
    } catch {
      return .wrong("\(error)")
    }
  }
}
