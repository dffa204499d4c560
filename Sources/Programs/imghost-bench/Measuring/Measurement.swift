import Platform

/// The time and memory of one run of a command.
struct Measurement {
  let seconds: Double
  /// The processor time in seconds, of all threads and of the children that the process waited for.
  let processorSeconds: Double
  /// The peak memory: the number in a line `peak-bytes N` of the command's output, if there is one. Otherwise the
  /// largest resident size of the process, from `wait4(2)`, or the largest sum that `ProcessTree` saw, if that is
  /// larger.
  ///
  /// The kernel's value includes the time between fork and exec, in which the child is a copy of this process, so it is
  /// never below the size of this process. Therefore this process stays small, and leaves pictures to other processes.
  let peakBytes: Int

  /// Runs a command to its end; nil if it fails.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments; a program without a slash is searched on the PATH.
  ///   - environment: variables in addition to those of this process.
  ///   - output: the file for the command's standard output; standard error is discarded.
  ///   - countsChildren: whether the memory of the processes that the command starts counts, too.
  init?(
    _ command: [String], environment: [String: String] = [:], output: String = "/dev/null", countsChildren: Bool = false
  ) {
    // The wait between two samples ends early when the process ends.
    let end = countsChildren ? EndSignal() : nil
    let start = Clock.seconds
    let process = ChildProcess(
      command, adding: environment,
      descriptors: [.open(output, flags: O_WRONLY | O_CREAT | O_TRUNC, as: STDOUT_FILENO), .noErrors],
      signals: countsChildren ? .unblocked : .inherited)
    guard let process else { return nil }
    var status: Int32 = 0
    var usage = rusage()
    var (rough, sum) = (0, 0)
    if let end {
      while wait4(process.identifier, &status, WNOHANG, &usage) == 0 {
        // Counting shared memory stops the processes for milliseconds, so this is only done at a new peak.
        let peak = ProcessTree.roughPeakBytes(process.identifier)
        if peak > rough + rough / 20 {
          rough = peak
          sum = max(sum, ProcessTree.peakBytes(process.identifier))
        }
        end.wait(milliseconds: 10)
      }
    } else {
      while wait4(process.identifier, &status, 0, &usage) < 0 && errno == EINTR {}
    }
    seconds = Clock.seconds - start
    processorSeconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
    guard status == 0 else { return nil }
    peakBytes = Self.reported(output) ?? max(sum, usage.ru_maxrss * 1024)
  }

  private static func reported(_ output: String) -> Int? {
    guard output != "/dev/null", let text = TextFile.read(output) else { return nil }
    let key = "peak-bytes "
    return text.split(separator: "\n").last { $0.hasPrefix(key) }.flatMap { Int($0.dropFirst(key.count)) }
  }
}

enum Clock {
  static var nanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  static var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// The memory of a process and of its descendants, from `proc(5)`.
private enum ProcessTree {
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
private final class EndSignal {
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
