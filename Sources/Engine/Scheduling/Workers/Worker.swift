import CShims
import Synchronization

/// One thread that computes.
///
/// Owned by its scheduler and by its own thread, or by the one that has a deeper stack and runs its step meanwhile.
final class Worker: Sendable {
  enum Kind: Sendable { case foreground, low }

  /// From 0, in the order they were started.
  let index: Int
  let kind: Kind
  private let isWoken = Monitor(false)
  /// What it runs now. Only used by its own thread.
  nonisolated(unsafe) var item: WorkItem?
  /// The loop whose bodies it runs, the innermost of several. Only used by its own thread.
  nonisolated(unsafe) var loop: ParallelLoop?
  /// How many calls of `blocking` it is in. Only used by its own thread.
  nonisolated(unsafe) var blockingDepth = 0
  /// Since when it has been in a call that may wait, in nanoseconds; 0 for none, negative where it has been
  /// found to wait.
  let callSince = Atomic<Int>(0)
  /// What it runs in that call. Written before `callSince`.
  nonisolated(unsafe) var callItem: WorkItem?
  /// Whether it stands among the idle ones. Guarded by the scheduler's lock.
  nonisolated(unsafe) var isIdle = false
  /// Whether it has given its place to more urgent work. Guarded by the scheduler's lock.
  nonisolated(unsafe) var isPaused = false
  /// When it last let the foreground have its processor, in nanoseconds. Only used by its own thread.
  nonisolated(unsafe) var restedAt = 0

  init(index: Int, kind: Kind) {
    self.index = index
    self.kind = kind
  }

  /// Ends the worker's sleep, or the next one.
  func wake() {
    isWoken.withLock { $0 = true }
    isWoken.notifyAll()
  }

  /// Sleeps until somebody wakes it, or for so long.
  ///
  /// - Returns: Whether it was woken.
  @discardableResult
  func sleep(seconds: Double? = nil) -> Bool {
    let take: (inout Bool) -> Void? = { isWoken in
      guard isWoken else { return nil }
      isWoken = false
      return ()
    }
    guard let seconds else {
      isWoken.wait(until: take)
      return true
    }
    return isWoken.wait(seconds: seconds, until: take) != nil
  }

  /// The worker whose thread this is.
  static var current: Worker? {
    guard let pointer = imghost_thread_value() else { return nil }
    return Unmanaged<Worker>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Makes this thread the worker's until `body` returns.
  func whileCurrent(_ body: () -> Void) {
    imghost_set_thread_value(Unmanaged.passUnretained(self).toOpaque())
    body()
    imghost_set_thread_value(nil)
  }
}

extension Scheduler {
  /// Whether the calling thread is a worker of any scheduler.
  public static var isOnWorker: Bool { Worker.current != nil }

  /// Waiting on a worker would keep others from it: a bug.
  public func preconditionNotOnWorker(_ what: StaticString = #function) {
    precondition(!Self.isOnWorker, "\(what) was called on a worker, which must not wait")
  }
}
