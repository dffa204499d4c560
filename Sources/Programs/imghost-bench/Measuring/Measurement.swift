import Platform

/// What one run of a command took.
struct Measurement {
  let seconds: Double
  /// The processor's time, of all threads and of the children it waited for.
  let processorSeconds: Double
  /// The largest resident size of the process, from `wait4(2)`; where it told of several processes in a
  /// line `peak-bytes N` of its output, that sum.
  ///
  /// The kernel counts the moment before the program replaced this one: no less than this process' own
  /// size is ever seen, which is why it stays small and leaves pictures to others.
  let peakBytes: Int

  /// Runs a command to its end; nil when it fails.
  ///
  /// - Parameters:
  ///   - command: program and arguments; without a slash the program is looked for on the PATH.
  ///   - environment: added to this process' own.
  ///   - output: the file that takes its standard output; errors are thrown away.
  init?(_ command: [String], environment: [String: String] = [:], output: String = "/dev/null") {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let start = Clock.seconds
    guard let process = Spawn.start(command, environment: environment, actions: &actions) else {
      return nil
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
    seconds = Clock.seconds - start
    processorSeconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
    guard status == 0 else { return nil }
    peakBytes = Self.told(output) ?? usage.ru_maxrss * 1024
  }

  private static func told(_ output: String) -> Int? {
    guard output != "/dev/null", let text = TextFile.read(output) else { return nil }
    let key = "peak-bytes "
    return text.split(separator: "\n").last { $0.hasPrefix(key) }
      .flatMap { Int($0.dropFirst(key.count)) }
  }
}
