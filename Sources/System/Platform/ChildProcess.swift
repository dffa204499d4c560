import CPlatform

/// A program in a process of its own; wraps `clone(2)`, `execvpe(3)` and `waitpid(2)`.
///
/// The system kills the program whenever this process ends, unless `outlives` was set.
public struct ChildProcess: Sendable {
  /// A change to the initial descriptors of the program. Other descriptors are inherited unless they close on exec.
  public enum Descriptor: Sendable {
    case duplicate(Int32, as: Int32)
    /// A file that is opened as by `open(2)`. If it is created, all users may read and write it, subject to the umask.
    case open(String, flags: Int32, as: Int32)
    /// Closes all descriptors from a number on.
    case closed(from: Int32)
  }

  public enum Signals: Sendable {
    /// Signals are blocked and ignored as in the calling thread.
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
  ///   - program: a path; without a slash, a name that is searched for on the PATH.
  ///   - words: its arguments, without its name.
  ///   - name: the name that the program sees; nil for `program`.
  ///   - environment: entries `NAME=value`; nil for this process's environment.
  ///   - folder: its working directory; nil for that of this process.
  ///   - outlives: whether it continues when this process ends.
  public init(
    _ program: String, _ words: [String], name: String? = nil, environment: [String]? = nil, folder: String? = nil,
    descriptors: [Descriptor] = [], signals: Signals = .inherited, outlives: Bool = false
  ) throws(Failure) {
    var paths: [UnsafeMutablePointer<CChar>?] = []
    defer { for path in paths { free(path) } }
    let steps = descriptors.map { Self.step($0, &paths) }
    let (path, folder) = (PathBytes.copied(program), folder.flatMap(PathBytes.copied))
    paths += [path, folder]
    var identifier = pid_t()
    let code = withCStrings([name ?? program] + words) { words in
      withEnvironment(environment) { environment in
        steps.withUnsafeBufferPointer { steps in
          words.withUnsafeBufferPointer { words in
            let program = cplatform_program(
              path: path, words: words.baseAddress, environment: environment, folder: folder,
              descriptors: steps.baseAddress, descriptor_count: Int32(steps.count), signals: signals.number,
              ends_with_starter: outlives ? 0 : 1)
            return Starter.start(program, &identifier)
          }
        }
      }
    }
    guard code == 0 else { throw Failure(code: code) }
    self.identifier = identifier
  }

