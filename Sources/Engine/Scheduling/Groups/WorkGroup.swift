import Platform

/// A group of items that can be waited for together.
///
/// May be used from any thread.
public final class WorkGroup: Sendable {
  private let members = Monitor<[WorkItem]>([])
  private let scheduler: Scheduler

  public init(on scheduler: Scheduler) { self.scheduler = scheduler }

  /// Adds an item.
  public func add(_ item: WorkItem) {
    members.withLock { members in
      if members.count >= 64, members.count & (members.count - 1) == 0 { members.removeAll(where: \.isSettled) }
      members.append(item)
    }
  }

  /// Runs `body` in a class once all items added so far have ended.
  ///
  /// - Throws: `SchedulingError.invalidated`.
  @discardableResult
  public func notify(_ qos: QualityOfService, _ body: @escaping @Sendable () -> Void)
    throws(SchedulingError) -> WorkItem
  {
    try scheduler.submit(qos, after: members.withLock { $0 }.map { .end(of: $0) }, name: "notification", body)
  }

  /// Waits for all items added so far, and raises them during the wait. Must not be called from a worker.
  public func wait(as qos: QualityOfService) { scheduler.wait(for: members.withLock { $0 }, as: qos) }

  /// Cancels the items, except those that a worker is running.
  public func cancel(_ reason: CancellationReason = .requested) {
    for item in members.withLock({ $0 }) { scheduler.cancel(item, reason) }
  }
}
