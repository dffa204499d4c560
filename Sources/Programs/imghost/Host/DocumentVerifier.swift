import ImageCore
import ImagePipeline
import Scheduling

/// `img.verify`: the verifier's report as the engine has it.
struct DocumentVerifier: DocumentChecker {
  /// Threads the verifier may use.
  let jobs: Int
  /// Bytes that pages in work may take.
  let memory: Int

  func problems(with arguments: Arguments) -> [String] {
    var problems: [String] = []
    if let problem = VerifierProcess.problem { problems.append(problem) }
    if let size = arguments.optionalText("size"), VerifierProcess.points(ofPaper: size) == nil {
      problems.append(
        "'size' cannot be '\(printable(size))'; it takes a name such as 'a4' or '10x15', or a size "
          + "such as '210mm x 297mm'")
    }
    return problems
  }

  func check(_ check: DocumentCheck, _ token: CancellationToken) -> DocumentReport {
    var options = [
      "--json", "--progress", "never", "--jobs", String(jobs), "--memory",
      String(max(VerifierProcess.leastMemory, memory)),
    ]
    let arguments = check.arguments
    if let pages = arguments.optionalInteger("pages") { options += ["--pages", String(pages)] }
    if let size = arguments.optionalText("size").flatMap(VerifierProcess.points(ofPaper:)) {
      options += ["--size", size]
    }
    for text in check.texts { options += ["--text", text] }
    if let dpi = arguments.optionalNumber("dpi") {
      options += ["--dpi", String(dpi)]
    }
    if arguments.text("fonts") == "embedded" { options.append("--embedded-fonts") }
    if arguments.boolean("sealed") { options.append("--sealed") }
    if let folder = arguments.optionalText("against") { options += ["--against", folder] }
    let secret: TemporaryText?
    do throws(FileError) {
      secret = try arguments.optionalText("password").map { (text) throws(FileError) in
        try TemporaryText(text + "\n")
      }
    } catch {
      return DocumentReport(path: check.path, failure: "cannot hand over the password: \(error)")
    }
    defer { secret?.remove() }
    if let secret { options += ["--password-file", secret.path] }
    let lines: [Substring]
    let status: ChildProcess.Status
    do throws(FileError) {
      let (output, end) = try VerifierProcess.run(options + ["--", check.path], token)
      lines = output.split(separator: "\n")
      status = end
    } catch {
      return DocumentReport(path: check.path, failure: "the verifier cannot be started: \(error)")
    }
    if token.isCancelled {
      return DocumentReport(
        path: check.path, failure: "not verified, because the run was cancelled")
    }
    if let line = lines.first(where: { $0.hasPrefix("{") }), let json = JSONReader.value(of: line) {
      return DocumentReport(json, path: check.path)
    }
    let reason = lines.first.map(Self.message) ?? "the verifier ended with \(status)"
    return DocumentReport(path: check.path, failure: reason)
  }

  /// A line of the program's in the words of scripts: `'against': photos: there is no such folder`.
  private static func message(_ line: Substring) -> String {
    let prefix = "imghost-verify: "
    let text = line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line
    guard text.hasPrefix("--"), let colon = text.firstIndex(of: ":") else { return String(text) }
    return "'\(text[..<colon].dropFirst(2))'\(text[colon...])"
  }
}

extension DocumentReport {
  /// From a line of `imghost-verify --json`.
  init(_ json: JSON, path: String) {
    self.init(path: path, isSound: json["ok"]?.isTrue ?? false)
    isSealed = json["sealed"]?.isTrue ?? false
    reasonUnsealed = isSealed ? nil : json["reason"]?.textValue
    pages = (json["pages"]?.items ?? []).map { page in
      Page(
        width: page["width"]?.numberValue ?? 0, height: page["height"]?.numberValue ?? 0,
        pictures: page["pictures"]?.items.count ?? 0)
    }
    findings = (json["findings"]?.items ?? []).map { finding in
      Finding(
        page: finding["page"]?.integerValue, severity: finding["severity"]?.textValue ?? "error",
        text: finding["text"]?.textValue ?? "")
    }
    fonts = (json["fonts"]?.items ?? []).map {
      ($0["name"]?.textValue ?? "", $0["embedded"]?.isTrue ?? false)
    }
  }
}
