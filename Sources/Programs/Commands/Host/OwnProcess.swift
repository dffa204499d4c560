import ImageCore
import Platform
import Scheduling

/// This program once more, in a process of its own: a test, a script under test, or the small pictures of a report.
struct OwnProcess {
  enum Group {
    /// It belongs to the group of this process, and ends with it.
    case shared
    /// It leads a group of its own, which ends whole.
    case own
  }

  /// The end of the process, and its output.
  struct Ending {
    /// Nil where it could not be waited for.
    let ending: ProcessEnding?
    let output: String
    let messages: String
    /// Whether it was stopped because its time was over.
    let isOverdue: Bool

    /// The exit status; nil where a signal ended it.
    var status: Int32? { if case .exit(let status)? = ending { status } else { nil } }
  }

  /// The seconds between asking a process to end and ending it.
  private static let graceSeconds = 1.5
  /// The most bytes of each stream that are kept.
  private static let mostBytes = 32 << 20

  private let process: ChildProcess
  private let group: Group
  /// The ends of the pipes from standard output and standard error; −1 once closed.
  private var ends: [Int32]
  private var texts: [[UInt8]] = [[], []]
  private var askedAt: Double?
  private var isKilled = false

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - input: what it reads, at most 32 KB.
  ///   - folder: its working directory; nil for that of this process.
  ///   - seconds: the time after which it is stopped; nil for no limit.
  ///   - isCancelled: asked some ten times a second.
  static func run(
    _ words: [String], input: String = "", in folder: String? = nil, group: Group, seconds: Double? = nil,
    isCancelled: () -> Bool = { false }
  ) throws(FileError) -> Ending {
    var process = try OwnProcess(words, input: input, in: folder, group: group)
    return process.wait(until: seconds.map { monotonicSeconds() + $0 }, isCancelled)
  }

  private init(_ words: [String], input: String, in folder: String?, group: Group) throws(FileError) {
    self.group = group
    let pipes = try (0..<3).map { (_) throws(FileError) in try Self.makePipe() }
    defer { for end in [pipes[0].read, pipes[1].write, pipes[2].write] { close(end) } }
    // A pipe holds more than this.
    precondition(input.utf8.count <= 32 << 10, "too much input for a pipe that nobody empties")
    _ = Array(input.utf8).withUnsafeBytes { writeAll($0, to: pipes[0].write) }
    close(pipes[0].write)
    do throws(ChildProcess.Failure) {
      process = try ChildProcess(
        ownProgram, words, name: "imghost", folder: folder,
        descriptors: [
          .duplicate(pipes[0].read, as: STDIN_FILENO), .duplicate(pipes[1].write, as: STDOUT_FILENO),
          .duplicate(pipes[2].write, as: STDERR_FILENO), .closed(from: 3),
        ],
        signals: group == .own ? .ownGroup : .unblocked)
    } catch {
      close(pipes[1].read)
      close(pipes[2].read)
      throw FileError(.open, path: folder ?? ownProgram, code: error.code)
    }
    ends = [pipes[1].read, pipes[2].read]
  }

  /// Wraps `pipe(2)`; both ends close on exec.
  private static func makePipe() throws(FileError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FileError(.open, path: ownProgram, code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private mutating func wait(until deadline: Double?, _ isCancelled: () -> Bool) -> Ending {
    var isOverdue = false
    while ends.contains(where: { $0 >= 0 }) {
      readSome()
      let now = monotonicSeconds()
      if let askedAt {
        if now - askedAt > Self.graceSeconds { killNow() }
        // Something outside of its group holds its streams.
        if now - askedAt > Self.graceSeconds * 2 { break }
      } else if let deadline, now > deadline {
        isOverdue = true
        send(SIGTERM)
        askedAt = now
      } else if isCancelled() {
        send(SIGTERM)
        askedAt = now
      }
    }
    for end in ends where end >= 0 { close(end) }
    let ending = process.wait()
    // Its own processes must not outlive it.
    if group == .own { kill(-process.identifier, SIGKILL) }
    let texts = texts.map { String(decoding: $0, as: UTF8.self) }
    return Ending(ending: ending, output: texts[0], messages: texts[1], isOverdue: isOverdue)
  }

  private func send(_ signal: Int32) {
    kill(group == .own ? -process.identifier : process.identifier, signal)
  }

  private mutating func killNow() {
    guard !isKilled else { return }
    isKilled = true
    send(SIGKILL)
  }

  /// Reads what there is, and waits at most 0.1 s for it.
  private mutating func readSome() {
    var polled = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&polled, nfds_t(polled.count), 100) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    for index in ends.indices where ends[index] >= 0 && polled[index].revents != 0 {
      let count = read(ends[index], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        close(ends[index])
        ends[index] = -1
        continue
      }
      if texts[index].count < Self.mostBytes { texts[index] += buffer[..<count] }
    }
  }
}
