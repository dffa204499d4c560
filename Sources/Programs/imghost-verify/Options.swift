import ImageCore
import PDFVerify
import Platform
import VerifierOptions

/// The command line of `imghost-verify`. `VerifyOption.all` declares its options.
struct Options {
  private static let known = VerifyOption.all.filter {
    $0.places.contains(.program) || $0.places.contains(.worker)
  }

  /// Values by flag, in the order given; an empty list for a switch.
  private var values: [String: [String]] = [:]
  private(set) var paths: [String] = []
  private(set) var isHelp = false
  /// The password for encrypted PDFs; nil for none.
  private(set) var password: String?
  private var size: PageSize?
  /// The descriptor from which workers read the password, so that no list of processes shows the password.
  var passwordDescriptor: Int32?

  /// A mistake in the command line, as text.
  struct Mistake: Error {
    let text: String
  }

  init(_ words: [String]) throws(Mistake) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        paths += rest
        break
      } else if word == "--help" {
        isHelp = true
      } else if word.hasPrefix("-") {
        guard let option = Self.known.first(where: { $0.flag == word }) else {
          throw Mistake(text: "unknown option '\(word)'; see --help")
        }
        try take(option, &rest)
      } else {
        paths.append(word)
      }
    }
    guard !isHelp else { return }
    passwordDescriptor = number("--password-descriptor").map(Int32.init)
    try checkValues()
    try checkOutputs()
    password = try text("--password-file").map(Self.firstLine) ?? text("--password")
  }

  private mutating func take(_ option: VerifyOption, _ rest: inout ArraySlice<String>) throws(Mistake) {
    guard option.placeholder != nil else {
      values[option.flag] = []
      return
    }
    guard let text = rest.popFirst() else { throw Mistake(text: "\(option.flag) needs a value") }
    guard option.accepts(text) else {
      throw Mistake(text: "invalid value '\(text)' for \(option.flag): expected \(option.expectedValue)")
    }
    let earlier = values[option.flag] ?? []
    if option.flag == "--against", !earlier.isEmpty {
      throw Mistake(text: "--against: only one folder can be given; files in folders of it count")
    }
    let isPassword = option.flag.hasPrefix("--password")
    if isPassword, values["--password"] != nil || values["--password-file"] != nil {
      throw Mistake(text: "--password and --password-file: only one password can be given")
    }
    values[option.flag] = option.repeats ? earlier + [text] : [text]
  }

  private mutating func checkValues() throws(Mistake) {
    if paths.isEmpty { throw Mistake(text: "missing argument PDF; see --help") }
    for flag in ["--expect", "--contact"] where values[flag] != nil && paths.count > 1 {
      throw Mistake(text: "\(flag) takes one PDF, but \(paths.count) were given")
    }
    if let text = text("--size") {
      let sides = text.split(separator: "x").compactMap { Double($0) }
      guard sides.count == 2, sides.allSatisfy({ $0 >= 3 && $0 <= 1.08e9 }) else {
        throw Mistake(text: "invalid value '\(text)' for --size: expected points, such as 595.28x841.89")
      }
      size = PageSize(width: sides[0], height: sides[1])
    }
    guard (values["--text"] ?? []).allSatisfy({ $0.contains { !$0.isWhitespace } }) else {
      throw Mistake(text: "--text is empty; which text must be there?")
    }
  }

  /// Throws an error if `--junit` or `--contact` would overwrite a file that is read or that imghost did not write, if
  /// both name one file, or if the contact sheet's name does not have the extension of a PNG or a JPEG.
  private func checkOutputs() throws(Mistake) {
    for (flag, output) in [("--junit", junit), ("--contact", contact)] {
      guard let output else { continue }
      if paths.contains(where: { Self.areSame($0, output) }) {
        throw Mistake(text: "\(flag) would overwrite '\(output)', a PDF to verify")
      }
      let others = [expectations, text("--password-file")].compactMap { $0 }
      if others.contains(where: { Self.areSame($0, output) }) || isInFolderOfPictures(output) {
        throw Mistake(text: "\(flag) would overwrite '\(output)', which is read")
      }
    }
    if let junit, !WholeFile.mayReplace(junit, VerificationReport.isJUnitDocument) {
      throw Mistake(text: "--junit: \(junit): the file exists and is no report; choose another name, or remove it")
    }
    if let contact, ContactFile.Kind(contact) != nil, !ContactFile.mayReplace(contact) {
      throw Mistake(
        text: "--contact: \(contact): the file exists and is no contact sheet of 'imghost verify'; "
          + "choose another name, or remove it")
    }
    if let contact, ContactFile.Kind(contact) == nil {
      throw Mistake(text: "--contact writes PNG or JPEG; end its name in .png, .jpg or .jpeg, not '\(contact)'")
    }
    if let junit, let contact, Self.areSame(junit, contact) {
      throw Mistake(text: "--junit and --contact would both write '\(junit)'")
    }
  }

  /// Returns whether two paths refer to the same file.
  private static func areSame(_ path: String, _ other: String) -> Bool {
    if realPath(path) == realPath(other) { return true }
    let identity = FileIdentity(at: path)
    return identity != nil && identity == FileIdentity(at: other)
  }

  /// Returns whether a path leads to an existing file in the folder of sources, or to the same file as a path in it.
  private func isInFolderOfPictures(_ path: String) -> Bool {
    guard let against, let identity = FileIdentity(at: path) else { return false }
    if Self.realPath(path).utf8.starts(with: (Self.realPath(against) + "/").utf8) { return true }
    return FolderFiles(in: against).identities.contains(identity)
  }

  /// Returns the path with links resolved if the file exists, else the path unchanged.
  private static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return PathBytes.text(real)
  }

  /// Returns the first line of a file or of standard input (`-`), without its line end.
  private static func firstLine(_ path: String) throws(Mistake) -> String {
    let descriptor = openFile(path == "-" ? "/dev/stdin" : path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let file = fdopen(descriptor, "r") else {
      throw Mistake(
        text: "--password-file: \(path): \(FileError(.open, path: path, code: errno).description)")
    }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    guard getline(&line, &room, file) >= 0, let line else {
      throw Mistake(text: "--password-file: \(path): the file has no password in its first line")
    }
    let text = String(cString: line)
    return String(text.prefix { $0 != "\n" && $0 != "\r\n" })
  }
}

