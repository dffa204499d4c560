import Platform

/// The memory of a process and of those below it, from `proc(5)`.
enum ProcessTree {
  /// The sum of the largest resident sizes that the running processes have had so far. Memory that two of them share
  /// counts in both.
  static func peakBytes(_ root: pid_t) -> Int { peakBytes(root, except: nil) }

  /// - Parameter program: the program of the process above. Between fork and exec, a process shows the memory of the
  ///   one that started it, which does not count twice.
  private static func peakBytes(_ process: pid_t, except program: String?) -> Int {
    let folder = "/proc/\(process)"
    guard let own = link(folder + "/exe"), own != program, let status = TextFile.read(folder + "/status") else {
      return 0
    }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    var sum = (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    for task in Folder.files(folder + "/task", suffix: "") {
      for child in (TextFile.read(task + "/children") ?? "").split(separator: " ").compactMap({ pid_t($0) }) {
        sum += peakBytes(child, except: own)
      }
    }
    return sum
  }

  private static func link(_ path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes {
      readlink(path, $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}

/// Waits for the end of a child: as long as it lives, SIGCHLD is kept for `sigtimedwait(2)`.
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
