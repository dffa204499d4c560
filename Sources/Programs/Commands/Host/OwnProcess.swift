import ImageCore
import Platform
import Scheduling

/// This program, started again in a process of its own: for a test, for a script under test, or for the thumbnails of a
/// report.
struct OwnProcess {
  enum Group {
    /// The child belongs to the process group of this process, so that signals to the group reach both.
    case shared
    /// The child leads a process group of its own. Ending the child ends the whole group.
    case own
  }

  struct Ending {
    /// The ending; nil if waiting for the process failed.
    let ending: ProcessEnding?
    let output: String
    let messages: String
    /// Whether the process was stopped because it exceeded its time limit.
    let isOverdue: Bool

    /// The exit status; nil if a signal ended the process, or if waiting for it failed.
    var status: Int32? { if case .exit(let status)? = ending { status } else { nil } }
  }

  /// The time between SIGTERM and SIGKILL, in seconds.
  private static let graceSeconds = 1.5
  /// The number of bytes of each stream after which no more are kept.
  private static let mostBytes = 32 << 20

  private let process: ChildProcess
  private let group: Group
  /// The read ends of the pipes from standard output and standard error; −1 once closed.
  private var ends: [Int32]
  private var texts: [[UInt8]] = [[], []]
  private var askedAt: Double?
  private var isKilled = false

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - input: the bytes for standard input, at most 32 KiB.
  ///   - folder: the working directory; nil for that of this process.
  ///   - seconds: the time limit; nil for none.
  ///   - isCancelled: returns whether to end the program; called at least about ten times a second.
  static func run(
    _ words: [String], input: String = "", in folder: String? = nil, group: Group, seconds: Double? = nil,
    isCancelled: () -> Bool = { false }
  ) throws(FileError) -> Ending {
    var process = try OwnProcess(words, input: input, in: folder, group: group)
    return process.wait(until: seconds.map { monotonicSeconds() + $0 }, isCancelled)
  }

  private init(_ words: [String], input: String, in folder: String?, group: Group) throws(FileError) {
    self.group = group
    var pipes: [(read: Int32, write: Int32)] = []
    do throws(FileError) {
      for _ in 0..<3 { pipes.append(try Self.makePipe()) }
    } catch {
      for end in pipes.flatMap({ [$0.read, $0.write] }) { close(end) }
      throw error
    }
    defer { for end in [pipes[0].read, pipes[1].write, pipes[2].write] { close(end) } }
    // The input fits into the buffer of a pipe, so that writing it cannot block.
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

  /// Creates a pipe whose ends both close on exec.
  private static func makePipe() throws(FileError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Platform.makePipe(&ends) == 0 else { throw FileError(.open, path: ownProgram, code: errno) }
    return (ends[0], ends[1])
  }

  private mutating func wait(until deadline: Double?, _ isCancelled: () -> Bool) -> Ending {
    var isOverdue = false
    while ends.contains(where: { $0 >= 0 }) {
      readSome()
      let now = monotonicSeconds()
      if let askedAt {
        if now - askedAt > Self.graceSeconds { killNow() }
        // Do not wait any longer: another process still holds the streams open.
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
    // Processes that the child started must not outlive it.
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

  /// Waits at most 0.1 s for output, and reads up to 64 KiB of each stream that has some.
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
