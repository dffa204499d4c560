import CPlatform
import Platform
import Synchronization

/// A thread that computes.
///
/// A worker belongs to its scheduler and to its own thread. A thread with a larger stack may run the worker's step in
/// place of the worker's own thread; see `runOnOwnThread`.
final class Worker: Sendable {
  enum Kind: Sendable { case foreground, low }

  /// The worker's index in the order of creation, from 0.
  let index: Int
  let kind: Kind
  private let isWoken = Monitor(false)
  /// The worker's item. Used only by the worker's own thread, except while the worker is paused; see `pausedClass`.
  nonisolated(unsafe) var item: WorkItem?
  /// The innermost loop whose bodies the worker runs. Used only by the worker's own thread, except while the worker is
  /// paused.
  nonisolated(unsafe) var loop: ParallelLoop?
  /// The number of nested calls of `blocking` and `seldomBlocking`. Used only by the worker's own thread.
  nonisolated(unsafe) var blockingDepth = 0
  /// The start time of the current call that may block, in nanoseconds; 0 if there is none. The sign is reversed when
  /// the call is found to block.
  let callSince = Atomic<Int>(0)
  /// The item that the worker runs during the call that began at `callSince`. Written before the atomic `callSince`,
  /// which other threads read first.
  nonisolated(unsafe) var callItem: WorkItem?
  /// Whether the worker is in a list of idle workers. Guarded by the scheduler's lock.
  nonisolated(unsafe) var isIdle = false
  /// Whether the worker has given its place to more urgent work. Guarded by the scheduler's lock.
  nonisolated(unsafe) var isPaused = false
  /// The time at which the worker last yielded its processor to the foreground, in nanoseconds. Used only by the
  /// worker's own thread.
  nonisolated(unsafe) var restedAt = 0

  init(index: Int, kind: Kind) {
    self.index = index
    self.kind = kind
  }

  /// Ends the worker's sleep, or its next sleep if it is awake.
  func wake() {
    isWoken.withLock { $0 = true }
    isWoken.notifyAll()
  }

  /// Sleeps until `wake` is called, or for a limited time.
  ///
  /// - Returns: whether `wake` was called.
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

  /// The worker of the calling thread.
  static var current: Worker? {
    guard let pointer = cplatform_thread_value() else { return nil }
    return Unmanaged<Worker>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs `body` with this worker as the calling thread's worker.
  func whileCurrent(_ body: () -> Void) {
    cplatform_set_thread_value(Unmanaged.passUnretained(self).toOpaque())
    body()
    cplatform_set_thread_value(nil)
  }
}

extension Scheduler {
  /// Whether the calling thread is a worker of any scheduler.
  public static var isOnWorker: Bool { Worker.current != nil }

  /// Stops the program if it is called on a worker, which must not wait.
  public func preconditionNotOnWorker(_ what: StaticString = #function) {
    precondition(!Self.isOnWorker, "\(what) was called on a worker, which must not wait")
  }
}
