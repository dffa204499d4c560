import Platform

/// The parts that this program runs in processes of their own, so that the measuring process stays small. They are not
/// for users, and the help does not mention them.
enum Subprocess: String {
  case fileJudge = "--file-judge"
  case agreement = "--agreement"
  case holds = "--holds"
  case copies = "--copies"
  case largeInput = "--large-input"
  case pool = "--pool"

  func run(_ arguments: [String]) -> Int32 {
    switch self {
    case .fileJudge: FileJudge.run(arguments)
    case .agreement: FileJudge.runAgreement(arguments)
    case .holds: PDFPages.runHolds(arguments)
    case .copies: JPEGCopies.run(arguments)
    case .largeInput: LargeInput.run(arguments)
    case .pool: PoolWorker.run(arguments)
    }
  }

  func command(_ arguments: [String]) -> [String] { ["/proc/self/exe", rawValue] + arguments }
}

extension ChildProcess {
  /// Starts a command: a program and its arguments. Nil if it does not start.
  ///
  /// - Parameter variables: environment variables that are added or replaced.
  init?(
    _ command: [String], adding variables: [String: String], descriptors: [Descriptor], signals: Signals = .inherited
  ) {
    var environment = variables.map { "\($0.key)=\($0.value)" }
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if variables[String(text.prefix { $0 != "=" })] == nil { environment.append(text) }
      next += 1
    }
    do throws(Failure) {
      try self.init(
        command[0], Array(command.dropFirst()), environment: environment, descriptors: descriptors,
        signals: signals)
    } catch {
      return nil
    }
  }
}

extension ChildProcess.Descriptor {
  /// Discards what the program writes to standard error.
  static var noErrors: Self { .open("/dev/null", flags: O_WRONLY, as: STDERR_FILENO) }
}
