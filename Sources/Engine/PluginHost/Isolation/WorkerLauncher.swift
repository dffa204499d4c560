import ImageCore
import Platform

/// Starts workers for one library and reads the description that its plugin gives.
struct WorkerLauncher: Sendable {
  /// The path of `imghost-plugin-worker`.
  let program: String
  let library: String
  let readable: ReadableFiles
  /// Whether the worker may clear new memory while it loads the library, see `shim_clear_new_memory`: for frei0r
  /// plugins. malloc(3) must then not cache freed blocks, which it would reuse without clearing them.
  var clearsMemory = false
  /// Whether freed blocks above 4 MB are returned to the system immediately, with 2 MB pages if available. For codecs,
  /// whose libraries leave decoded pictures scattered over the heap, so that later ones do not fit between them.
  var givesBlocksBack = false
  /// The byte that fills new memory; nil for zeros.
  var fill: Int?
  /// The time limit of a call, for each 100 megapixels or part of them.
  private(set) var deadline: Duration
  /// The description that the script was checked against.
  var expected: ExpectedDescription?
  /// Called when the description from a worker differs from the expected one. Receives the body of the description if
  /// it is acceptable for this run, otherwise nil.
  var onChange: @Sendable (_ renewed: WireReader?) -> Void = { _ in }
  /// The command that workers run under, see `PluginHost.Configuration`; nil for none.
  var command: String?
  /// The mode in which the worker processes a picture: the first argument of `imghost-plugin-worker`.
  var serveMode = "serve"

  /// Receives the output that workers print; nil to discard it.
  var output: PrintedOutput?

  init(program: String, library: String, deadline: Duration, describeDeadline: Duration) {
    self.program = program
    self.library = library
    self.deadline = deadline
    self.describeDeadline = describeDeadline
    readable = ReadableFiles(library: library)
  }

  /// The time limit for loading and describing the library.
  private var describeDeadline: Duration

  /// A worker that is about to describe the library.
  struct Describing {
    fileprivate let worker: WorkerProcess
    fileprivate let start: ContinuousClock.Instant
  }

  /// Starts a worker that describes the library. Several such workers may run at the same time.
  func beginDescribing() throws(CallFailure) -> Describing {
    Describing(worker: try process(mode: "describe"), start: ContinuousClock().now)
  }

  /// Reads the description of the library from the worker, and ends the worker.
  func description(_ describing: Describing, isCancelled: @escaping () -> Bool) throws(CallFailure)
    -> (PluginDescription, body: WireReader)
  {
    defer { describing.worker.end() }
    let passed = ContinuousClock().now - describing.start
    let body = try hear(describing.worker, timeLimit: describeDeadline, passed: passed, isCancelled)
    var reader = body
    do throws(DescriptionError) {
      return (try PluginDescription(from: &reader), body)
    } catch {
      throw .refused(.invalid(error))
    }
  }

  /// Describes the library in a worker of its own.
  func describe(isCancelled: @escaping () -> Bool) throws(PluginRefusal) -> (PluginDescription, body: WireReader) {
    do throws(CallFailure) {
      return try description(try beginDescribing(), isCancelled: isCancelled)
    } catch {
      throw error.refusal
    }
  }

  /// Describes the library without `command`. If this fails in a way that the command may prevent, uses the command.
  func describe(orUnder command: String?) throws(PluginRefusal) -> (PluginDescription, body: WireReader) {
    do throws(PluginRefusal) {
      return try describe { false }
    } catch {
      guard command != nil, error.mayLoadElsewhere else { throw error }
      return try under(command).describe { false }
    }
  }

  /// Starts a worker that is ready for calls.
  ///
  /// - Parameter onWait: called every few milliseconds during the wait.
  func serve(isCancelled: @escaping () -> Bool, onWait: @escaping () -> Void) throws(CallFailure) -> WorkerProcess {
    let worker = try process(mode: serveMode)
    let body = try hear(worker, timeLimit: describeDeadline, passed: .zero, isCancelled, onWait)
    switch expected?.compare(body) {
    case .same: return worker
    case .renewed:
      onChange(body)
      return worker
    case .other, nil:
      onChange(nil)
      throw .changed
    }
  }

