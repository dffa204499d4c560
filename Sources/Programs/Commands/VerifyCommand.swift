import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Scheduling
import VerifierOptions

/// `imghost verify`. The program `imghost-verify`, which links poppler, checks PDFs; this program checks the files of
/// lists.
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "check PDFs: structure, sizes, and every page against its picture; and the files of manifests"
  static let operands = "PDF|MANIFEST.json|LIST.sha256…"
  static let options = VerifyOption.all(in: .command).map(CommandOption.init)
  static let details = """
    A PDF that imghost wrote describes its own pages. For other PDFs the structure, the fonts and every
    rendered picture are checked, and the report does not call them verified.

    Of a manifest, as 'imghost run --manifest' writes it, every file must be there with its size and its
    SHA-256 digest; of a list of digests with its digest. PDFs among them are checked as PDFs, too. Paths
    lead from the folder of the manifest. A file outside of it and of --root is not read: a source is left
    out, an output is an error.

    Exit status: 0 nothing is wrong; 1 a file cannot be read, or 'ulimit -v' allows too little memory
    to check it; 2 wrong usage; 4 something is wrong with a file that was read, or it is not a PDF; with
    --sealed also a PDF without expectations.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    _ = try line.operand(0, "PDF")
    let arguments = try self.arguments(line)
    let lists = line.operands.filter(FileListCheck.isList)
    guard !lists.isEmpty else {
      return VerifierProcess.replaceThisProcess(arguments + ["--"] + line.operands)
    }
    if let report = ["--junit", "--contact"].first(where: line.has) {
      throw .other("\(report) describes PDFs, and '\(lists[0])' is a list of files; verify them one after another")
    }
    let check = FileListCheck(root: line.value("--root"), asJSON: line.has("--json"))
    let found = lists.map(check.run)
    let documents = line.operands.filter { !lists.contains($0) } + found.flatMap(\.documents)
    var status = found.map(\.status).max() ?? 0
    if !documents.isEmpty { status = max(status, VerifierProcess.run(arguments + ["--"] + documents)) }
    return ExitStatus(rawValue: status)
  }

  private static let mostMemory = 2 << 30

  private static func arguments(_ line: ParsedLine) throws(UsageError) -> [String] {
    var arguments: [String] = []
    for option in VerifyOption.all(in: .command) {
      let flag = option.flag
      switch flag {
      case "--root": continue
      case "--memory":
        let usual = min(mostMemory, Machine.detect().defaultMemoryBudget)
        arguments += [flag, String(try line.bytes(flag) ?? usual)]
      case "--size":
        guard let text = line.value(flag) else { continue }
        guard let size = VerifierProgram.points(ofPaper: text) else {
          throw .badValue(option: flag, value: text, expected: "a size such as 'a4' or '210mm x 297mm'")
        }
        arguments += [flag, size]
      default:
        let values = line.values(flag)
        if let wrong = values.first(where: { !option.accepts($0) }) {
          throw .badValue(option: flag, value: wrong, expected: option.expectedValue)
        }
        if line.has(flag) { arguments += values.isEmpty ? [flag] : values.flatMap { [flag, $0] } }
      }
    }
    return arguments
  }
}

extension CommandOption {
  /// Declares an option of `imghost verify` from the table that `imghost-verify` and `img.verify` use, too.
  fileprivate init(_ option: VerifyOption) {
    self.init(
      name: option.flag, value: option.placeholder, help: option.help, choices: option.choices, repeats: option.repeats,
      mayBeEmpty: option.mayBeEmpty)
  }
}
