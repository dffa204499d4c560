extension Scheduler {
  enum Phase { case setUp, active, invalidated }

  /// The maximum number of spare workers, which replace workers that are paused or inside `blocking`.
  static let spareWorkers = 4

  /// Everything that the lock guards.
  struct State {
    let workers: Int
    let memoryBudget: Int
    /// The maximum number of inputs that are fetched before their items begin.
    let mostFetched: Int
    let waitingLimit: Int
    var phase = Phase.setUp
    /// The ready items, by class: those that have not begun (`fresh`), and those that were put aside (`started`).
    var fresh = [ItemQueue](repeating: ItemQueue(), count: QualityOfService.allCases.count)
    var started = [ItemQueue](repeating: ItemQueue(), count: QualityOfService.allCases.count)
    /// Items with dependencies that have not ended, and gates that have not been completed.
    var waiting: [ObjectIdentifier: WorkItem] = [:]
    /// Loops that other workers may join.
    var loops: [ParallelLoop] = []
    /// Items that have begun and not ended, whether running or put aside.
    var admitted: [ObjectIdentifier: WorkItem] = [:]
    /// The number of workers that are computing, by kind.
    var activeForeground = 0
    var activeLow = 0
    var idleForeground: [Worker] = []
    var idleLow: [Worker] = []
    /// The idle low-priority worker that wakes up periodically to check whether a class starves.
    var watcher: Worker?
    /// The number of items and paused workers that could run now, by class.
    var runnable = SIMD8<Int>()
    /// The number of items that were raised to the foreground while low-priority workers ran them, by their new class.
    var raised = SIMD8<Int>()
    var foregroundThreads = 0
    /// The number of foreground workers that wait in `blocking` or are paused.
    var blockedForeground = 0
    /// Foreground workers that paused in the middle of a step for more urgent work, in the order in which they paused.
    var paused: [Worker] = []
    var lowThreads = 0
    var workersMade: [Worker] = []
    /// The predicted memory in bytes of the items that have begun.
    var bytesInUse = 0
    /// The number of bytes that `hold` has counted, such as those of pages that wait for earlier pages.
    var heldBytes = 0
    var peakBytes = 0
    /// The most urgent item that waits for memory, and the boost of the items that hold memory; nil for none.
    var memoryWaiter: WorkItem?
    var memoryBoost: Boost?
    /// Work that may block: items whose input has to be fetched, and other calls.
    var calls = WaitingCalls()
    /// Items whose input a waiting thread is reading.
    var fetching: [ObjectIdentifier: WorkItem] = [:]
    var waitingThreads = 0
    var idleWaiting = 0
    /// The number of items, by class, whose input was fetched and that have not begun.
    var fetchedAhead = [Int](repeating: 0, count: QualityOfService.allCases.count)
    /// The number of items that have become ready so far.
    var readied = 0

    init(_ configuration: Configuration) {
      workers = configuration.workers
      memoryBudget = configuration.memoryBudget
      waitingLimit = configuration.waitingThreads
      mostFetched = configuration.workers + configuration.waitingThreads
    }

    /// The number of worker threads. `invalidate()` waits until all of them have ended.
    var computeThreads: Int { foregroundThreads + lowThreads }

    func readyCount(_ qos: QualityOfService) -> Int { fresh[qos.rawValue].count + started[qos.rawValue].count }

    var readyLow: Int { readyCount(.utility) + readyCount(.background) }

    var readyCounts: SIMD8<Int32> {
      var counts = SIMD8<Int32>()
      for qos in QualityOfService.allCases { counts[qos.rawValue] = Int32(readyCount(qos)) }
      return counts
    }

    /// The number of workers that the foreground has or could use.
    var wantedForeground: Int { min(workers, activeForeground + runnableForeground) }

    /// Returns whether the budget has room for an item's memory in addition to that of admitted items and of waiting
    /// results. If no item is admitted, every item fits, even one that is larger than the budget.
    func fits(_ item: WorkItem) -> Bool {
      bytesInUse == 0 || item.byteCount <= memoryBudget - bytesInUse - heldBytes
    }

    /// Returns whether an input of a class may be fetched now. Only a few inputs are fetched before they are needed.
    /// Low classes leave two waiting threads free, so that an unresponsive disk cannot block all threads.
    func mayFetch(_ qos: QualityOfService) -> Bool {
      guard fetchedAhead[qos.rawValue...].reduce(0, +) < mostFetched else { return false }
      if qos.isForeground { return true }
      return fetching.values.count { !$0.requestedQoS.isForeground } < max(1, waitingLimit - 2)
    }

    mutating func countFetched(_ item: WorkItem, _ change: Int) {
      fetchedAhead[item.requestedQoS.rawValue] += change
    }

    /// Returns the number of workers that could help the loops of the foreground classes, or those of the low classes.
    func helpWanted(foreground: Bool) -> Int {
      var help = 0
      for loop in loops where loop.qos.isForeground == foreground { help += loop.missingHelp }
      return help
    }

    /// All items that have not ended.
    ///
    /// Empty dictionaries are skipped, because Swift determines at run time how to copy their values, which takes 3% of
    /// the startup time of a run without items.
    var everyItem: [WorkItem] {
      var items: [WorkItem] = []
      if !waiting.isEmpty { items += waiting.values }
      items += fresh.flatMap(\.all) + calls.items
      if !fetching.isEmpty { items += fetching.values }
      if !admitted.isEmpty { items += admitted.values }
      return items
    }

    mutating func wakeEverybody(_ effects: inout Effects) {
      while let worker = popIdleForeground() ?? popIdleLow() { effects.wake.append(worker) }
      resumeAll(&effects)
      effects.wakesWaiting = true
    }
  }

  /// Calls to be made after the lock is released.
  struct Effects {
    var wake: [Worker] = []
    var start: [Worker] = []
    var abandon: [(item: WorkItem, work: any Work, reason: CancellationReason)] = []
    var tell: [(observers: [@Sendable (WorkItem.State) -> Void], state: WorkItem.State)] = []
    /// Work to be released outside the lock, because its release may take long, or call the scheduler.
    var release: [any Work] = []
    var wakesWaiting = false
    var waitingThreadsToStart = 0
  }

  /// Changes the state under the lock, assigns workers, and then makes the deferred calls.
  func update<Result>(_ change: (inout State, inout Effects) -> Result) -> Result {
    var effects = Effects()
    let result = state.withLock { state in
      let result = change(&state, &effects)
      assignWorkers(&state, &effects)
      return result
    }
    perform(effects)
    return result
  }

  /// Makes the deferred calls. The caller does not hold the lock.
  func perform(_ effects: Effects) {
    for worker in effects.wake { worker.wake() }
    for worker in effects.start { start(worker) }
    if effects.wakesWaiting { state.notifyAll() }
    for _ in 0..<effects.waitingThreadsToStart { startWaitingThread() }
    guard !effects.abandon.isEmpty || !effects.tell.isEmpty else { return }
    DeferredCalls.add { [self] in
      abandon(effects.abandon)
      for (observers, state) in effects.tell { for observer in observers { observer(state) } }
    }
  }
}

