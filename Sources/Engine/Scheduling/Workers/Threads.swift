import CExitCleanup
import CPlatform
import Platform

/// Runs `body` on a new thread with a stack of the given size, and returns when it has ended.
///
/// The body of a worker goes on as that worker: its loops find helpers, and it makes way for more urgent work.
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

/// Ends the process, which cannot go on: the system has no thread left.
func endWithoutThreads() -> Never {
  let name = String(cString: cplatform_program_name())
  cexitcleanup_end(1, "\(name): cannot start a thread; raise the limits 'ulimit -u' and 'ulimit -v'\n")
}

/// Makes the calling thread give way to all others: `SCHED_IDLE` of `sched_setscheduler(2)`, or nice 19 where the
/// system refuses that.
func lowerThreadPriority() {
  // Programs that this thread starts inherit its priority, but those of others must not.
  prepareToStartPrograms()
  if cplatform_use_idle_policy() != 0 { lowerThreadNice() }
}
