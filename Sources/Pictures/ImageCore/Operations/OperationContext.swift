/// The workers, cancellation and preemption that the engine lends to an operation while it runs.
public struct OperationContext: Sendable {
  /// The maximum number of workers that `parallelFor` may use at once; 1 if the other workers are busy with other
  /// pictures.
  public private(set) var parallelism: Int
  /// Whether processes that work for the job should have a low priority.
  public let givesWay: Bool
  /// The converter between colour profiles.
  public let colours: any ColourConverter

  private let run: @Sendable (Int, @Sendable (Int) -> Void) -> Void
  private var cancelled: @Sendable () -> Bool
  private var preempt: Preemption
  private var tell: @Sendable (String) -> Void

  /// A function that runs more urgent work on this thread. It calls `onPause` with true before that work and with false
  /// afterwards, and not at all if there is no such work.
  public typealias Preemption = @Sendable (_ onPause: (Bool) -> Void) -> Void

  /// - Parameters:
  ///   - allowPreemption: runs more urgent work on this thread; does nothing by default.
  ///   - note: receives a note for the user; does nothing by default.
  public init(
    parallelism: Int, parallelFor: @escaping @Sendable (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void,
    isCancelled: @escaping @Sendable () -> Bool, allowPreemption: @escaping Preemption = { _ in },
    givesWay: Bool = false, colours: any ColourConverter = NoColourConverter(),
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.colours = colours
    self.parallelism = parallelism
    self.givesWay = givesWay
    self.run = parallelFor
    self.cancelled = isCancelled
    self.preempt = allowPreemption
    self.tell = note
  }

  /// Calls `body` once for each index from 0 to `count - 1`, on any worker, in any order, and returns when all calls
  /// have returned. Bodies must not block and must not call `parallelFor`.
  public func parallelFor(_ count: Int, _ body: @Sendable (Int) -> Void) {
    if parallelism <= 1 || count <= 1 {
      for index in 0..<count { body(index) }
    } else {
      run(count, body)
    }
  }

  /// Whether the job that needs this work has been cancelled.
  public var isCancelled: Bool { cancelled() }

  /// Runs more urgent work, then throws `PictureError.cancelled` if the job has been cancelled. To be called between
  /// strips.
  public func checkCancellation() throws(PictureError) {
    allowPreemption()
    if cancelled() { throw .cancelled }
  }

  /// Runs more urgent work, and returns when it is done. To be called about every millisecond of a long step, without
  /// holding a lock. It takes a few nanoseconds if there is no such work.
  public func allowPreemption() { preempt { _ in } }

  /// Runs more urgent work on a thread that holds a resource needed by that work.
  ///
  /// - Parameter onPause: called with true when the thread is about to pause, and with false when it resumes.
  public func allowPreemption(_ onPause: (_ isPaused: Bool) -> Void) { preempt(onPause) }

  /// The same context, limited to the current worker.
  public var onOneWorker: OperationContext {
    var context = self
    context.parallelism = 1
    return context
  }

  /// Returns the context with another receiver of notes.
  public func noting(_ note: @escaping @Sendable (String) -> Void) -> OperationContext {
    var context = self
    context.tell = note
    return context
  }

  /// Returns the context for a decoder with limited time: it is also cancelled when the limit is exceeded. The time of
  /// more urgent work does not count.
  public func timed(_ time: DecodingTime) -> OperationContext {
    var context = stopping { time.isOver }
    context.preempt = { [preempt] onPause in
      preempt { isPaused in
        time.pause(isPaused)
        onPause(isPaused)
      }
    }
    return context
  }

  /// Returns a context that is also cancelled while a condition is true; any thread may evaluate the condition.
  public func stopping(when isOver: @escaping @Sendable () -> Bool) -> OperationContext {
    var context = self
    context.cancelled = { [cancelled] in cancelled() || isOver() }
    return context
  }

  /// Tells the user about something that the operation could not do, but that does not make it fail. A run prints equal
  /// notes once, with the affected files.
  public func note(_ text: String) { tell(text) }

  /// A context that uses one thread and is never cancelled, for tests and for work outside a run.
  public static let serial = OperationContext(
    parallelism: 1,
    parallelFor: { count, body in for index in 0..<count { body(index) } },
    isCancelled: { false })
}

// MARK: - Rows

/// Rows in memory that several workers write at once.
///
/// `@unchecked Sendable`: each worker writes separate rows, and their owner waits until all workers are done, as in
/// `OperationContext.forRows`.
public struct SharedRows: @unchecked Sendable {
  public let base: UnsafeMutableRawPointer
  public let stride: Int

  public init(base: UnsafeMutableRawPointer, stride: Int) { (self.base, self.stride) = (base, stride) }

  public func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * stride }
}

extension OperationContext {
  /// The number of bytes from which sharing rows among workers pays off: about 50 µs of work.
  private static let worthSharing = 65_536

  /// Returns whether several workers process this many bytes faster than one.
  public func isWorthSharing(_ byteCount: Int) -> Bool { parallelism > 1 && byteCount >= Self.worthSharing }

  /// Calls `body` once for each row from 0 to `count - 1`, on several workers if the rows have enough bytes in total.
  /// The rows must be independent of each other. More urgent work may run between two rows.
  public func forRows(_ count: Int, rowByteCount: Int, _ body: @Sendable (Int) -> Void) {
    guard count > 1, isWorthSharing(count * rowByteCount) else {
      rows(0..<count, body)
      return
    }
    // There are twice as many parts as workers, so that one delayed worker does not delay the whole call.
    let parts = min(count, parallelism * 2)
    parallelFor(parts) { part in
      rows(part * count / parts..<(part + 1) * count / parts, body)
    }
  }

  private func rows(_ rows: Range<Int>, _ body: (Int) -> Void) {
    for row in rows {
      allowPreemption()
      body(row)
    }
  }
}
