import ImageCore

/// An option of the verifier. `imghost verify`, `imghost-verify` and `img.verify` share one table of options,
/// `VerifyOption.all`; parsing, help, checks and editor stubs derive from it.
package struct VerifyOption: Sendable {
  /// A place where an option can be given.
  package enum Place: Sendable {
    /// `imghost verify`.
    case command
    /// `imghost-verify`.
    case program
    /// `img.verify` in a script.
    case script
    /// The process of `imghost-verify` that checks one PDF. Help does not mention it.
    case worker
  }

  /// The option's name and help, and the range and the default of its value.
  package let parameter: ParameterDescriptor
  /// The word for the value in help, such as `FOLDER`; nil for a switch.
  package let placeholder: String?
  package let places: [Place]
  /// The parameter in scripts, if it differs.
  private let ownScriptParameter: ParameterDescriptor?
  /// The help of `imghost-verify`, if it differs.
  private let ownProgramHelp: String?
  package let repeats: Bool
  /// Whether an empty value is allowed and has a meaning.
  package let mayBeEmpty: Bool

  init(
    _ parameter: ParameterDescriptor, _ placeholder: String? = nil, in places: [Place], programHelp: String? = nil,
    script: ParameterDescriptor? = nil, repeats: Bool = false, mayBeEmpty: Bool = false
  ) {
    self.parameter = parameter
    self.placeholder = placeholder
    self.places = places
    ownScriptParameter = script
    ownProgramHelp = programHelp
    self.repeats = repeats
    self.mayBeEmpty = mayBeEmpty
  }

  /// The option on a command line, such as `--pages`.
  package var flag: String { "--" + parameter.name }
  /// The possible values of a choice; empty for other options.
  package var choices: [String] { if case .choice(let names) = parameter.kind { names } else { [] } }
  package var help: String { parameter.help }
  /// The phrase for an acceptable value in messages, such as `a whole number from 1 to 1024`.
  package var expectedValue: String {
    switch parameter.kind {
    case .integer, .number: "a " + parameter.kind.summary
    default: parameter.kind.summary
    }
  }
  package var programHelp: String { ownProgramHelp ?? help }
  /// The option in scripts; nil if they do not support it.
  package var scriptParameter: ParameterDescriptor? {
    places.contains(.script) ? ownScriptParameter ?? parameter : nil
  }

  /// Returns whether a value on a command line is acceptable.
  package func accepts(_ text: String) -> Bool {
    switch parameter.kind {
    case .integer(let range): Int(text).map(range.contains) ?? false
    case .number(let range): Double(text).map(range.contains) ?? false
    case .choice(let names): names.contains(text)
    default: true
    }
  }

  /// Returns the options that can be given in a place, in the order of its help.
  package static func all(in place: Place) -> [VerifyOption] { all.filter { $0.places.contains(place) } }
}

extension VerifyOption {
  private static let everywhere: [Place] = [.command, .program, .script]
  private static let commandLines: [Place] = [.command, .program]

  package static let all = workings + requirements + internals

  /// The options that control how the verifier works and reports.
  package static let workings = [
    VerifyOption(
      ParameterDescriptor(
        "expect", .text,
        help: "what the PDF must show, as imghost writes it; - for standard input"),
      "FILE", in: [.program]),
    VerifyOption(
      ParameterDescriptor("json", .boolean, help: "print one line of JSON for each PDF"),
      in: commandLines),
    VerifyOption(
      ParameterDescriptor(
        "jobs", .integer(1...1_024), help: "threads that check pages (default: one per processor)"),
      "N", in: commandLines),
    VerifyOption(
      ParameterDescriptor(
        "memory", .integer(1...1 << 50),
        help:
          "memory for rendering pages, such as 512M; a page that needs more is an error (default: "
          + "half of what is free, 2G at most)"),
      "SIZE", in: commandLines,
      programHelp: "bytes for rendering pages; a page that needs more is an error (default: 2 GB)"),
    VerifyOption(
      ParameterDescriptor("junit", .text, help: "also write a JUnit report, for CI"),
      "FILE", in: commandLines),
    VerifyOption(
      ParameterDescriptor(
        "contact", .text,
        help:
          "also write a PNG or JPEG that shows all pages, with those at fault marked in red; one "
          + "PDF only"),
      "FILE", in: commandLines),
    VerifyOption(
      ParameterDescriptor(
        "password", .text,
        help: "opens encrypted PDFs; other users can see it while the program runs"),
      "TEXT", in: everywhere,
      script: ParameterDescriptor("password", .text, help: "opens an encrypted document"),
      mayBeEmpty: true),
    VerifyOption(
      ParameterDescriptor(
        "password-file", .text,
        help: "reads the password from a file's first line; - for standard input"),
      "FILE", in: commandLines),
    VerifyOption(
      ParameterDescriptor(
        "root", .text,
        help: "folder that must hold the files of a manifest or list (default: its own folder)"),
      "FOLDER", in: [.command]),
    VerifyOption(
      ParameterDescriptor(
        "timeout", .integer(1...86_400), default: .integer(60),
        help:
          "seconds of processor time for opening a PDF, or for one page; a page gets 1 s more per "
          + "megapixel of its pictures (default: 60)"),
      "SECONDS", in: commandLines),
    VerifyOption(
      ParameterDescriptor(
        "progress", .choice(["auto", "always", "never"]), default: .text("auto"),
        help: "whether to show progress; auto does for long documents on a terminal"),
      "WHEN", in: commandLines),
  ]

