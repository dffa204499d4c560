import Synchronization

extension Scheduler {
  /// Calls `body` once for each index below `count`, on this thread and on idle workers of the class,
  /// and returns when all calls have returned.
  ///
  /// Bodies take indices from one atomic counter, so an index costs a few nanoseconds and nobody waits
  /// for a slow neighbour. Bodies must not block.
  public func parallelFor(
    _ count: Int, qos: QualityOfService, _ body: @Sendable (Int) -> Void
  ) {
    let helpers = min(configuration.workers, count) - 1
    guard helpers > 0 else {
      for index in 0..<count { body(index) }
      return
    }
    withoutActuallyEscaping(body) { body in
      let loop = ParallelLoop(count: count, body: body)
      for _ in 0..<helpers { submit(qos) { loop.participate() } }
      loop.participate()
      loop.waitUntilDone()
      loop.release()
    }
  }
}

/// One `parallelFor`: a counter that participants draw indices from.
///
/// `@unchecked Sendable`: `body` is only read by participants inside `participate`, and set to nil by the
/// caller after every participant that drew an index has finished; later participants draw none.
private final class ParallelLoop: @unchecked Sendable {
  private let count: Int
  private var body: (@Sendable (Int) -> Void)?
  private let next = Atomic<Int>(0)
  private let state = Monitor((inside: 0, isReleased: false))

  init(count: Int, body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.body = body
  }

  func participate() {
    let mayEnter = state.withLock { state -> Bool in
      guard !state.isReleased else { return false }
      state.inside += 1
      return true
    }
    guard mayEnter else { return }
    drawIndices()
    state.withLock { $0.inside -= 1 }
    state.notifyAll()
  }

  /// A function of its own, so that its reference to `body` is gone before the caller counts as outside.
  @inline(never)
  private func drawIndices() {
    guard let body else { return }
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      body(index)
    }
  }

  /// Returns once nobody is inside; from then on nobody may enter.
  func waitUntilDone() {
    state.wait { state -> Void? in
      guard state.inside == 0 else { return nil }
      state.isReleased = true
      return ()
    }
  }

  func release() { body = nil }
}
