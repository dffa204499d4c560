import CShims
import ImageCore
import Platform
import Synchronization

/// A process that runs foreign code, and the channel to it. It ends with the last reference.
///
/// Used by one thread at a time: the one that took it from the pool.
///
/// `@unchecked Sendable`: handed from thread to thread by the pool, whose lock orders the accesses.
final class WorkerProcess: @unchecked Sendable {
  /// The shared memory the worker has mapped, 0 for none.
  var frame: UInt64 = 0
  /// Bytes of that memory, and of the file that a codec has open.
  var frameByteCount = 0
  var fileByteCount = 0
  private let channel: Int32
  /// The descriptor that came with the first message; -1 for none. No other message may bring one.
  private var listener: Int32 = -1
  private var isFirstMessage = true
  private var process: ChildProcess?
  private var printed: PrintedLines
  /// Whether it runs under a debugger or checker, which has work to do after the worker's end.
  private let isDebugged: Bool
  /// The address space it had before anything was lent to it; nil until then.
  private var ownAddressSpace: UInt64?

  /// Starts a worker.
  ///
  /// - Parameters:
  ///   - variables: added to its environment, `NAME=value`.
  ///   - output: gets what it prints; nil to have it printed nowhere.
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

  /// Starts a worker for the author of a plugin: with the streams, the environment and the signals of this process, so
  /// that a debugger can talk to its user.
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

  /// Two connected descriptors.
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

  /// The number of resident bytes of its memory, without those that it shares; nil where the system does not say.
  var residentByteCount: Int? { process.flatMap { Platform.residentByteCount(of: $0.identifier) } }

  /// Whether it has printed something, as far as anybody listened.
  var hasPrinted: Bool { printed.hasLines }

  /// Whether it has worked on a picture.
  var isUsed = false

  /// Its threads where the system does not count them.
  let uncountedThreads = ThreadWarden.Uncounted()

  /// The number of the process; 0 once it has been ended.
  var identifier: pid_t { process?.identifier ?? 0 }

  /// Whether it has not been ended from this side.
  var isRunning: Bool { process != nil }

  /// The environment of a plugin: folders of libraries, language and time zone. Backtraces are off, because the host
  /// reports crashes.
  private static var environment: [String] {
    let names = ["PATH", "LD_LIBRARY_PATH", "LD_ORIGIN_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"] + fontNames
    let kept = names.compactMap { name -> String? in
      guard let value = getenv(name) else { return nil }
      return name + "=" + String(cString: value)
    }
    return kept + (ShippedFonts.assignment.map { [$0] } ?? []) + ["SWIFT_BACKTRACE=enable=no"]
  }

  /// The variables that lead fontconfig to a user's own fonts.
  private static let fontNames = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]

  /// All variables of this process.
  private static var wholeEnvironment: [String] {
    var all: [String] = []
    var next = environ
    while let entry = next.pointee {
      all.append(String(cString: entry))
      next += 1
    }
    return all
  }

  /// Lets the worker map memory that is lent to it, beside what it may have itself: its address space is limited.
  /// Instead of what was lent before.
  func makeRoom(byteCount: Int) {
    guard let process else { return }
    let own = ownAddressSpace ?? shim_address_space(process.identifier)
    ownAddressSpace = own
    // No limit needs no more room; where the system refuses, mapping fails and the worker says so.
    if own > 0 { _ = shim_set_address_space(process.identifier, own + UInt64(byteCount)) }
  }

  /// Lowers the priority of the process for good. Wraps `setpriority(2)`.
  func giveWay() {
    guard let process else { return }
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process.identifier), 10)
  }

  /// Sends one message; false when the worker is gone.
  func send(_ bytes: [UInt8], descriptors: [Int32] = []) -> Bool {
    // The number of a closed channel may belong to the channel of another worker by now.
    isRunning && shim_send(channel, bytes, bytes.count, descriptors, descriptors.count) == 0
  }

  /// The outcome of waiting for a message.
  enum Received {
    case message([UInt8])
    /// The other end was closed.
    case closed
    /// A message larger than any may be.
    case oversized
    case nothing
  }

  /// Waits for a message for at most `milliseconds`. Wraps `poll(2)` and `recvmsg(2)`.
  ///
  /// - Parameter spins: whether an answer is expected so soon that sleeping would take longer.
  func receive(milliseconds: Int, spins: Bool = true) -> Received {
    guard isRunning else { return .closed }
    let ready = shim_wait(channel, printed.descriptor, Int32(clamping: milliseconds), spins ? 1 : 0)
    // Lines that were printed before an answer come before it.
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
    listener = descriptors[0]
    if descriptors[1] >= 0 { close(descriptors[1]) }
    if count > 0 { return .message(bytes) }
    return count < 0 && errno == EMSGSIZE ? .oversized : .closed
  }

  /// Has the worker's threads counted from now on; false if the last message brought no descriptor.
  func countThreads() -> Bool {
    guard listener >= 0, let process else { return false }
    ThreadWarden.shared.serve(listener, of: process.identifier, uncountedThreads)
    listener = -1
    return true
  }

  /// Ends the process, if it has not ended, and forgets it. Wraps `kill(2)` and `waitpid(2)`.
  ///
  /// One that is debugged ends in its own time: its user may be looking at it, and a checker has a report to write.
  ///
  /// - Parameters:
  ///   - patience: how long it may take to end by itself, in milliseconds.
  ///   - isCancelled: whether nobody wants it any more, debugged or not.
  /// - Returns: how it ended by itself, nil when it had to be killed.
  @discardableResult
  func end(patience: Int = 0, isCancelled: Bool = false) -> ProcessEnding? {
    guard let process = process?.identifier else { return nil }
    self.process = nil
    if listener >= 0 { close(listener) }
    listener = -1
    if isDebugged, !isCancelled {
      close(channel)
      defer { HiddenMemory.show() }
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0 { if errno != EINTR { return nil } }
      return ProcessEnding(status: status)
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
      let result = waitpid(process, &status, WNOHANG)
      if result == process { return ProcessEnding(status: status) }
      if result < 0 && errno != EINTR { return nil }
    }
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
    return nil
  }
}

/// Keeps this process's memory and environment from other processes of the same user while workers live: without
/// it `/proc/PID/mem` is open to them where there is no Landlock. Core dumps and debuggers that attach have to wait
/// as long.
enum HiddenMemory {
  private static let state = Mutex((workers: 0, before: Int32(1)))

  /// Called before a worker starts.
  static func hide() {
    state.withLock { state in
      if state.workers == 0 {
        state.before = shim_dumpable()
        _ = shim_set_dumpable(0)
      }
      state.workers += 1
    }
  }

  /// Called when it has ended; the last one restores what was.
  static func show() {
    state.withLock { state in
      state.workers -= 1
      // Only 1 can be set again: 2 is the system's own word for a program with more rights than its user.
      if state.workers == 0 && state.before == 1 { _ = shim_set_dumpable(1) }
    }
  }
}
