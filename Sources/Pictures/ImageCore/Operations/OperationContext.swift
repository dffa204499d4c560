/// What the engine lends to an operation while it runs.
public struct OperationContext: Sendable {
  /// How many workers `parallelFor` may use at once; 1 when other pictures keep them busy.
  public let parallelism: Int

  private let run: @Sendable (Int, @Sendable (Int) -> Void) -> Void
  private let cancelled: @Sendable () -> Bool
  private let preempt: Preemption

  /// Lets more urgent work go first on this thread. Calls its argument with true when that begins, and with false when
  /// it is done, and not at all where nothing is urgent.
  public typealias Preemption = @Sendable (_ onPause: (Bool) -> Void) -> Void

  /// - Parameter allowPreemption: lets more urgent work go first on this thread; by default there is none.
  public init(
    parallelism: Int,
    parallelFor: @escaping @Sendable (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void,
    isCancelled: @escaping @Sendable () -> Bool,
    allowPreemption: @escaping Preemption = { _ in }
  ) {
    self.parallelism = parallelism
    self.run = parallelFor
    self.cancelled = isCancelled
    self.preempt = allowPreemption
  }

  /// Calls `body` once for each index from 0 to `count - 1`, on any worker, in any order, and returns
  /// when all have returned. Bodies must not block and must not call `parallelFor`.
  public func parallelFor(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if parallelism <= 1 || count <= 1 {
      for index in 0..<count { body(index) }
    } else {
      run(count, body)
    }
  }

  /// Whether the job this work is for has been cancelled.
  public var isCancelled: Bool { cancelled() }

  /// Throws `PictureError.cancelled` once the job has been cancelled, and lets more urgent work go first. Call it
  /// between strips.
  public func checkCancellation() throws(PictureError) {
    allowPreemption()
    if cancelled() { throw .cancelled }
  }

  /// Lets more urgent work go first; returns when it is done. Call it about every millisecond of a long step, with
  /// no lock held. Costs a few nanoseconds where nothing is urgent.
  public func allowPreemption() { preempt { _ in } }

  /// The same for a thread that holds what the urgent work may want.
  ///
  /// - Parameter onPause: called with true once the thread is about to pause, and with false when it goes on.
  public func allowPreemption(_ onPause: (_ isPaused: Bool) -> Void) { preempt(onPause) }

  /// The same for work that no other worker takes part in.
  public var onOneWorker: OperationContext {
    OperationContext(
      parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } },
      isCancelled: cancelled, allowPreemption: preempt)
  }

  /// One thread, never cancelled: for tests and for work outside a run.
  public static let serial = OperationContext(
    parallelism: 1,
    parallelFor: { count, body in for index in 0..<count { body(index) } },
    isCancelled: { false })
}
