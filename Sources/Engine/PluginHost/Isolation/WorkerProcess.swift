import CProcesses
import ImageCore
import Platform
import Synchronization

/// A process that runs foreign code, and the channel to it. The process ends when the last reference to this object is
/// released.
///
/// Used by one thread at a time: the one that took it from the pool.
///
/// `@unchecked Sendable`: the pool hands the worker from thread to thread, and its lock orders the accesses.
final class WorkerProcess: @unchecked Sendable {
  private let channel: Int32
  /// The descriptor that came with the first message; -1 for none. No other message may carry one.
  private var listener: Int32 = -1
  private var isFirstMessage = true
  private var process: ChildProcess?
  private var printed: PrintedLines
  /// Whether it runs under a debugger or checker, which may have work to do after the worker's end.
  private let isDebugged: Bool
  /// The original limit of the process's address space, noted when memory is lent to it for the first time; nil before
  /// that.
  private var ownAddressSpace: UInt64?

  /// - Parameters:
  ///   - variables: added to its environment, as `NAME=value`.
  ///   - output: receives its output; nil to discard it.
  convenience init(program: String, arguments: [String], variables: [String], output: PrintedOutput? = nil)
    throws(FileError)
  {
    let pipe = try Self.pair("pipe", shim_output_pipe)
    defer { close(pipe.1) }
    try self.init(
      program, arguments, environment: Self.environment + variables,
      streams: [
        .open("/dev/null", flags: O_RDONLY, as: 0), .duplicate(pipe.1, as: 1), .duplicate(pipe.1, as: 2),
      ], signals: .ownGroup, printed: PrintedLines(descriptor: pipe.0, output: output), isDebugged: false)
  }

  /// Starts a worker under a debugger or checker, for the author of a plugin. It shares the standard streams, the
  /// environment and the process group of this process, so the author can type commands and press Ctrl-C.
  convenience init(debugging program: String, arguments: [String], variables: [String]) throws(FileError) {
    try self.init(
      program, arguments, environment: Self.wholeEnvironment + variables, streams: [], signals: .unblocked,
      printed: PrintedLines(descriptor: -1, output: nil), isDebugged: true)
  }

  private init(
    _ program: String, _ arguments: [String], environment: [String], streams: [ChildProcess.Descriptor],
    signals: ChildProcess.Signals, printed lines: PrintedLines, isDebugged: Bool
  ) throws(FileError) {
    printed = lines
    self.isDebugged = isDebugged
    let (own, others): (Int32, Int32)
    do throws(FileError) {
      (own, others) = try Self.pair("socket", shim_channel_pair)
    } catch {
      printed.close()
      throw error
    }
    channel = own
    HiddenMemory.hide()
    defer { close(others) }
    do throws(ChildProcess.Failure) {
      process = try ChildProcess(
        program, arguments, environment: environment,
        descriptors: streams + [.duplicate(others, as: 3), .closed(from: 4)], signals: signals)
    } catch {
      HiddenMemory.show()
      printed.close()
      close(own)
      throw FileError(.open, path: program, code: error.code)
    }
  }

