import CExitCleanup
import CPlatform
import Platform

/// Runs `body` on a new thread with a stack of the given size, and returns when it has ended.
///
/// The body of a worker continues as that worker: its loops find helpers, and it yields to more urgent work.
public func runOnOwnThread(stackByteCount: Int, _ body: @escaping () -> Void) {
  // `nonisolated(unsafe)`: the caller waits until the thread has ended, so only one thread uses the body at a time.
  nonisolated(unsafe) let body = body
  let isDone = Monitor(false)
  // The worker's own thread only waits during that time.
  let worker = Worker.current
  let isStarted = startThread(stackByteCount: stackByteCount) {
    if let worker { worker.whileCurrent(body) } else { body() }
    isDone.withLock { $0 = true }
    isDone.notifyAll()
  }
  guard isStarted else { endWithoutThreads() }
  isDone.wait { $0 ? () : nil }
}

/// Ends the process, which cannot continue because the system has no thread left.
func endWithoutThreads() -> Never {
  let name = String(cString: cplatform_program_name())
  cexitcleanup_end(1, "\(name): cannot start a thread; raise the limits 'ulimit -u' and 'ulimit -v'\n")
}

/// Gives the calling thread the lowest priority: `SCHED_IDLE` of `sched_setscheduler(2)`, or nice 19 if the system
/// refuses that.
func lowerThreadPriority() {
  // Programs that this thread starts inherit its priority; programs that others start must not.
  prepareToStartPrograms()
  if cplatform_use_idle_policy() != 0 { lowerThreadNice() }
}
