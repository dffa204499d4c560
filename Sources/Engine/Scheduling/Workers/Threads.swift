import CEnding
import CShims
import Platform

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a detached thread with every signal blocked but those of its own faults; wraps `pthread_create(3)`.
///
/// Others are for the thread that waits for them, never for a worker. The stack is 8 MiB unless told
/// otherwise, or less where there is no room for that.
///
/// - Returns: Whether there is a thread; false where the system has none left.
@discardableResult
public func startThread(
  stackByteCount: Int = 8 << 20, _ body: @escaping @Sendable () -> Void
) -> Bool {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  for fault in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, fault) }
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  let context = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  #if canImport(Glibc)
    var thread = pthread_t()
  #else
    var thread: pthread_t?
  #endif
  for size in [stackByteCount, stackByteCount / 4, stackByteCount / 8] {
    pthread_attr_setstacksize(&attributes, max(size, 256 << 10))
    if pthread_create(&thread, &attributes, threadMain, context) == 0 { return true }
  }
  Unmanaged<ThreadBody>.fromOpaque(context).release()
  return false
}

/// Runs `body` on a new thread with a stack of the given size, and returns when it has ended. A worker's goes on as that
/// worker: its loops find helpers, and more urgent work goes first.
public func runOnOwnThread(stackByteCount: Int, _ body: @escaping () -> Void) {
  // The caller waits: nobody else uses what the body uses.
  nonisolated(unsafe) let body = body
  let isDone = Monitor(false)
  // Its own thread does nothing but wait.
  let worker = Worker.current
  let isStarted = startThread(stackByteCount: stackByteCount) {
    if let worker { worker.whileCurrent(body) } else { body() }
    isDone.withLock { $0 = true }
    isDone.notifyAll()
  }
  guard isStarted else { endWithoutThreads() }
  isDone.wait { $0 ? () : nil }
}

/// There is nothing to go on with: the system has no thread for us.
func endWithoutThreads() -> Never {
  cending_end(1, "imghost: the system gives no thread; see 'ulimit -u' and 'ulimit -v'\n")
}

/// Makes the calling thread give way to all others: `SCHED_IDLE` of `sched_setscheduler(2)`, or nice 19
/// where that is not to be had.
func lowerThreadPriority() {
  guard imghost_use_idle_policy() != 0 else { return }
  #if canImport(Glibc)
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
  #endif
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
