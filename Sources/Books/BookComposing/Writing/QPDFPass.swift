import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// The last pass over a finished PDF, if the options request it: the external program `qpdf` linearises the file,
/// encrypts it, or both.
package struct QPDFPass: Sendable {
  /// Whether objects are ordered so that a viewer can show the first page before it has received the whole file.
  let isLinearized: Bool
  /// The user password and the owner password; nil for none. Encryption is AES with 256 bits.
  let password: String?
  let ownerPassword: String?
  private let permissions: PDFPermissions

  init(_ arguments: Arguments) {
    isLinearized = arguments.boolean("linearize")
    password = arguments.optionalText("password")
    ownerPassword = arguments.optionalText("owner_password")
    permissions = PDFPermissions(arguments)
  }

  static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor(
      "linearize", .boolean, default: .boolean(false),
      help: "order the file for viewers that load it page by page; needs the program qpdf"),
    ParameterDescriptor(
      "password", .text, help: "encrypt the book with AES-256; needs the program qpdf"),
    ParameterDescriptor(
      "owner_password", .text,
      help:
        "password that opens all of an encrypted book; without it others may only read and print"),
    ParameterDescriptor(
      "allow", .texts,
      help: "what readers without the owner password may do: "
        + PDFPermissions.names.joined(separator: ", ")),
  ]

  private var encrypts: Bool { password != nil || ownerPassword != nil }
  /// Whether qpdf changes the finished file.
  var isNeeded: Bool { isLinearized || encrypts }

  /// Returns mistakes that a descriptor cannot find, one clause each.
  func problems(with arguments: Arguments) -> [OptionProblem] {
    var problems = PDFPermissions.problems(with: arguments)
    guard isNeeded else { return problems }
    if Self.program == nil {
      problems.add("linearize", "and 'password' need the program qpdf, which is not on the PATH")
    }
    for (name, text) in [("password", password), ("owner_password", ownerPassword)] {
      guard let text else { continue }
      if text.isEmpty { problems.add(name, "is empty, which protects nothing; leave it out") }
      // AES-256 supports passwords of at most 127 bytes (ISO 32000-2:2020, 7.6.4.3.3).
      if text.utf8.count > 127 || text.utf8.contains(where: { $0 < 0x20 }) {
        problems.add(name, "is longer than 127 bytes or contains a control character")
      }
    }
    if encrypts, let standard = Conformance(rawValue: arguments.text("conformance")) {
      let family = standard.isForPrint ? "PDF/X" : "PDF/A"
      problems.add("\(family) forbids encryption; leave out 'password' or 'conformance'")
    }
    return problems
  }

  /// The arguments for qpdf that precede the paths.
  var words: [String] {
    var words = isLinearized ? ["--linearize"] : []
    if encrypts {
      words += ["--encrypt", password ?? "", ownerPassword ?? password ?? "", "256"]
      words += permissions.options + ["--"]
    } else {
      // PDF/A-1 requires a line end before `endstream` (6.1.7).
      words.append("--newline-before-endstream")
      // Encryption keys are random, so only a file without encryption can be reproducible.
      words.append("--deterministic-id")
    }
    return words
  }

  func run(on file: OutputFile) throws(PictureError) {
    guard isNeeded, let program = Self.program else { return }
    try file.rewrite { (written, target) throws(PictureError) in
      try Self.call(program, words.map { Array($0.utf8) } + [written, target].map(PathBytes.bytes(of:)))
    }
  }

  /// Calls qpdf. The arguments are passed in a file that only this user can read, because all users can see a command
  /// line.
  private static func call(_ program: String, _ words: [[UInt8]]) throws(PictureError) {
    let outcome: (output: String, CapturedProgram.Status)
    do throws(FileError) {
      let list = try TemporaryText(bytes: words.flatMap { $0 + [UInt8(ascii: "\n")] })
      defer { list.remove() }
      outcome = try CapturedProgram(program, ["@" + list.path]).wait(isCancelled: { false })
    } catch {
      throw .file(error)
    }
    guard case .exited(0) = outcome.1 else {
      let line = outcome.output.split(separator: "\n").first.map(String.init) ?? "no message"
      throw .operation(.unsuitable("qpdf could not rewrite the book: \(line)"))
    }
  }

  /// The path of the first `qpdf` on the PATH.
  package static let program: String? =
    (getenv("PATH").map { PathBytes.text($0) } ?? "").split(separator: ":").map { "\($0)/qpdf" }
    .first { access($0, X_OK) == 0 }
}

/// A text in a temporary file that only this user can read. The file is registered with `TemporaryFiles`, so that it is
/// removed even if a signal ends the process, except SIGKILL.
struct TemporaryText {
  private let file: TemporaryFile
  var path: String { file.path }

  init(_ text: String) throws(FileError) { try self.init(bytes: Array(text.utf8)) }

  init(bytes: [UInt8]) throws(FileError) {
    file = try TemporaryFiles.make()
    let code = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor) }
    if code != 0 {
      remove()
      throw .temporary(code, byteCount: bytes.count)
    }
  }

  func remove() { TemporaryFiles.end(file) }
}