  /// The options for requirements on a PDF in addition to its writer's expectations, and for texts in the report.
  package static let requirements = [
    VerifyOption(
      ParameterDescriptor(
        "pages", .integer(1...1_000_000), help: "the number of pages that there must be"),
      "N", in: everywhere),
    VerifyOption(
      ParameterDescriptor(
        "size", .text,
        help: "the size of every page, either way round: 'a4', '10x15', '210mm x 297mm'"),
      "SIZE", in: everywhere,
      programHelp: "the size of every page, either way round, in points, such as 595.28x841.89"),
    VerifyOption(
      ParameterDescriptor(
        "text", .text, help: "a text that must be there; may be repeated, in the order of the texts"
      ),
      "TEXT", in: everywhere,
      script: ParameterDescriptor(
        "text", .text, help: "a text that must be there, or a list of texts, in their order"),
      repeats: true),
    VerifyOption(
      ParameterDescriptor(
        "dpi", .number(1...100_000), unit: "pixels per inch",
        help: "the resolution that every picture must have at least",
        synonyms: ["resolution", "ppi", "density", "min_dpi"]),
      "N", in: everywhere),
    VerifyOption(
      ParameterDescriptor(
        "embedded-fonts", .boolean, default: .boolean(false),
        help: "every font must be embedded, the 14 standard ones too"),
      in: everywhere,
      script: ParameterDescriptor(
        "fonts", .choice(["any", "embedded"]), default: .text("any"),
        help: "whether every font must be embedded, the 14 standard ones too")),
    VerifyOption(
      ParameterDescriptor(
        "against", .text,
        help: "a folder: every picture must be one of its files, or made from some"),
      "FOLDER", in: everywhere),
    VerifyOption(
      ParameterDescriptor(
        "sealed", .boolean, default: .boolean(false),
        help: "the PDF must carry digests of what its pages should show, as imghost's books do"),
      in: everywhere),
    VerifyOption(
      ParameterDescriptor(
        "page-texts", .boolean, default: .boolean(false), help: "with --json, also give the text of each page"),
      in: everywhere,
      script: ParameterDescriptor(
        "page_texts", .boolean, default: .boolean(false), help: "whether 'sheets' of the report have the pages' texts")),
  ]

  private static let internals = [
    VerifyOption(
      ParameterDescriptor("worker", .boolean, help: "check the PDF in this process"), in: [.worker]),
    VerifyOption(
      ParameterDescriptor(
        "junit-descriptor", .integer(3...100_000), help: "where to write the JUnit report"),
      "N", in: [.worker]),
    VerifyOption(
      ParameterDescriptor(
        "password-descriptor", .integer(3...100_000), help: "where to read the password"),
      "N", in: [.worker]),
  ]
}

extension VerifyOption {
  /// Returns the options of a script as words of a command line. The caller adds the size in points, the texts and the
  /// password.
  package static func words(for arguments: Arguments) -> [String] {
    all(in: .script).flatMap { option -> [String] in
      guard let name = option.scriptParameter?.name, let value = arguments[name],
        !["size", "text", "password"].contains(name)
      else { return [] }
      switch value {
      case .boolean(let isOn): return isOn ? [option.flag] : []
      case .integer(let number): return [option.flag, String(number)]
      case .number(let number): return [option.flag, String(number)]
      case .text(let text) where option.placeholder == nil:
        return text == "embedded" ? [option.flag] : []
      case .text(let text): return [option.flag, text]
      default: preconditionFailure("'\(name)' has a value that no command line takes")
      }
    }
  }
}
