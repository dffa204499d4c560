import Platform

/// The memory of a process and of its descendants, from `proc(5)`.
enum ProcessTree {
  /// Returns the sum of the largest resident sizes that the running processes have had so far. Memory that several of
  /// them share, such as a library or a file, counts once, divided among them.
  static func peakBytes(_ root: pid_t) -> Int { peakBytes(root, except: nil, countsSharedOnce: true) }

  /// Returns the sum of the largest resident sizes, with shared memory counted in each process. This is fast, and does
  /// not stop the processes.
  static func roughPeakBytes(_ root: pid_t) -> Int { peakBytes(root, except: nil, countsSharedOnce: false) }

  /// - Parameter program: the program of the parent process. Between fork and exec, a process has the program and the
  ///   memory of its parent, which must not count twice.
  private static func peakBytes(_ process: pid_t, except program: String?, countsSharedOnce: Bool) -> Int {
    let folder = "/proc/\(process)"
    guard let own = link(folder + "/exe"), own != program, let status = TextFile.read(folder + "/status") else {
      return 0
    }
    let map = countsSharedOnce ? TextFile.read(folder + "/smaps_rollup") ?? "" : ""
    // The part of the shared resident memory that is counted for other processes.
    let shared = max(0, bytes("Rss:", in: map) - bytes("Pss:", in: map))
    var sum = max(0, bytes("VmHWM:", in: status) - shared)
    for task in Folder.files(folder + "/task", suffix: "") {
      for child in (TextFile.read(task + "/children") ?? "").split(separator: " ").compactMap({ pid_t($0) }) {
        sum += peakBytes(child, except: own, countsSharedOnce: countsSharedOnce)
      }
    }
    return sum
  }

  /// Returns the bytes in a line such as `VmHWM: 1234 kB`; 0 if there is none.
  private static func bytes(_ name: String, in text: String) -> Int {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }

  private static func link(_ path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes {
      readlink(path, $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}

/// Waits for the end of a child process. While this object exists, SIGCHLD is blocked, because `sigtimedwait(2)`
/// receives only blocked signals.
final class EndSignal {
  private var signals = sigset_t()
  private var before = sigset_t()

  init() {
    sigemptyset(&signals)
    sigaddset(&signals, SIGCHLD)
    sigprocmask(SIG_BLOCK, &signals, &before)
  }

  deinit { sigprocmask(SIG_SETMASK, &before, nil) }

  func wait(milliseconds: Int) {
    var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    sigtimedwait(&signals, nil, &time)
  }
}
