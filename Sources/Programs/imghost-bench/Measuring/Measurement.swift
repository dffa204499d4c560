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
  ///   - output: the file for its standard output; standard error is discarded.
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

/// The monotonic clock.
enum Clock {
  static var nanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  static var seconds: Double { Double(nanoseconds) / 1e9 }
}
