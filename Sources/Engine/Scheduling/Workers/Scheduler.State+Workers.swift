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

  /// Removes a worker that looks for work from the idle ones, even if it was not woken by another thread.
  mutating func takeFromIdle(_ worker: Worker) {
    if watcher === worker { watcher = nil }
    guard worker.isIdle else { return }
    worker.isIdle = false
    idleForeground.removeAll { $0 === worker }
    idleLow.removeAll { $0 === worker }
  }

  // MARK: - what there is to do

  /// Returns whether a class may take memory: false while a higher class waits for it.
  func mayTakeMemory(_ qos: QualityOfService) -> Bool { memoryWaiter.map { $0.qos <= qos } ?? true }

  func mayStart(_ item: WorkItem, in qos: QualityOfService) -> Bool {
    item.byteCount == 0 || (mayTakeMemory(qos) && fits(item))
  }

  /// Counts in each class the items and paused workers that could run now. Items behind one that waits for memory are
  /// not counted, because workers would check it repeatedly.
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

  /// The highest class of the raised items on low workers; -1 if there are none.
  var highestRaised: Int { (2...4).last { raised[$0] > 0 } ?? -1 }

  /// The number of foreground workers that may compute at the same time. A low worker with a raised item takes one of
  /// their places, because the system gives it a processor only if no other thread wants it.
  var foregroundRoom: Int { max(0, workers - Int(raised.wrappedSum())) }

  /// The number of foreground workers that have something to do.
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

  /// Counts a raised item on a low worker, or stops counting it.
  mutating func countRaised(_ qos: QualityOfService, _ change: Int) {
    if qos.isForeground { raised[qos.rawValue] += change }
  }

  /// Records that no worker runs an item any more.
  mutating func takeBack(_ item: WorkItem) {
    guard item.ledger.isOnLow else { return }
    item.ledger.isOnLow = false
    countRaised(item.qos, -1)
  }
}
