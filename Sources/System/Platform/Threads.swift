/// Starts a detached thread in which all signals are blocked except those for its own faults; wraps
/// `pthread_create(3)`.
///
/// All other signals are left to a thread that waits for them. If there is not enough space for the stack, a quarter
/// and an eighth of its size are tried.
///
/// - Returns: false if the system cannot create another thread.
@discardableResult
public func startThread(stackByteCount: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) -> Bool {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, fault) }
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  for size in [stackByteCount, stackByteCount / 4, stackByteCount / 8] {
    if let thread = createThread(stackByteCount: max(size, 256 << 10), body) {
      pthread_detach(thread)
      return true
    }
  }
  return false
}

/// Runs each body on a thread of its own, and returns when all have ended. If the system cannot create another thread,
/// the body runs on the calling thread.
public func runOnThreads(_ bodies: [() -> Void]) {
  // `nonisolated(unsafe)`, because the caller waits here until all bodies have ended.
  nonisolated(unsafe) let bodies = bodies
  let threads = bodies.indices.map { index in
    createThread(stackByteCount: 8 << 20) { bodies[index]() }
  }
  for (thread, body) in zip(threads, bodies) { if let thread { pthread_join(thread, nil) } else { body() } }
}

/// An identifier of the calling thread that no other living thread has; wraps `pthread_self(3)`.
public var threadIdentifier: UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}

/// Gives the calling thread the lowest ordinary priority, nice 19, if each thread has a nice value of its own; wraps
/// `setpriority(2)`.
public func lowerThreadNice() {
  #if canImport(Glibc)
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
  #endif
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Creates a thread that must be joined or detached; nil if the system cannot create another one.
private func createThread(stackByteCount: Int, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, stackByteCount)
  let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  #if canImport(Glibc)
    var thread = pthread_t()
  #else
    var thread: pthread_t?
  #endif
  guard pthread_create(&thread, &attributes, threadMain, context) == 0 else {
    Unmanaged<ThreadBody>.fromOpaque(context).release()
    return nil
  }
  return thread
}

#if canImport(Glibc)
  private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
    return nil
  }
#else
  private func threadMain(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
#endif
