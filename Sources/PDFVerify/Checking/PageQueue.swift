import Synchronization

/// Pages waiting to be checked, taken by one worker after another.
final class PageQueue: Sendable {
  /// Makes a worker's checker over its own document; nil where it does not open again.
  typealias Opening = @Sendable () -> PageChecker?

  /// Pages after which a worker gives back the memory of the file; pictures give theirs back at once.
  private static let releaseInterval = 8

  private let records: [PageRecord]
  private let watchdog: Watchdog
  private let open: Opening
  private let onPage: @Sendable (_ done: Int, _ pages: Int) -> Void
  private let next = Atomic(0)
  private let done = Atomic(0)
  private let budget: PixelBudget
  private let results: Mutex<[Int: PageChecker.Result]> = Mutex([:])

  init(
    _ records: [PageRecord], _ watchdog: Watchdog, _ limits: MemoryLimits,
    onPage: @escaping @Sendable (_ done: Int, _ pages: Int) -> Void, open: @escaping Opening
  ) {
    self.records = records
    self.watchdog = watchdog
    budget = PixelBudget(limits)
    self.onPage = onPage
    self.open = open
  }

  /// Checks all pages on as many threads and gives the results in page order.
  func run(jobs: Int) -> [PageChecker.Result] {
    let count = max(1, min(jobs, records.count))
    Threads.run((1...count).map { worker in { self.work(worker) } })
    return results.withLock { results in records.indices.map { results[$0] ?? unchecked($0) } }
  }

  private func unchecked(_ index: Int) -> PageChecker.Result {
    var result = PageChecker.Result(
      report: PageReport(number: index + 1, width: 0, height: 0, pictures: []))
    result.faults = [
      .popplerRefuses("it does not open a second time, and the page was not checked")
    ]
    return result
  }

  private func work(_ worker: Int) {
    watchdog.begin(0, worker: worker)
    defer { watchdog.end(worker: worker) }
    // It opened a moment ago; where it does not open again, the pages are left to the other workers.
    // What an earlier thread of the same number heard is not about this document.
    _ = LogCapture.take()
    defer { _ = LogCapture.take() }
    guard let checker = open() else { return }
    var age = 0
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < records.count, !watchdog.hasGivenUp else { return }
      let cost = checker.cost(records[index])
      watchdog.end(worker: worker)
      guard let share = budget.take(cost, orGiveUp: { watchdog.hasGivenUp }) else { return }
      defer { budget.giveBack(share) }
      watchdog.begin(index + 1, worker: worker, megapixels: cost.megapixels.all)
      let result = checker.check(records[index], index: index, cost)
      guard !watchdog.hasGivenUp else { return }
      results.withLock { $0[index] = result }
      age += 1
      if age % Self.releaseInterval == 0 { checker.release() }
      onPage(done.add(1, ordering: .relaxed).newValue, records.count)
    }
  }
}
