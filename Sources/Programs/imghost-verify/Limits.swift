import Platform

/// The limits of a worker process.
enum Limits {
  /// The limit of the address space in bytes: ten times what any book of imghost needs, but too little to make a
  /// machine hang.
  private static let addressSpace: rlim_t = 16 << 30

  /// The exit status of a worker that lacks memory because of `ulimit -v`. `Supervisor` returns it only with
  /// `--expect`, so that `imghost` can recognise it; `imghost` itself never ends with this status.
  static let memoryStatus: Int32 = 5

  /// - Parameter memory: the maximum memory for pages in bytes. A large value also raises the limit of the address
  ///   space.
  static func set(memory: Int) {
    let addresses = max(addressSpace, rlim_t(memory) * 4)
    var memory = ResourceLimit.addressSpace.value ?? rlimit()
    // A lower limit that the caller has set with 'ulimit -v' is kept; without this, root would raise it.
    memory.rlim_cur = min(memory.rlim_cur, addresses)
    memory.rlim_max = min(memory.rlim_max, addresses)
    #if !SANITIZED  // The shadow memory needs terabytes of address space.
      ResourceLimit.addressSpace.set(memory)
    #endif
    ResourceLimit.coreFile.set(rlimit(rlim_cur: 0, rlim_max: 0))
    // Low priority, so that interactive programs come first.
    _ = nice(10)
    watchParent()
  }

  /// Ends this process soon after its parent, even if the parent was killed.
  private static func watchParent() {
    parent = getppid()
    _ = signal(SIGALRM, leaveWithoutParent)
    alarm(1)
  }
}

/// The process that started this one. `nonisolated(unsafe)`, because it is written once before the timer starts, and
/// only the timer's handler reads it.
nonisolated(unsafe) private var parent: pid_t = 0

/// Handles the signal of the timer. Makes only async-signal-safe calls.
private func leaveWithoutParent(_ signal: Int32) {
  if getppid() != parent { _exit(4) }
  alarm(1)
}
