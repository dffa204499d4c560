import Platform

/// The limits of a worker process.
enum Limits {
  /// 16 GB of addresses: ten times what any book of ours needs, less than what hangs a machine.
  private static let addressSpace: rlim_t = 16 << 30

  /// The exit status of a check that `ulimit -v` gives no memory; never that of a program that users start.
  static let memoryStatus: Int32 = 5

  /// - Parameter memory: bytes that pages may take; where that is much, so may addresses.
  static func set(memory: Int) {
    let addresses = max(addressSpace, rlim_t(memory) * 4)
    var memory = ResourceLimit.addressSpace.value ?? rlimit()
    // A caller that allows less with 'ulimit -v' means it; root could raise it here.
    memory.rlim_cur = min(memory.rlim_cur, addresses)
    memory.rlim_max = min(memory.rlim_max, addresses)
    #if !SANITIZED  // The shadow memory takes terabytes of addresses.
      ResourceLimit.addressSpace.set(memory)
    #endif
    ResourceLimit.coreFile.set(rlimit(rlim_cur: 0, rlim_max: 0))
    // Utility class: whoever waits at the terminal comes first.
    _ = nice(10)
    watchParent()
  }

  /// Ends this process soon after the one that started it, even if that was killed.
  private static func watchParent() {
    parent = getppid()
    _ = signal(SIGALRM, leaveWithoutParent)
    alarm(1)
  }
}

/// Written once before the timer starts, read by its handler.
nonisolated(unsafe) private var parent: pid_t = 0

/// The signal handler: async-signal-safe calls only.
private func leaveWithoutParent(_ signal: Int32) {
  if getppid() != parent { _exit(4) }
  alarm(1)
}
