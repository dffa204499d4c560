import CPlatform

/// A program in a process of its own; wraps `posix_spawn(3)` and `waitpid(2)`.
public struct ChildProcess: Sendable {
  /// A change to the descriptors that the program begins with. Others are inherited unless they close on exec.
  public enum Descriptor: Sendable {
    case duplicate(Int32, as: Int32)
    /// A file opened as `open(2)` does; one that is made may be read and written by everybody.
    case open(String, flags: Int32, as: Int32)
    /// Closes all descriptors from a number on.
    case closed(from: Int32)
  }

  public enum Signals: Sendable {
    /// Signals are blocked and ignored as in this process.
    case inherited
    /// No signal is blocked.
    case unblocked
    /// No signal is blocked or ignored, and Ctrl-C reaches only this process, because the program has a process group
    /// of its own.
    case ownGroup
  }

  public struct Failure: Error {
    /// The value of `errno`.
    public let code: Int32
  }

  public let identifier: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path; looked for on the PATH where it has no slash.
  ///   - words: its arguments, without its name.
  ///   - name: the program's name, as it sees it; nil for `program`.
  ///   - environment: entries `NAME=value`; nil for this process's own.
  ///   - folder: its working directory; nil for that of this process.
  public init(
    _ program: String, _ words: [String], name: String? = nil, environment: [String]? = nil, folder: String? = nil,
    descriptors: [Descriptor] = [], signals: Signals = .inherited
  ) throws(Failure) {
    var actions = FileActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let folder {
      let code = cplatform_begin_in(&actions, folder)
      guard code == 0 else { throw Failure(code: code) }
    }
    for descriptor in descriptors { Self.add(descriptor, to: &actions) }
    var attributes = Attributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Self.set(signals, in: &attributes)
    var identifier = pid_t()
    let code = withCStrings([name ?? program] + words) { words in
      guard let environment else {
        return posix_spawnp(&identifier, program, &actions, &attributes, words, environ)
      }
      return withCStrings(environment) {
        posix_spawnp(&identifier, program, &actions, &attributes, words, $0)
      }
    }
    guard code == 0 else { throw Failure(code: code) }
    self.identifier = identifier
  }

  /// Waits until the program has ended; nil where it cannot be waited for, with the reason in `errno`.
  @discardableResult
  public func wait() -> ProcessEnding? {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 { if errno != EINTR { return nil } }
    return ProcessEnding(status: status)
  }

  // MARK: - setting up

  #if canImport(Darwin)
    private typealias FileActions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias FileActions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  private static func add(_ descriptor: Descriptor, to actions: inout FileActions) {
    switch descriptor {
    case .duplicate(let old, let new): posix_spawn_file_actions_adddup2(&actions, old, new)
    case .open(let path, let flags, let new):
      posix_spawn_file_actions_addopen(&actions, new, path, flags, 0o666)
    case .closed(let first):
      cplatform_close_from(&actions, first)
    }
  }

  private static func set(_ signals: Signals, in attributes: inout Attributes) {
    var flags = 0
    if signals != .inherited {
      var none = sigset_t()
      sigemptyset(&none)
      posix_spawnattr_setsigmask(&attributes, &none)
      flags |= Int(POSIX_SPAWN_SETSIGMASK)
    }
    if signals == .ownGroup {
      var all = sigset_t()
      sigfillset(&all)
      posix_spawnattr_setsigdefault(&attributes, &all)
      posix_spawnattr_setpgroup(&attributes, 0)
      flags |= Int(POSIX_SPAWN_SETSIGDEF) | Int(POSIX_SPAWN_SETPGROUP)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
  }
}

/// The path of the running program: a link to it where the system has one, else the name that it was started with.
public var ownProgram: String {
  #if os(Linux)
    "/proc/self/exe"
  #else
    CommandLine.arguments[0]
  #endif
}

/// Replaces this process by a program; wraps `execv(3)`. Returns only if the system refuses, with the reason in `errno`.
///
/// - Parameter words: the command line, beginning with the program's name.
public func execProgram(_ path: String, _ words: [String]) { _ = withCStrings(words) { execv(path, $0) } }

/// The way a process ended by itself.
public enum ProcessEnding: Equatable, Sendable {
  case signal(Int32)
  case exit(Int32)

  /// Reads the status that `waitpid(2)` gives.
  public init(status: Int32) { self = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f) }
}

/// Lends strings as a C vector that ends with a null pointer.
private func withCStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
