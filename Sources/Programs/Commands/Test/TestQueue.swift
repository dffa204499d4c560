import Platform

/// Work on several threads whose results are delivered one by one, in the order of the work.
enum TestQueue {
  private struct State<Output: Sendable> {
    var next = 0
    /// The results that wait for earlier ones.
    var waiting: [Int: Output] = [:]
    var delivered = 0
  }

  /// Runs `body` for each item, `jobs` at a time. `deliver` is called on the calling thread.
  static func run<Item: Sendable, Output: Sendable>(
    _ items: [Item], jobs: Int, _ body: @escaping @Sendable (Item) -> Output, deliver: (Output) -> Void
  ) {
    let state = Monitor(State<Output>())
    let started = (0..<min(jobs, items.count)).filter { _ in startThread { work(items, state, body) } }
    if started.isEmpty { work(items, state, body) }
    while state.withLock({ $0.delivered < items.count }) {
      let output = state.wait { state -> Output? in
        guard let output = state.waiting.removeValue(forKey: state.delivered) else { return nil }
        state.delivered += 1
        return output
      }
      deliver(output)
    }
  }

  static func results<Item: Sendable, Output: Sendable>(
    of items: [Item], jobs: Int, _ body: @escaping @Sendable (Item) -> Output
  ) -> [Output] {
    var results: [Output] = []
    run(items, jobs: jobs, body) { results.append($0) }
    return results
  }

  /// Takes items until none is left.
  private static func work<Item: Sendable, Output: Sendable>(
    _ items: [Item], _ state: Monitor<State<Output>>, _ body: (Item) -> Output
  ) {
    while true {
      let index = state.withLock { state -> Int? in
        guard state.next < items.count else { return nil }
        defer { state.next += 1 }
        return state.next
      }
      guard let index else { return }
      let output = body(items[index])
      state.withLock { $0.waiting[index] = output }
      state.notifyAll()
    }
  }
}
