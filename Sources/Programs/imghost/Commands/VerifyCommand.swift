import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Scheduling

/// `imghost verify`: hands over to `imghost-verify`, the program that links poppler.
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "check PDFs: structure, sizes, and every page against its picture"
  static let operands = "PDF…"
  static let options = [
    CommandOption.json,
    CommandOption(name: "--jobs", value: "N", help: "threads; one a processor if not given"),
    CommandOption(
      name: "--memory", value: "SIZE",
      help:
        "bytes that pages in work may take, such as 512M; half of what is free, and 2G at most, if not given"
    ),
    CommandOption(
      name: "--junit", value: "FILE", help: "also a report as continuous integration reads it"),
    CommandOption(
      name: "--contact", value: "FILE",
      help: "also a PNG or JPEG of all pages, what did not verify marked in red; one PDF only"),
    CommandOption(
      name: "--password", value: "TEXT",
      help: "opens encrypted PDFs; other users can see it while the program runs", mayBeEmpty: true),
    CommandOption(
      name: "--password-file", value: "FILE",
      help: "the same from a file's first line; - for standard input"),
    CommandOption(
      name: "--timeout", value: "SECONDS",
      help: "that opening a PDF, or one page, may take; 60 if not given, and 1 more a megapixel"),
    CommandOption(
      name: "--progress", value: "WHEN",
      help: "auto (long documents on a terminal), always or never",
      choices: ["auto", "always", "never"]),
    CommandOption(
      name: "--against", value: "FOLDER",
      help: "every picture must be one of the folder's files, or made of one"),
    CommandOption(name: "--pages", value: "N", help: "how many pages there must be"),
    CommandOption(
      name: "--size", value: "SIZE",
      help: "the size of every page, either way round, such as a4 or '210mm x 297mm'"),
    CommandOption(
      name: "--text", value: "TEXT",
      help: "a text that must be there; may be repeated, in the order of the texts", repeats: true),
    CommandOption(
      name: "--dpi", value: "N", help: "pixels per inch that every picture must have at least"),
    CommandOption(
      name: "--embedded-fonts", value: nil, help: "every font must be embedded"),
    CommandOption(
      name: "--sealed", value: nil,
      help: "every PDF must say itself what its pages should show, as imghost's books do"),
  ]
  static let details = """
    A PDF that imghost wrote says itself what each page should show; of others the structure, the fonts
    and every rendered picture are judged, and the report does not call them verified.

    Exit status: 0 nothing is wrong; 1 a file cannot be read, or 'ulimit -v' allows too little memory
    to check it; 2 wrong usage; 4 something is wrong with a file that was read, or it is no PDF; with
    --sealed also a PDF without expectations.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    _ = try line.operand(0, "PDF")
    let arguments = try self.arguments(line)
    return VerifierProcess.replaceThisProcess(arguments + ["--"] + line.operands)
  }

  private static let mostMemory = 2 << 30

  private static func arguments(_ line: ParsedLine) throws(UsageError) -> [String] {
    var arguments: [String] = []
    if let jobs = try line.count("--jobs") { arguments += ["--jobs", String(jobs)] }
    let usual = min(mostMemory, Machine.detect().defaultMemoryBudget)
    arguments += ["--memory", String(try line.bytes("--memory") ?? usual)]
    for name in [
      "--junit", "--contact", "--progress", "--against", "--pages", "--dpi", "--timeout",
      "--password", "--password-file",
    ] {
      if let value = line.value(name) { arguments += [name, value] }
    }
    for text in line.values("--text") { arguments += ["--text", text] }
    if let text = line.value("--size") {
      guard let size = VerifierProgram.points(ofPaper: text) else {
        throw .badValue(
          option: "--size", value: text, expected: "a size such as 'a4' or '210mm x 297mm'")
      }
      arguments += ["--size", size]
    }
    for name in ["--json", "--embedded-fonts", "--sealed"] where line.has(name) {
      arguments.append(name)
    }
    return arguments
  }
}