/// Computing and sleeping workers, and the work available to them. Callers hold the lock.
extension Scheduler.State {
  mutating func count(_ worker: Worker, _ change: Int) {
    switch worker.kind {
    case .foreground: activeForeground += change
    case .low: activeLow += change
    }
  }

  mutating func makeWorker(_ kind: Worker.Kind) -> Worker {
    let worker = Worker(index: workersMade.count, kind: kind)
    workersMade.append(worker)
    return worker
  }

  // MARK: - idle workers

  mutating func popIdleForeground() -> Worker? {
    let worker = idleForeground.popLast()
    worker?.isIdle = false
    return worker
  }

  mutating func popIdleLow() -> Worker? {
    guard let worker = idleLow.popLast() else { return nil }
    worker.isIdle = false
    if watcher === worker { watcher = nil }
    return worker
  }

  /// Removes a worker that looks for work from the lists of idle workers, where it still is if it woke up by itself.
  mutating func takeFromIdle(_ worker: Worker) {
    if watcher === worker { watcher = nil }
    guard worker.isIdle else { return }
    worker.isIdle = false
    idleForeground.removeAll { $0 === worker }
    idleLow.removeAll { $0 === worker }
  }

  // MARK: - available work

  /// Returns whether a class may take memory: false while a higher class waits for memory.
  func mayTakeMemory(_ qos: QualityOfService) -> Bool { memoryWaiter.map { $0.qos <= qos } ?? true }

  func mayStart(_ item: WorkItem, in qos: QualityOfService) -> Bool {
    item.byteCount == 0 || (mayTakeMemory(qos) && fits(item))
  }

  /// Counts in each class the items and paused workers that could run now. Items behind one that waits for memory are
  /// not counted, because workers would wake up only to find them blocked.
  mutating func countRunnable() {
    for qos in QualityOfService.allCases {
      let value = qos.rawValue
      var count = started[value].count
      if fresh[value].count > 0, let head = fresh[value].first() {
        let isKnownToWait = head === memoryWaiter || !mayTakeMemory(qos)
        if !isKnownToWait || mayStart(head, in: qos) { count += fresh[value].count }
      }
      runnable[value] = count
    }
    for worker in paused { runnable[worker.pausedClass?.rawValue ?? 0] += 1 }
  }

  var runnableLow: Int { runnable[0] + runnable[1] }
  var runnableForeground: Int { runnable[2] + runnable[3] + runnable[4] }

  /// The highest class of the raised items on low-priority workers; -1 if there are none.
  var highestRaised: Int { (2...4).last { raised[$0] > 0 } ?? -1 }

  /// The number of foreground workers that may compute at the same time. A low-priority worker with a raised item takes
  /// one of their places, because otherwise the system would let it run only when no other thread needs the processor.
  var foregroundRoom: Int { max(0, workers - Int(raised.wrappedSum())) }

  /// The number of additional foreground workers that would have something to do.
  var foregroundWanted: Int {
    let help = loops.isEmpty ? 0 : helpWanted(foreground: true)
    let all = min(runnableForeground + help, foregroundRoom - activeForeground)
    let highest = highestRaised
    guard highest >= 0 else { return all }
    var urgent = 0
    for value in (highest + 1)..<runnable.scalarCount { urgent += runnable[value] }
    for loop in loops where loop.qos.rawValue > highest { urgent += loop.missingHelp }
    return max(all, min(urgent, workers - activeForeground))
  }

  /// Counts a raised item on a low-priority worker, or stops counting it.
  mutating func countRaised(_ qos: QualityOfService, _ change: Int) {
    if qos.isForeground { raised[qos.rawValue] += change }
  }

  /// Records that an item is no longer run by a low-priority worker.
  mutating func takeBack(_ item: WorkItem) {
    guard item.ledger.isOnLow else { return }
    item.ledger.isOnLow = false
    countRaised(item.qos, -1)
  }
}
