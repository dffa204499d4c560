import ImageCore
import ImagePipeline
import PictureTraits
import Scheduling
import VerifierOptions

/// Verifies documents for `img.verify` with `imghost-verify`.
package struct DocumentVerifier: DocumentChecker {
  private let program: VerifierProgram

  package init(_ program: VerifierProgram) { self.program = program }

  package func problems(with arguments: Arguments) -> [OptionProblem] {
    var problems: [OptionProblem] = []
    if let problem = program.problem { problems.add(problem) }
    if let size = arguments.optionalText("size"), VerifierProgram.points(ofPaper: size) == nil {
      problems.add(
        "size",
        "cannot be '\(printable(size))'; it takes a name such as 'a4' or '10x15', or a size "
          + "such as '210mm x 297mm'")
    }
    return problems
  }

  package func check(_ check: DocumentCheck, _ token: CancellationToken) -> DocumentReport {
    let output: String
    let status: CapturedProgram.Status
    do throws(VerifierFailure) {
      (output, status) = try program.run(
        Self.words(check) + program.limits, on: check.path,
        password: check.arguments.optionalText("password"), token)
    } catch {
      return DocumentReport(path: check.path, failure: "\(error)")
    }
    if token.isCancelled {
      return DocumentReport(path: check.path, failure: "not verified, because the run was cancelled")
    }
    return Self.report(on: check.path, output, status)
  }

  /// Returns the program's arguments for a script's options, except the password.
  static func words(_ check: DocumentCheck) -> [String] {
    var words = ["--json", "--progress", "never"] + VerifyOption.words(for: check.arguments)
    if let size = check.arguments.optionalText("size").flatMap(VerifierProgram.points(ofPaper:)) {
      words += ["--size", size]
    }
    for text in check.texts { words += ["--text", text] }
    return words
  }

  /// Returns the report that the program printed; if there is none, a failure with the first line of the output.
  static func report(on path: String, _ output: String, _ status: CapturedProgram.Status) -> DocumentReport {
    let lines = output.split(separator: "\n")
    if let line = lines.first(where: { $0.hasPrefix("{") }), let json = JSONReader.value(of: line) {
      return DocumentReport(json, path: path)
    }
    return DocumentReport(path: path, failure: lines.first.map(String.init) ?? "the verifier ended with \(status)")
  }
}

extension DocumentReport {
  /// Reads a line of `imghost-verify --json`.
  init(_ json: JSON, path: String) {
    self.init(path: path, isSound: json["ok"]?.isTrue ?? false)
    isSealed = json["sealed"]?.isTrue ?? false
    reasonUnsealed = isSealed ? nil : json["reason"]?.textValue
    pages = (json["pages"]?.items ?? []).map { page in
      Page(
        width: page["width"]?.numberValue ?? 0, height: page["height"]?.numberValue ?? 0,
        pictures: page["pictures"]?.items.count ?? 0, text: page["text"]?.textValue)
    }
    let option = json["option"]?.textValue
    findings = (json["findings"]?.items ?? []).map { Finding($0, of: option) }
    fonts = (json["fonts"]?.items ?? []).map {
      ($0["name"]?.textValue ?? "", $0["embedded"]?.isTrue ?? false)
    }
  }
}

extension DocumentReport.Finding {
  /// Reads a finding in the report of `imghost-verify --json`. `option` is the option that has a wrong value, if any.
  init(_ json: JSON, of option: String? = nil) {
    self.init(
      page: json["page"]?.integerValue, severity: json["severity"]?.textValue ?? "error",
      text: (option.map { "'\($0)': " } ?? "") + (json["text"]?.textValue ?? ""),
      area: json["area"].flatMap(UnitRectangle.init))
  }
}

extension UnitRectangle {
  /// Reads the four edges of a finding's area.
  fileprivate init?(_ json: JSON) {
    let numbers = json.items.compactMap(\.numberValue)
    guard numbers.count == 4 else { return nil }
    self.init(
      left: numbers[0], top: numbers[1], width: numbers[2] - numbers[0], height: numbers[3] - numbers[1])
  }
}