  /// Returns two connected descriptors.
  private static func pair(_ name: String, _ make: (UnsafeMutablePointer<Int32>) -> Int32)
    throws(FileError) -> (Int32, Int32)
  {
    var ends: (Int32, Int32) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) {
      make($0.bindMemory(to: Int32.self).baseAddress!)
    }
    guard made == 0 else { throw FileError(.create, path: name, code: errno) }
    return ends
  }

  deinit { end() }

  /// The resident memory of the process in bytes, without shared memory; nil if the process has ended, or if the system
  /// does not report it.
  var residentByteCount: Int? { process.flatMap { Platform.residentByteCount(of: $0.identifier) } }

  /// Whether the host has read anything that the process has printed.
  var hasPrinted: Bool { printed.hasLines }

  /// The count of threads granted to the process; used only if the system does not count its threads.
  let uncountedThreads = ThreadWarden.Uncounted()

  /// The process identifier; 0 once the process has been ended.
  var identifier: pid_t { process?.identifier ?? 0 }

  /// Whether the host has not ended the process yet.
  var isRunning: Bool { process != nil }

  /// The environment of a plugin: search paths of programs and libraries, language, time zone, temporary folder and
  /// fonts. Backtraces are disabled, because the host reports crashes.
  private static var environment: [String] {
    let names = ["PATH", "LD_LIBRARY_PATH", "LD_ORIGIN_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"] + fontNames
    let kept = names.compactMap { name in getenv(name).map { name + "=" + PathBytes.text($0) } }
    return kept + (ShippedFonts.assignment.map { [$0] } ?? []) + ["SWIFT_BACKTRACE=enable=no"]
  }

  /// The variables that determine where fontconfig finds a user's own fonts.
  private static let fontNames = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]

  private static var wholeEnvironment: [String] {
    var all: [String] = []
    var next = environ
    while let entry = next.pointee {
      all.append(PathBytes.text(entry))
      next += 1
    }
    return all
  }

  /// Raises the limit of the worker's address space, so that the worker can map this much lent memory in addition to
  /// its own. Replaces an earlier increase.
  func makeRoom(byteCount: Int) {
    guard let process else { return }
    let own = ownAddressSpace ?? shim_address_space(process.identifier)
    ownAddressSpace = own
    // Without a limit, nothing needs to change; if the system refuses, mapping fails and the worker reports it.
    if own > 0 { _ = shim_set_address_space(process.identifier, own + UInt64(byteCount)) }
  }

  /// Lowers the priority of the process permanently. Wraps `setpriority(2)`.
  func lowerPriority() {
    guard let process else { return }
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process.identifier), 10)
  }

  /// Sends one message; returns false if the worker has ended.
  func send(_ bytes: [UInt8], descriptors: [Int32] = []) -> Bool {
    // The descriptor of a closed channel may already have been reused for another worker's channel.
    isRunning && shim_send(channel, bytes, bytes.count, descriptors, descriptors.count) == 0
  }

  /// The outcome of waiting for a message.
  enum Received {
    case message([UInt8])
    /// The other end was closed.
    case closed
    /// A message that exceeds the size limit.
    case oversized
    case nothing
  }

  /// Waits for a message for at most `milliseconds`. Wraps `poll(2)` and `recvmsg(2)`.
  ///
  /// - Parameter spins: whether the answer is expected so soon that sleeping would take longer.
  func receive(milliseconds: Int, spins: Bool = true) -> Received {
    guard isRunning else { return .closed }
    let ready = shim_wait(channel, printed.descriptor, Int32(clamping: milliseconds), spins ? 1 : 0)
    // Output is read first, because it was printed before the answer was sent.
    if ready & 2 != 0 { printed.read() }
    guard ready & 1 != 0 else { return .nothing }
    var count = 0
    var descriptors: [Int32] = [-1, -1]
    let takesDescriptor = isFirstMessage
    isFirstMessage = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Message.maximumByteCount) { buffer, filled in
      count = descriptors.withUnsafeMutableBufferPointer {
        shim_receive(channel, buffer.baseAddress, buffer.count, takesDescriptor ? $0.baseAddress : nil)
      }
      filled = max(count, 0)
    }
    if takesDescriptor { listener = descriptors[0] }
    if descriptors[1] >= 0 { close(descriptors[1]) }
    if count > 0 { return .message(bytes) }
    return count < 0 && errno == EMSGSIZE ? .oversized : .closed
  }

  /// Starts answering the worker's requests for threads. Returns false if the worker has sent no descriptor for them,
  /// or has ended.
  func countThreads() -> Bool {
    guard listener >= 0, let process else { return false }
    ThreadWarden.shared.serve(listener, of: process.identifier, uncountedThreads)
    listener = -1
    return true
  }

  /// Ends the process if it is still running, and releases it. Wraps `kill(2)` and `waitpid(2)`.
  ///
  /// A debugged process ends by itself: its user may be inspecting it, and a checker has a report to write.
  ///
  /// - Parameters:
  ///   - patience: the time in milliseconds for it to end by itself.
  ///   - isCancelled: whether to end the process even if it is debugged, because it is no longer needed.
  /// - Returns: the way it ended by itself; nil if it had to be killed, or had been released before.
  @discardableResult
  func end(patience: Int = 0, isCancelled: Bool = false) -> ProcessEnding? {
    guard let process else { return nil }
    self.process = nil
    if listener >= 0 { close(listener) }
    listener = -1
    if isDebugged, !isCancelled {
      close(channel)
      defer { HiddenMemory.show() }
      return process.wait()
    }
    defer {
      close(channel)
      printed.read()
      printed.close()
      HiddenMemory.show()
    }
    for attempt in 0...patience {
      if attempt > 0 { usleep(1000) }
      var status: Int32 = 0
      let result = waitpid(process.identifier, &status, WNOHANG)
      if result == process.identifier { return ProcessEnding(status: status) }
      if result < 0 && errno != EINTR { return nil }
    }
    kill(process.identifier, SIGKILL)
    process.wait()
    return nil
  }
}

/// Protects this process's memory and environment from other processes of the same user while workers exist. Without
/// Landlock, workers could otherwise read `/proc/PID/mem`. During that time, core dumps and attaching debuggers are
/// impossible.
enum HiddenMemory {
  private static let state = Mutex((workers: 0, before: Int32(1)))

  /// Hides this process's memory from other processes. Called before each worker starts.
  static func hide() {
    state.withLock { state in
      if state.workers == 0 {
        state.before = shim_dumpable()
        _ = shim_set_dumpable(0)
      }
      state.workers += 1
    }
  }

  /// Restores the previous setting if no other worker is left. Called after each worker has ended.
  static func show() {
    state.withLock { state in
      state.workers -= 1
      // Only the value 1 can be restored. The system itself sets 2 for a program with more rights than its user.
      if state.workers == 0 && state.before == 1 { _ = shim_set_dumpable(1) }
    }
  }
}
