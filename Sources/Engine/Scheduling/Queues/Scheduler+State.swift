extension Scheduler {
  enum Phase { case setUp, active, invalidated }

  /// Workers that may stand in for those that wait in `blocking`.
  static let spareWorkers = 4

  /// Everything under the lock.
  struct State {
    let workers: Int
    let memoryBudget: Int
    /// The most inputs that are fetched before their items begin.
    let mostFetched: Int
    let waitingLimit: Int
    var phase = Phase.setUp
    /// By class: what has not begun, and what was put aside.
    var fresh = [ItemQueue](repeating: ItemQueue(), count: QualityOfService.allCases.count)
    var started = [ItemQueue](repeating: ItemQueue(), count: QualityOfService.allCases.count)
    /// Items whose dependencies are not over.
    var waiting: [ObjectIdentifier: WorkItem] = [:]
    /// Loops that other workers may join.
    var loops: [ParallelLoop] = []
    /// Items that have begun and are not over: running or put aside.
    var admitted: [ObjectIdentifier: WorkItem] = [:]
    /// Workers that compute now.
    var activeForeground = 0
    var activeLow = 0
    var idleForeground: [Worker] = []
    var idleLow: [Worker] = []
    /// The one of them that wakes up by itself from time to time.
    var watcher: Worker?
    /// By class: items that a worker would find something to do for.
    var runnable = SIMD8<Int>()
    /// By class: items of the foreground that were raised while a low worker had them in hand.
    var raised = SIMD8<Int>()
    var foregroundThreads = 0
    /// Foreground workers that wait in `blocking` or are paused.
    var blockedForeground = 0
    /// Foreground workers in the middle of a step that more urgent work goes before, in the order they paused.
    var paused: [Worker] = []
    var lowThreads = 0
    /// Every worker there has been.
    var workersMade: [Worker] = []
    /// Bytes predicted for the items that have begun.
    var bytesInUse = 0
    /// Bytes of results that wait for others, such as encoded pages.
    var heldBytes = 0
    var peakBytes = 0
    /// The first item that memory keeps from starting, and those that were raised to make room for it.
    var memoryWaiter: WorkItem?
    var memoryBoost: Boost?
    /// What may wait for disks: items to fetch the input of, and other calls.
    var calls = WaitingCalls()
    /// Items whose input a waiting thread is reading.
    var fetching: [ObjectIdentifier: WorkItem] = [:]
    var waitingThreads = 0
    var idleWaiting = 0
    /// Items whose input was fetched and that have not begun.
    var fetchedAhead = [Int](repeating: 0, count: QualityOfService.allCases.count)
    /// Items that have become ready, ever.
    var readied = 0

    init(_ configuration: Configuration) {
      workers = configuration.workers
      memoryBudget = configuration.memoryBudget
      waitingLimit = configuration.waitingThreads
      mostFetched = configuration.workers + configuration.waitingThreads
    }

    /// Threads that must end before the scheduler has.
    var computeThreads: Int { foregroundThreads + lowThreads }

    func readyCount(_ qos: QualityOfService) -> Int {
      fresh[qos.rawValue].count + started[qos.rawValue].count
    }

    var readyForeground: Int {
      readyCount(.userInteractive) + readyCount(.userInitiated) + readyCount(.default)
    }

    var readyLow: Int { readyCount(.utility) + readyCount(.background) }

    /// By class, for a drawing of the run.
    var readyCounts: SIMD8<Int32> {
      var counts = SIMD8<Int32>()
      for qos in QualityOfService.allCases { counts[qos.rawValue] = Int32(readyCount(qos)) }
      return counts
    }

    /// Workers that the foreground has or could use.
    var wantedForeground: Int { min(workers, activeForeground + runnableForeground) }

    /// Whether an item's bytes fit beside what runs and what is held. One larger than the budget runs alone.
    func fits(_ item: WorkItem) -> Bool {
      bytesInUse == 0 || item.byteCount <= memoryBudget - bytesInUse - heldBytes
    }

    /// Whether an input of a class may be fetched now: not far more than are being used, and never by the last
    /// two threads for a low class, which a disk that does not answer would take, too.
    func mayFetch(_ qos: QualityOfService) -> Bool {
      guard fetchedAhead[qos.rawValue...].reduce(0, +) < mostFetched else { return false }
      if qos.isForeground { return true }
      return fetching.values.count { !$0.requestedQoS.isForeground } < max(1, waitingLimit - 2)
    }

    mutating func countFetched(_ item: WorkItem, _ change: Int) {
      fetchedAhead[item.requestedQoS.rawValue] += change
    }

    /// Workers that loops of the foreground, or the others, would still find something to do for.
    func helpWanted(foreground: Bool) -> Int {
      var help = 0
      for loop in loops where loop.qos.isForeground == foreground { help += loop.missingHelp }
      return help
    }

    /// Every item that is not over.
    var everyItem: [WorkItem] {
      Array(waiting.values) + fresh.flatMap(\.all) + calls.items + Array(fetching.values)
        + Array(admitted.values)
    }

    /// All sleep no more.
    mutating func wakeEverybody(_ effects: inout Effects) {
      while let worker = popIdleForeground() ?? popIdleLow() { effects.wake.append(worker) }
      resumeAll(&effects)
      effects.wakesWaiting = true
    }
  }

  /// What is to be done when the lock has been let go.
  struct Effects {
    var wake: [Worker] = []
    var start: [Worker] = []
    var abandon: [(item: WorkItem, work: any Work, reason: CancellationReason)] = []
    var tell: [(observers: [@Sendable (WorkItem.State) -> Void], state: WorkItem.State)] = []
    /// Released outside the lock: what they hold may be large, or ask the scheduler something.
    var release: [any Work] = []
    var wakesWaiting = false
    var waitingThreadsToStart = 0
  }

  /// Does what was put off. Without the lock.
  func perform(_ effects: Effects) {
    for worker in effects.wake { worker.wake() }
    for worker in effects.start { start(worker) }
    if effects.wakesWaiting { state.notifyAll() }
    for _ in 0..<effects.waitingThreadsToStart { startWaitingThread() }
    guard !effects.abandon.isEmpty || !effects.tell.isEmpty else { return }
    TellingList.add { [self] in
      abandon(effects.abandon)
      for (observers, state) in effects.tell { for observer in observers { observer(state) } }
    }
  }
}
