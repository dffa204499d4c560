import CShims
import ImageCore
import Platform

/// One program that runs foreign code, and the channel to it. Ended with its last reference.
///
/// Belongs to one thread at a time: whoever took it from the pool.
///
/// `@unchecked Sendable`: handed from thread to thread by the pool, whose lock orders the accesses.
final class WorkerProcess: @unchecked Sendable {
  /// The shared memory the worker has mapped, 0 for none.
  var frame: UInt64 = 0
  private let channel: Int32
  private var process: pid_t?
  private var printed: PrintedLines
  /// The address space it had before anything was lent to it; nil until then.
  private var ownAddressSpace: UInt64?

  /// Starts a worker. Wraps `posix_spawn(3)`.
  ///
  /// - Parameters:
  ///   - variables: added to its environment, `NAME=value`.
  ///   - output: gets what it prints; nil to have it printed nowhere.
  init(
    program: String, arguments: [String], variables: [String], output: PrintedOutput? = nil
  ) throws(FileError) {
    let (own, others) = try Self.pair("socket", shim_channel_pair)
    let pipe: (reading: Int32, writing: Int32)
    do {
      pipe = try Self.pair("pipe", shim_output_pipe)
    } catch {
      for descriptor in [own, others] { close(descriptor) }
      throw error
    }
    HiddenMemory.hide()
    var identifier: pid_t = 0
    let code = withCStrings([program] + arguments) { arguments in
      withCStrings(Self.environment + variables) { environment in
        shim_spawn_worker(program, arguments, environment, others, pipe.writing, &identifier) == 0
          ? 0 : errno
      }
    }
    for descriptor in [others, pipe.writing] { close(descriptor) }
    printed = PrintedLines(descriptor: pipe.reading, output: output)
    guard code == 0 else {
      HiddenMemory.show()
      printed.close()
      close(own)
      throw FileError(.open, path: program, code: code)
    }
    channel = own
    process = identifier
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

  /// Bytes of its memory that are resident, without what it shares; nil where that cannot be read. Reads
  /// `/proc/PID/statm`, see proc(5).
  var residentByteCount: Int? {
    guard let process, let file = fopen("/proc/\(process)/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return nil }
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
    return pages.count == 3 ? (pages[1] - pages[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
  }

  /// Whether it has not been ended from this side.
  var isRunning: Bool { process != nil }

  /// What a plugin may see of the environment: where libraries lie, language and time zone. A crash of
  /// Swift code is not traced: the host says what happened.
  private static var environment: [String] {
    let names = ["PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"]
    let kept = names.compactMap { name -> String? in
      guard let value = getenv(name) else { return nil }
      return name + "=" + String(cString: value)
    }
    return kept + ["SWIFT_BACKTRACE=enable=no"]
  }

  /// Lets the worker map memory that is lent to it, beside what it may have itself: its address space is limited.
  /// Instead of what was lent before.
  func makeRoom(byteCount: Int) {
    guard let process else { return }
    let own = ownAddressSpace ?? shim_address_space(process)
    ownAddressSpace = own
    // No limit needs no more room; where the system refuses, mapping fails and the worker says so.
    if own > 0 { _ = shim_set_address_space(process, own + UInt64(byteCount)) }
  }

  /// Sends one message; false when the worker is gone.
  func send(_ bytes: [UInt8], descriptors: [Int32] = []) -> Bool {
    shim_send(channel, bytes, bytes.count, descriptors, descriptors.count) == 0
  }

  /// What waiting for a message came to.
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
    let ready = shim_wait(channel, printed.descriptor, Int32(clamping: milliseconds), spins ? 1 : 0)
    // What is printed before an answer is heard before it.
    if ready & 2 != 0 { printed.read() }
    guard ready & 1 != 0 else { return .nothing }
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Message.maximumByteCount) { buffer, filled in
      count = shim_receive(channel, buffer.baseAddress, buffer.count, nil)
      filled = max(count, 0)
    }
    if count > 0 { return .message(bytes) }
    return count < 0 && errno == EMSGSIZE ? .oversized : .closed
  }

  /// Ends the process, if it has not ended, and forgets it. Wraps `kill(2)` and `waitpid(2)`.
  ///
  /// - Parameter patience: how long it may take to end by itself, in milliseconds.
  /// - Returns: how it ended by itself, nil when it had to be killed.
  @discardableResult
  func end(patience: Int = 0) -> Ending? {
    guard let process else { return nil }
    self.process = nil
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
      if result == process { return Ending(status: status) }
      if result < 0 && errno != EINTR { return nil }
    }
    kill(process, SIGKILL)
    while waitpid(process, nil, 0) < 0 && errno == EINTR {}
    return nil
  }
}

/// How a process ended by itself.
enum Ending: Equatable {
  case signal(Int32)
  case exit(Int32)

  /// From the status that `waitpid(2)` gives.
  init(status: Int32) {
    self = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }
}

/// Lends strings as a C vector ended by NULL.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