  /// Waits until the program has ended, but keeps its `identifier` in use, so that a signal to it cannot reach another
  /// process. Wraps `waitid(2)` with `WNOWAIT`.
  public func waitForEnd() {
    var ending = siginfo_t()
    while waitid(P_PID, id_t(identifier), &ending, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// Waits until the program has ended. Returns nil if waiting fails, with the reason in `errno`.
  @discardableResult
  public func wait() -> ProcessEnding? {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 { if errno != EINTR { return nil } }
    return ProcessEnding(status: status)
  }

  /// Converts a change to its C structure. A path is copied and added to `paths`.
  private static func step(_ descriptor: Descriptor, _ paths: inout [UnsafeMutablePointer<CChar>?])
    -> cplatform_descriptor
  {
    var step = cplatform_descriptor()
    switch descriptor {
    case .duplicate(let old, let new): (step.kind, step.source, step.number) = (cplatform_duplicate, old, new)
    case .open(let path, let flags, let new):
      paths.append(PathBytes.copied(path))
      (step.kind, step.path, step.flags, step.number) = (cplatform_open, UnsafePointer(paths.last!), flags, new)
    case .closed(let first): (step.kind, step.number) = (cplatform_close_from, first)
    }
    return step
  }
}

extension ChildProcess.Signals {
  fileprivate var number: Int32 {
    switch self {
    case .inherited: Int32(cplatform_inherited)
    case .unblocked: Int32(cplatform_unblocked)
    case .ownGroup: Int32(cplatform_own_group)
    }
  }
}

/// Creates the thread that starts programs. Must be called on a thread that still has the priority of the process: a
/// new thread inherits the priority of its creator, and a lowered priority cannot be raised again.
public func prepareToStartPrograms() { _ = Starter.isRunning }

/// The thread that starts all programs, and lives as long as this process. The system kills a program when the thread
/// that started it ends.
private enum Starter {
  private static let works = Monitor<[@Sendable () -> Void]>([])

  static let isRunning = startThread(stackByteCount: 256 << 10) {
    while true {
      let work = works.wait { $0.isEmpty ? nil : $0.removeFirst() }
      work()
    }
  }

  /// Starts a program, and returns 0 or the value of `errno`.
  static func start(_ program: cplatform_program, _ identifier: inout pid_t) -> Int32 {
    guard isRunning else { return EAGAIN }
    // `nonisolated(unsafe)`, because the caller waits until the thread has used the pointers.
    nonisolated(unsafe) let program = program
    var noted = cplatform_caller()
    cplatform_note_caller(&noted)
    let caller = noted
    let result = Monitor<(code: Int32, process: pid_t)?>(nil)
    works.withLock {
      $0.append {
        var (program, caller, process) = (program, caller, pid_t())
        let code = cplatform_start(&program, &caller, &process)
        result.withLock { $0 = (code, process) }
        result.notifyAll()
      }
    }
    works.notifyAll()
    let (code, process) = result.wait { $0 }
    identifier = process
    return code
  }
}

/// The arguments that this process was started with, beginning with the program's name.
///
/// Swift's own list comes from a map of the process's memory, which takes 0.1 ms and is empty if `/proc` is not
/// mounted. Names may contain bytes that are not UTF-8.
public var commandWords: [String] {
  var count: Int32 = 0
  guard let words = cplatform_arguments(&count) else { return CommandLine.arguments }
  return (0..<Int(count)).compactMap { words[$0].map { PathBytes.text($0) } }
}

/// The path of the running program: a link to it if the system has one, otherwise its file if that is known, or else
/// the name used to start it.
public var ownProgram: String {
  #if os(Linux)
    hasProcessFiles ? "/proc/self/exe" : ownProgramFile ?? commandWords.first ?? ""
  #else
    CommandLine.arguments[0]
  #endif
}

/// Whether `/proc` is mounted; a minimal root file system may lack it.
public let hasProcessFiles = access("/proc/self/exe", F_OK) == 0

/// The file of the running program with links resolved; nil if it is unknown. Wraps `readlink(2)` of `/proc/self/exe`,
/// or else `realpath(3)` of the path used to start the process.
public let ownProgramFile: String? = {
  var buffer = [CChar](repeating: 0, count: 4097)
  if readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 { return PathBytes.text(buffer) }
  guard let started = cplatform_started_path(), let resolved = realpath(started, nil) else { return nil }
  defer { free(resolved) }
  return PathBytes.text(resolved)
}()

/// The build ID that the linker has stored in the running program; empty if there is none.
public let ownBuildID: [UInt8] = [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
  count = Int(cplatform_build_id(bytes.baseAddress, UInt(bytes.count)))
}

/// Replaces this process by a program; wraps `execv(3)`. Returns only if the system refuses, with the reason in
/// `errno`.
///
/// - Parameter words: the command line, beginning with the program's name.
public func execProgram(_ path: String, _ words: [String]) {
  _ = withCStrings(words) { words in PathBytes.withBytes(of: path) { execv($0, words) } }
}

/// The way a process ended.
public enum ProcessEnding: Equatable, Sendable {
  case signal(Int32)
  case exit(Int32)

  /// Decodes the status that `waitpid(2)` returns.
  public init(status: Int32) { self = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f) }
}

/// Calls `body` with strings as a C array that ends with a null pointer.
private func withCStrings<Result>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let copies = strings.map { PathBytes.withBytes(of: $0) { strdup($0) } }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}

/// Calls `body` with an environment as a C array; nil stands for that of this process.
private func withEnvironment<Result>(
  _ entries: [String]?, _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  guard let entries else { return body(environ) }
  return withCStrings(entries) { $0.withUnsafeBufferPointer { body($0.baseAddress!) } }
}

/// The signals that exist only on Linux and end a process.
public var linuxSignals: [Int32] {
  #if canImport(Glibc)
    [SIGIO, SIGPWR, SIGSTKFLT]
  #else
    []
  #endif
}

/// Returns whether this process ignores a signal; wraps `sigaction(2)`.
public func isIgnored(signal number: Int32) -> Bool {
  var action = sigaction()
  sigaction(number, nil, &action)
  #if canImport(Glibc)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  #else
    return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
  #endif
}
