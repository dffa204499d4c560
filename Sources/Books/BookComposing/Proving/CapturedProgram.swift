import ImageCore
import Platform

/// A program whose standard output and error are read through one pipe.
struct CapturedProgram {
  enum Status: Equatable {
    case exited(Int32)
    case signalled(Int32)
    /// The program could not be waited for.
    case unknown
  }

  private let process: ChildProcess
  private let pipeEnd: Int32

  init(_ program: String, _ arguments: [String]) throws(FileError) {
    var ends: [Int32] = [0, 0]
    guard makePipe(&ends) == 0 else { throw FileError(.open, path: program, code: errno) }
    defer { close(ends[1]) }
    do throws(ChildProcess.Failure) {
      process = try ChildProcess(
        program, arguments,
        descriptors: [
          .duplicate(ends[1], as: STDOUT_FILENO), .duplicate(ends[1], as: STDERR_FILENO),
        ],
        // Signals are blocked in this process, but must not be blocked in the program.
        signals: .unblocked)
    } catch {
      close(ends[0])
      throw FileError(.open, path: program, code: error.code)
    }
    pipeEnd = ends[0]
  }

  /// Reads the output of the program until the program has ended. Kills the program if cancelled.
  func wait(isCancelled: () -> Bool) -> (output: String, Status) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var wasEnded = false
    while true {
      var poller = pollfd(fd: pipeEnd, events: Int16(POLLIN), revents: 0)
      let isSilent = poll(&poller, 1, 100) == 0
      if isCancelled() && !wasEnded {
        kill(process.identifier, SIGKILL)
        wasEnded = true
      }
      if isSilent { continue }
      let count = read(pipeEnd, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      // Output after the first 512 MiB is dropped, because a broken verifier may print endlessly. A report has some 250
      // bytes for a page with one picture.
      if bytes.count < 512 << 20 { bytes += buffer[..<count] }
    }
    close(pipeEnd)
    let output = String(decoding: bytes, as: UTF8.self)
    switch process.wait() {
    case .exit(let status): return (output, .exited(status))
    case .signal(let signal): return (output, .signalled(signal))
    case nil: return (output, .unknown)
    }
  }
}