  private var variables: [String] {
    var settings: [String] = []
    if clearsMemory { settings.append("tcache_count=0") }
    if givesBlocksBack { settings += ["mmap_threshold=4194304", "hugetlb=1"] }
    // Thread stacks are memory, too. Without this setting, the C library would cache them for further threads without
    // clearing them.
    let tunables = ["glibc.pthread.stack_cache_size=0"] + settings.map { "glibc.malloc." + $0 }
    let filling = fill.map { ["IMGHOST_WORKER_FILL=\($0)"] } ?? []
    return [readable.assignment, "GLIBC_TUNABLES=" + tunables.joined(separator: ":")] + filling
  }

  private func process(mode: String) throws(CallFailure) -> WorkerProcess {
    do throws(FileError) {
      guard let command else {
        return try WorkerProcess(program: program, arguments: [mode, library], variables: variables, output: output)
      }
      // The shell splits the command into words, and is then replaced by it.
      return try WorkerProcess(
        debugging: "/bin/sh", arguments: ["-c", "exec \(command) \"$@\"", "sh", program, mode, library],
        variables: variables + [WorkerDebugging.variable + "=1"])
    } catch {
      throw .notStarted("\(error.path): \(error)" + (error.code == ENOENT ? Self.remedy : ""))
    }
  }

  private static let remedy = "; install the package imghost, or copy the program there"

  /// A time longer than any debugging session, but small enough to be multiplied.
  static let unlimited = Duration.seconds(1 << 32)

  /// Returns a launcher that runs workers under a command, without time limits; the same launcher for nil.
  func under(_ command: String?) -> WorkerLauncher {
    guard let command else { return self }
    var launcher = self
    (launcher.deadline, launcher.describeDeadline) = (Self.unlimited, Self.unlimited)
    launcher.command = command
    return launcher
  }

  /// Receives a worker's first answer: the body of the library's description.
  ///
  /// - Parameter passed: the time that has already passed since the worker was started.
  private func hear(
    _ worker: WorkerProcess, timeLimit: Duration, passed: Duration,
    _ isCancelled: @escaping () -> Bool, _ onWait: @escaping () -> Void = {}
  ) throws(CallFailure) -> WireReader {
    let conversation = Conversation(
      worker: worker, number: 0, timeLimit: timeLimit, passed: passed, isCancelled: isCancelled, onLog: { _, _ in },
      onWait: onWait, onCancel: {})
    var (kind, body) = try answer(conversation)
    switch kind {
    case .description: return body
    case .refused: throw .refused(PluginRefusal(from: &body))
    default: throw .garbled
    }
  }
}

extension WorkerLauncher {
  /// Returns the first answer of a worker. If `command` ends before the worker answers, the failure is attributed to
  /// the command, not to the plugin.
  private func answer(_ conversation: Conversation) throws(CallFailure) -> (kind: Message, body: WireReader) {
    do throws(CallFailure) {
      return try conversation.answer()
    } catch .ended(.exit(let status)) where command != nil {
      throw .notStarted("the command '\(command!)' ended with status \(status) before the worker answered")
    }
  }
}

extension CallFailure {
  /// The reason why a file is not a plugin, if this failure occurred when the file was described.
  var refusal: PluginRefusal { if case .refused(let refusal) = self { refusal } else { .worker(description) } }
}

extension PluginRefusal {
  /// Whether the library may load under a debugger's or checker's command. A library built with a sanitizer, for
  /// example, needs the sanitizer's own library to be loaded first.
  var mayLoadElsewhere: Bool {
    switch self {
    case .cannotLoad, .worker: true
    default: false
    }
  }

  fileprivate init(from body: inout WireReader) {
    guard let code = try? body.integer(UInt32.self), let reason = WorkerRefusal(rawValue: code) else {
      self = .invalid(.garbled)
      return
    }
    switch reason {
    case .cannotLoad: self = .cannotLoad((try? body.line()) ?? "")
    case .noEntry: self = .noEntry
    case .noDescription: self = .noDescription
    case .wrongVersion: self = .wrongVersion((try? body.integer(UInt32.self)) ?? 0)
    case .tooSmall: self = .invalid(.tooSmall)
    case .noFunctions: self = .invalid(.noFunctions)
    case .tooLong: self = .invalid(.tooLong)
    case .noCodec: self = .invalid(.codec("its imghost_codec is missing or lacks a function"))
    case .frei0r: self = .frei0r((try? body.line()) ?? "")
    }
  }
}

/// The environment variable that tells a worker not to confine itself, because it runs under a plugin author's debugger
/// or checker. Workers that are started normally never have the variable, because the host builds their environment.
package enum WorkerDebugging {
  package static let variable = "IMGHOST_WORKER_DEBUGGING"
}
