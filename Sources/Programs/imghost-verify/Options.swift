import ImageCore
import PDFVerify
import Platform

/// The command line of `imghost-verify`.
struct Options {
  var expectations: String?
  var jobs: Int?
  /// Bytes that pages in work may take; nil for the usual 2 GB.
  var memory: Int?
  var timeout = 60
  var isJSON = false
  /// Files to write beside the report on standard output.
  var junit: String?
  var contact: String?
  var against: String?
  /// What opens encrypted PDFs; nil for none.
  var password: String?
  /// Where that was read, which no report replaces.
  private var passwordFile: String?
  var progress = Progress.Mode.auto
  var requirements = Requirements()
  /// Where a worker writes its part of the JUnit file: a descriptor it inherits.
  var junitDescriptor: Int32?
  /// Where a worker reads the password: a descriptor it inherits, so that no list of processes shows it.
  var passwordDescriptor: Int32?
  /// Whether this process does the checking itself, see `Supervisor`.
  var isWorker = false
  var isHelp = false
  var paths: [String] = []

  static let help = """
    usage: imghost-verify [options] PDF...

    Proves PDFs: structure, stored pictures, and every rendered page pixel by pixel.

      --expect FILE      what the PDF must show, as imghost writes it; - for standard input
      --jobs N           threads that check pages (default: one a processor)
      --memory BYTES     that pages in work may take (default: 2 GB); a page that takes
                         more is an error
      --timeout SECONDS  of processor time that opening the PDF, or one page, may take
                         (default: 60); a page gets 1 s more a megapixel of its pictures
      --json             one line of JSON a PDF instead of a table
      --junit FILE       also a report as continuous integration reads it
      --contact FILE     also a PNG or JPEG of all pages, what did not verify marked in red; one PDF
                         only
      --password TEXT    opens encrypted PDFs; other users can see it while the program runs
      --password-file FILE
                         the same from a file's first line; - for standard input
      --progress WHEN    auto (long documents on a terminal), always, never

    What the PDF must be, beside what its writer says of it:

      --against FOLDER   every picture is one of the folder's files, or made of one
      --pages N          how many pages it has
      --size WxH         the size of every page in points, either way round
      --text TEXT        a text it has; may be repeated, in the order of the texts
      --dpi N            pixels per inch that every picture has at least
      --embedded-fonts   every font is embedded, the 14 standard ones too
      --sealed           it says itself what its pages should show, as imghost's books do

      --help             this text

    exit status: 0 nothing is wrong, 1 a file cannot be read, or the
    limit of memory is too low to check it, 2 wrong usage, 4 something is wrong

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
      case "--memory": memory = try Self.number(argument, &rest, 1...1 << 50)
      case "--timeout": timeout = try Self.number(argument, &rest, 1...86_400)
      case "--json": isJSON = true
      case "--junit": junit = try Self.value(argument, &rest)
      case "--contact": contact = try Self.value(argument, &rest)
      case "--against":
        guard against == nil else {
          throw Mistake(
            text: "--against: only one folder can be given; files in folders of it count")
        }
        against = try Self.value(argument, &rest)
      case "--password": try setPassword(try Self.value(argument, &rest))
      case "--password-file":
        let path = try Self.value(argument, &rest)
        try setPassword(Self.firstLine(path))
        passwordFile = path
      case "--password-descriptor":
        passwordDescriptor = Int32(try Self.number(argument, &rest, 3...100_000))
      case "--progress":
        let text = try Self.value(argument, &rest)
        guard let mode = Progress.Mode(rawValue: text) else {
          throw Mistake(text: "--progress takes auto, always or never, not '\(text)'")
        }
        progress = mode
      case "--pages": requirements.pages = try Self.number(argument, &rest, 1...1_000_000)
      case "--size": requirements.size = try Self.size(argument, &rest)
      case "--text":
        let text = try Self.value(argument, &rest)
        guard text.contains(where: { !$0.isWhitespace }) else {
          throw Mistake(text: "--text is empty; which text must be there?")
        }
        requirements.texts.append(text)
      case "--dpi":
        let text = try Self.value(argument, &rest)
        guard let dpi = Double(text), (1...100_000).contains(dpi) else {
          throw Mistake(text: "\(argument) takes a number from 1 to 100000, not '\(text)'")
        }
        requirements.leastResolution = dpi
      case "--embedded-fonts": requirements.hasEmbeddedFonts = true
      case "--sealed": requirements.isSealed = true
      case "--junit-descriptor":
        junitDescriptor = Int32(try Self.number(argument, &rest, 3...100_000))
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
    if contact != nil, paths.count > 1 {
      throw Mistake(text: "--contact goes with one PDF, not \(paths.count)")
    }
    for (option, output) in [("--junit", junit), ("--contact", contact)] {
      guard let output else { continue }
      if paths.contains(where: { Self.areSame($0, output) }) {
        throw Mistake(text: "\(option) would overwrite '\(output)', which is to be verified")
      }
      let others = [expectations, passwordFile].compactMap { $0 }
      if others.contains(where: { Self.areSame($0, output) }) || isInFolderOfPictures(output) {
        throw Mistake(text: "\(option) would overwrite '\(output)', which is read")
      }
    }
    if let contact, ContactFile.Kind(contact) == nil {
      throw Mistake(
        text: "--contact writes PNG or JPEG; end its name in .png, .jpg or .jpeg, not '\(contact)'")
    }
    if let junit, let contact, Self.areSame(junit, contact) {
      throw Mistake(text: "--junit and --contact would both write '\(junit)'")
    }
  }

  /// Whether two paths lead to one file, or are two names of one.
  private static func areSame(_ path: String, _ other: String) -> Bool {
    if realPath(path) == realPath(other) { return true }
    let identity = FileIdentity(at: path)
    return identity != nil && identity == FileIdentity(at: other)
  }

  /// Whether it is one of the files that pictures are compared with.
  private func isInFolderOfPictures(_ path: String) -> Bool {
    guard let against, let identity = FileIdentity(at: path) else { return false }
    if Self.realPath(path).utf8.starts(with: (Self.realPath(against) + "/").utf8) { return true }
    // Another name of one of them.
    return FolderFiles(in: against).identities.contains(identity)
  }

  /// The path without links where there is such a file, else as it is.
  private static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The arguments of a process that checks one of the PDFs.
  func workerArguments(_ path: String, junitDescriptor: Int32?) -> [String] {
    var arguments = ["--worker", "--timeout", "\(timeout)", "--progress", progress.rawValue]
    let texts = [("--expect", expectations), ("--contact", contact), ("--against", against)]
    for (name, value) in texts { if let value { arguments += [name, value] } }
    if let jobs { arguments += ["--jobs", "\(jobs)"] }
    if let memory { arguments += ["--memory", "\(memory)"] }
    if let passwordDescriptor { arguments += ["--password-descriptor", "\(passwordDescriptor)"] }
    if let junitDescriptor { arguments += ["--junit-descriptor", "\(junitDescriptor)"] }
    if isJSON { arguments.append("--json") }
    if let pages = requirements.pages { arguments += ["--pages", "\(pages)"] }
    if let size = requirements.size { arguments += ["--size", "\(size.width)x\(size.height)"] }
    for text in requirements.texts { arguments += ["--text", text] }
    if let dpi = requirements.leastResolution { arguments += ["--dpi", "\(dpi)"] }
    if requirements.hasEmbeddedFonts { arguments.append("--embedded-fonts") }
    if requirements.isSealed { arguments.append("--sealed") }
    return arguments + ["--", path]
  }

  private mutating func setPassword(_ text: String) throws(Mistake) {
    guard password == nil else {
      throw Mistake(text: "--password and --password-file: only one password can be given")
    }
    password = text
  }

  /// Of a file or of standard input, without its end of line.
  private static func firstLine(_ path: String) throws(Mistake) -> String {
    guard let file = fopen(path == "-" ? "/dev/stdin" : path, "re") else {
      throw Mistake(text: "--password-file: \(path): \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    guard getline(&line, &room, file) >= 0, let line else {
      throw Mistake(text: "--password-file: \(path): there is no password in it")
    }
    let text = String(cString: line)
    return String(text.prefix { $0 != "\n" && $0 != "\r\n" })
  }

  private static func size(_ option: String, _ rest: inout ArraySlice<String>) throws(Mistake)
    -> PageSize
  {
    let text = try value(option, &rest)
    let sides = text.split(separator: "x").compactMap { Double($0) }
    guard sides.count == 2, sides.allSatisfy({ $0 >= 3 && $0 <= 1.08e9 }) else {
      throw Mistake(text: "\(option) takes points, such as 595.28x841.89, not '\(text)'")
    }
    return PageSize(width: sides[0], height: sides[1])
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
