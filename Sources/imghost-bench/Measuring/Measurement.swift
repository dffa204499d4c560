#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What one run of a command took.
struct Measurement {
  let seconds: Double
  /// The largest resident size of the process itself, from `wait4(2)`.
  let peakBytes: Int

  /// Runs a command to its end, its output thrown away; nil when it fails.
  ///
  /// - Parameter command: program and arguments; without a slash the program is looked for on the PATH.
  init?(_ command: [String]) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var pointers = command.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    var process = pid_t()
    let start = Self.now
    let code = posix_spawnp(&process, command[0], &actions, nil, &pointers, environ)
    guard code == 0 else { return nil }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
    seconds = Self.now - start
    peakBytes = usage.ru_maxrss * 1024
    guard status == 0 else { return nil }
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension Array where Element == Double {
  /// The middle value, the mean of the two middle ones for an even count.
  var median: Double {
    let sorted = self.sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
