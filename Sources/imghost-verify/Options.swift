/// The command line of `imghost-verify`.
struct Options {
  var expectations: String?
  var jobs: Int?
  var timeout = 60
  var isJSON = false
  /// Whether this process does the checking itself, see `Supervisor`.
  var isWorker = false
  var isHelp = false
  var paths: [String] = []

  static let help = """
    usage: imghost-verify [options] PDF...

    Proves PDFs: structure, stored pictures, and every rendered page pixel by pixel.

      --expect FILE      what the PDF must show, as imghost writes it; - for standard input
      --jobs N           threads that check pages (default: one a processor)
      --timeout SECONDS  that opening the PDF, or one page, may take (default: 60)
      --json             one line of JSON a PDF instead of a table
      --help             this text

    exit status: 0 everything verified, 1 a file cannot be read, 2 wrong usage,
    4 something did not verify, whatever else

    """

  /// Why a command line makes no sense, in words.
  struct Mistake: Error {
    let text: String
  }

  init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--expect": expectations = try Self.value(argument, &rest)
      case "--jobs": jobs = try Self.number(argument, &rest, 1...1_024)
      case "--timeout": timeout = try Self.number(argument, &rest, 1...86_400)
      case "--json": isJSON = true
      case "--worker": isWorker = true
      case "--help": isHelp = true
      case "--":
        paths += rest
        rest = []
      case let option where option.hasPrefix("-"):
        throw Mistake(text: "unknown option '\(option)'; see --help")
      default: paths.append(argument)
      }
    }
    guard !isHelp else { return }
    if paths.isEmpty { throw Mistake(text: "which PDF? See --help") }
    if expectations != nil, paths.count > 1 {
      throw Mistake(text: "--expect goes with one PDF, not \(paths.count)")
    }
  }

  /// The arguments of a process that checks one of the PDFs.
  func workerArguments(_ path: String) -> [String] {
    var arguments = ["--worker", "--timeout", "\(timeout)"]
    if let expectations { arguments += ["--expect", expectations] }
    if let jobs { arguments += ["--jobs", "\(jobs)"] }
    if isJSON { arguments.append("--json") }
    return arguments + ["--", path]
  }

  private static func value(_ option: String, _ rest: inout ArraySlice<String>) throws(Mistake)
    -> String
  {
    guard let value = rest.popFirst() else { throw Mistake(text: "\(option) needs a value") }
    return value
  }

  private static func number(
    _ option: String, _ rest: inout ArraySlice<String>, _ range: ClosedRange<Int>
  ) throws(Mistake) -> Int {
    let text = try value(option, &rest)
    guard let number = Int(text), range.contains(number) else {
      throw Mistake(
        text: "\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text)'")
    }
    return number
  }
}
