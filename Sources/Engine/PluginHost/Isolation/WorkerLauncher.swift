import ImageCore
import Platform

/// Starts workers for one library and hears what the plugin in it says of itself.
struct WorkerLauncher: Sendable {
  /// Path of `imghost-plugin-worker`.
  let program: String
  let library: String
  let readable: ReadableFiles
  /// Whether new memory holds zeros while the library is described, see `shim_clear_new_memory`: then malloc(3)
  /// may not keep freed blocks for itself, which it would hand out as they are. For frei0r plugins.
  var clearsMemory = false
  /// Whether blocks above 4 MB go back to the system as soon as they are free, in pages of 2 MB where there are such. For
  /// codecs: libraries keep decoded pictures scattered over the heap, and the next ones do not fit between them.
  var givesBlocksBack = false
  /// The byte that new memory holds instead of zeros; nil for zeros.
  var fill: Int?
  /// How long a call may take.
  let deadline: Duration
  /// The description the script was checked against.
  var expected: ExpectedDescription?
  /// Called when a worker gives another one: with its body if it is good for this run, and with nil if it is not.
  var onChange: @Sendable (_ renewed: WireReader?) -> Void = { _ in }
  /// The command that workers run under, see `PluginHost.Configuration`; nil for none.
  var command: String?
  /// How the worker is to go about a picture: the first argument of `imghost-plugin-worker`.
  var serveMode = "serve"

  /// Gets what workers print; nil for nobody.
  var output: PrintedOutput?

  init(
    program: String, library: String, deadline: Duration, describeDeadline: Duration, readable: ReadableFiles? = nil
  ) {
    self.program = program
    self.library = library
    self.deadline = deadline
    self.describeDeadline = describeDeadline
    self.readable = readable ?? ReadableFiles(library: library)
  }

  /// How long loading and describing may take, which does no work on pictures.
  let describeDeadline: Duration

  /// A worker that is about to describe the library.
  struct Describing {
    fileprivate let worker: WorkerProcess
    fileprivate let start: ContinuousClock.Instant
  }

  /// Starts a worker that describes the library; several may be at it at once.
  func beginDescribing() throws(CallFailure) -> Describing {
    Describing(worker: try process(mode: "describe"), start: ContinuousClock().now)
  }

  /// Hears what the worker says, and ends it.
  func description(_ describing: Describing, isCancelled: @escaping () -> Bool) throws(CallFailure)
    -> (PluginDescription, body: WireReader)
  {
    defer { describing.worker.end() }
    let passed = ContinuousClock().now - describing.start
    let body = try hear(describing.worker, limit: describeDeadline, passed: passed, isCancelled)
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

  /// Describes the library, under a command only if that is not possible without.
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
  /// - Parameter onWait: called every few milliseconds meanwhile.
  func serve(isCancelled: @escaping () -> Bool, onWait: @escaping () -> Void) throws(CallFailure) -> WorkerProcess {
    let worker = try process(mode: serveMode)
    let body = try hear(worker, limit: describeDeadline, passed: .zero, isCancelled, onWait)
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
    // Stacks of threads are memory, too, which the C library keeps for further threads as it is.
    let tunables = ["glibc.pthread.stack_cache_size=0"] + settings.map { "glibc.malloc." + $0 }
    let filling = fill.map { ["IMGHOST_WORKER_FILL=\($0)"] } ?? []
    return [readable.assignment, "GLIBC_TUNABLES=" + tunables.joined(separator: ":")] + filling
  }

  private func process(mode: String) throws(CallFailure) -> WorkerProcess {
    do throws(FileError) {
      guard let command else {
        return try WorkerProcess(program: program, arguments: [mode, library], variables: variables, output: output)
      }
      // The shell splits the command into words, and is replaced by it.
      return try WorkerProcess(
        debugging: "/bin/sh", arguments: ["-c", "exec \(command) \"$@\"", "sh", program, mode, library],
        variables: variables + [WorkerDebugging.variable + "=1"])
    } catch {
      throw .notStarted("\(error.path): \(error)" + (error.code == ENOENT ? Self.remedy : ""))
    }
  }

  private static let remedy = "; install the package imghost, or copy the program there"

  /// Longer than anybody debugs, and short enough to be multiplied.
  static let unlimited = Duration.seconds(1 << 32)

  /// The same under a command: without time limits.
  func under(_ command: String?) -> WorkerLauncher {
    guard let command else { return self }
    var launcher = WorkerLauncher(
      program: program, library: library, deadline: Self.unlimited, describeDeadline: Self.unlimited,
      readable: readable)
    launcher.clearsMemory = clearsMemory
    launcher.expected = expected
    launcher.onChange = onChange
    launcher.serveMode = serveMode
    launcher.command = command
    return launcher
  }

  /// Receives the first message of a worker: the body of the library's description.
  ///
  /// - Parameter passed: the time that has passed already.
  private func hear(
    _ worker: WorkerProcess, limit: Duration, passed: Duration,
    _ isCancelled: @escaping () -> Bool, _ onWait: @escaping () -> Void = {}
  ) throws(CallFailure) -> WireReader {
    let conversation = Conversation(
      worker: worker, number: 0, limit: limit, passed: passed, isCancelled: isCancelled, onLog: { _, _ in },
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
  /// Returns the first answer of a worker. A command that ends before it is the command's failure, not the plugin's.
  private func answer(_ conversation: Conversation) throws(CallFailure) -> (kind: Message, body: WireReader) {
    do throws(CallFailure) {
      return try conversation.answer()
    } catch .ended(.exit(let status)) where command != nil {
      throw .notStarted("the command '\(command!)' ended with status \(status) before the worker answered")
    }
  }
}

extension CallFailure {
  /// Why a file whose description failed so is no plugin.
  var refusal: PluginRefusal { if case .refused(let refusal) = self { refusal } else { .worker(description) } }
}

extension PluginRefusal {
  /// Whether the library may load under a debugger's or checker's command: a sanitizer must be there before it.
  var mayLoadElsewhere: Bool {
    switch self {
    case .cannotLoad, .worker: true
    default: false
    }
  }

  /// Reads the body of a `refused` message.
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
