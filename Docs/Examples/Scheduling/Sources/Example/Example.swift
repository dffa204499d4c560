import Scheduling

@main struct Example {
  static func main() async throws {
    let machine = Machine.detect()
    let scheduler = Scheduler(
      .init(workers: machine.effectiveCores, memoryBudget: machine.defaultMemoryBudget))
    scheduler.activate()

    // A batch in the background. A serial queue protects the sum, so that no lock is needed.
    let sum = Sum()
    let sums = JobQueue("sums", qos: .utility, on: scheduler)
    let batch = WorkGroup(on: scheduler)
    for _ in 0..<100 {
      let item = try scheduler.submit(.background) {
        let count = primes(below: 50_000)
        _ = try? sums.submit { sum.value += count }
      }
      batch.add(item)
    }
    let end = try batch.notify(.utility) { print("the batch is over") }

    // Urgent work does not wait for the batch.
    let urgent = try scheduler.submit(.userInitiated) { print("the urgent item has run") }
    _ = await scheduler.end(of: urgent, as: .userInitiated)
    print("the batch goes on: \(!end.state.isOver)")

    // An item that has not begun is cancelled at once.
    let token = CancellationToken()
    let unwanted = try scheduler.submit(.background, token: token) { print("never printed") }
    token.cancel(CancellationReason("nobody waits for it"))
    scheduler.sweepCancelled()
    print("the unwanted item was cancelled: \(unwanted.state == .cancelled)")

    // Swift's tasks run on the same workers.
    let executor = scheduler.executor(.userInitiated)
    let most = await withTaskGroup(of: Int.self) { group in
      for limit in [100, 1_000, 10_000] {
        group.addTask(executorPreference: executor) { primes(below: limit) }
      }
      var most = 0
      for await count in group { most = max(most, count) }
      return most
    }
    print("primes below 10000: \(most)")

    // Work of many steps is put aside between two of them when something more urgent comes.
    let countdown = try scheduler.submit(Countdown(), qos: .utility, after: [.success(of: end)])
    _ = await scheduler.end(of: countdown, as: .userInitiated)

    // All items of the batch have queued their part of the sum: this item comes after those.
    let total = try sums.submit { print("sum: \(sum.value)") }
    _ = await scheduler.end(of: total, as: .userInitiated)

    sums.invalidate()
    scheduler.invalidate()
  }
}

/// A number that belongs to a serial queue.
///
/// `@unchecked Sendable`: only items of the queue use it.
final class Sum: @unchecked Sendable {
  var value = 0
}

/// Work of several steps. No two of them run at a time, so that its state needs no lock.
final class Countdown: Work {
  let name = "countdown"
  private nonisolated(unsafe) var left = 3

  func step() -> WorkStep {
    print("countdown: \(left)")
    left -= 1
    return left > 0 ? .more : .finished
  }
}

func primes(below limit: Int) -> Int {
  (2..<limit).count { number in
    var divisor = 2
    while divisor * divisor <= number {
      if number % divisor == 0 { return false }
      divisor += 1
    }
    return true
  }
}
