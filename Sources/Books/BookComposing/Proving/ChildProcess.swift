import ImageCore
import Platform

/// A program started with `posix_spawn(3)`, its standard output and error read through one pipe.
struct ChildProcess {
  enum Status {
    case exited(Int32)
    case signalled(Int32)
  }

  private let process: pid_t
  private let pipeEnd: Int32

  init(_ program: String, _ arguments: [String]) throws(FileError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw FileError(.open, path: program, code: errno) }
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    // This process blocks signals; the child gets them again.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pointers = ([program] + arguments).map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, &attributes, &pointers, environ)
    guard code == 0 else {
      close(ends[0])
      throw FileError(.open, path: program, code: code)
    }
    self.process = process
    pipeEnd = ends[0]
  }

  /// Reads everything the program prints until it has ended. Kills it when cancelled.
  func wait(isCancelled: () -> Bool) -> (output: String, Status) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var wasEnded = false
    while true {
      var poller = pollfd(fd: pipeEnd, events: Int16(POLLIN), revents: 0)
      if poll(&poller, 1, 100) == 0 {
        if isCancelled() && !wasEnded {
          kill(process, SIGKILL)
          wasEnded = true
        }
        continue
      }
      let count = read(pipeEnd, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      // A page takes some 300 bytes; a broken verifier may print without end.
      if bytes.count < 64 << 20 { bytes += buffer[..<count] }
    }
    close(pipeEnd)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let output = String(decoding: bytes, as: UTF8.self)
    return status & 0x7f == 0
      ? (output, .exited(status >> 8 & 0xff)) : (output, .signalled(status & 0x7f))
  }
}
