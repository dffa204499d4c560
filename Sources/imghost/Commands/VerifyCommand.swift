import ImageCore
import ImagePipeline

/// `imghost verify`: hands over to `imghost-verify`, the program that links poppler.
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "check PDFs: structure, sizes, and every page against its picture"
  static let operands = "PDF…"
  static let options = [
    CommandOption.json,
    CommandOption(name: "--jobs", value: "N", help: "threads; one a processor if not given"),
  ]
  static let details = """
    Exit status: 0 all verified; 1 a file cannot be read; 2 wrong usage; 4 a file that was read did
    not verify, or is no PDF.
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    guard !line.operands.isEmpty else {
      Terminal.error("imghost verify: " + UsageError.missingOperand("PDF").text)
      return .wrongUsage
    }
    var arguments: [String] = []
    do throws(UsageError) {
      if let jobs = try line.count("--jobs") { arguments += ["--jobs", String(jobs)] }
    } catch {
      Terminal.error("imghost verify: " + error.text)
      return .wrongUsage
    }
    if line.has("--json") { arguments.append("--json") }
    return VerifierProcess.replaceThisProcess(arguments + ["--"] + line.operands)
  }
}