extension Options {
  private func text(_ flag: String) -> String? { values[flag]?.last }
  private func number(_ flag: String) -> Int? { text(flag).flatMap { Int($0) } }
  private func has(_ flag: String) -> Bool { values[flag] != nil }

  var expectations: String? { text("--expect") }
  var jobs: Int? { number("--jobs") }
  /// The maximum memory for pages in progress, in bytes; nil for the default of 2 GB.
  var memory: Int? { number("--memory") }
  var timeout: Int { number("--timeout") ?? 60 }
  var isJSON: Bool { has("--json") }
  /// The file for the JUnit report, in addition to the report on standard output.
  var junit: String? { text("--junit") }
  var contact: String? { text("--contact") }
  var against: String? { text("--against") }
  var progress: Progress.Mode { text("--progress").flatMap(Progress.Mode.init) ?? .auto }
  /// Whether this process does the check itself, see `Supervisor`.
  var isWorker: Bool { has("--worker") }
  /// The inherited descriptor that a worker writes its part of the JUnit file to.
  var junitDescriptor: Int32? { number("--junit-descriptor").map(Int32.init) }

  var requirements: Requirements {
    var requirements = Requirements(
      pages: number("--pages"), size: size, texts: values["--text"] ?? [], hasEmbeddedFonts: has("--embedded-fonts"),
      leastResolution: text("--dpi").flatMap { Double($0) }, isSealed: has("--sealed"))
    requirements.givesTexts = has("--page-texts")
    return requirements
  }

  /// Returns the arguments of a process that checks one of the PDFs.
  func workerArguments(_ path: String, junitDescriptor: Int32?) -> [String] {
    let kept = values.filter { !["--junit", "--password", "--password-file"].contains($0.key) }
    var arguments = ["--worker"]
    for (flag, texts) in kept.sorted(by: { $0.key < $1.key }) {
      arguments += texts.isEmpty ? [flag] : texts.flatMap { [flag, $0] }
    }
    if let passwordDescriptor { arguments += ["--password-descriptor", "\(passwordDescriptor)"] }
    if let junitDescriptor { arguments += ["--junit-descriptor", "\(junitDescriptor)"] }
    return arguments + ["--", path]
  }
}

// MARK: - Help

extension Options {
  /// The text of `--help`, generated from the declarations of the options.
  static var help: String {
    """
    usage: imghost-verify [options] PDF...

    Proves PDFs: structure, stored pictures, and every rendered page pixel by pixel.

    \(table(VerifyOption.workings))
      --help
          print this and exit

    What the PDF must be, beside what its writer says of it:

    \(table(VerifyOption.requirements))

    exit status: 0 nothing is wrong, 1 a file cannot be read, or the
    limit of memory is too low to check it, 2 wrong usage, 4 something is wrong

    """
  }

  private static func table(_ options: [VerifyOption]) -> String {
    options.filter { $0.places.contains(.program) }.map { option in
      "  \(option.flag)\(option.placeholder.map { " " + $0 } ?? "")\n"
        + wrapped(option.programHelp, width: 80).map { "      " + $0 }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// Wraps a text at spaces.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let line = lines.last, line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }
}
