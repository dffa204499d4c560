/// Runs work on several threads, and delivers the results one by one in the order of the work.
public enum OrderedWork {
  private struct State<Output: Sendable> {
    var next = 0
    /// The results that wait for earlier ones.
    var waiting: [Int: Output] = [:]
    var delivered = 0
    var isStopped = false
  }

  /// Runs `body` with the numbers from 0 to `count - 1`.
  ///
  /// - Parameters:
  ///   - threads: the number of threads. With one thread, `body` runs in order. If no thread can be created, the
  ///     calling thread runs `body`.
  ///   - ahead: the maximum number of started items that are not delivered yet; at least `threads`.
  ///   - deliver: receives the results on the calling thread, and returns whether to continue. If not, no further call
  ///     of `body` starts, but earlier ones may still run.
  public static func run<Output: Sendable>(
    _ count: Int, threads: Int, ahead: Int = .max, _ body: @escaping @Sendable (Int) -> Output,
    deliver: (Output) -> Bool
  ) {
    let state = Monitor(State<Output>())
    let started = (0..<min(threads, count)).filter { _ in startThread { work(count, ahead, state, body) } }
    guard !started.isEmpty else {
      for index in 0..<count { guard deliver(body(index)) else { return } }
      return
    }
    for _ in 0..<count {
      let output = state.wait { state -> Output? in
        guard let output = state.waiting.removeValue(forKey: state.delivered) else { return nil }
        state.delivered += 1
        return output
      }
      state.notifyAll()
      guard deliver(output) else {
        state.withLock { $0.isStopped = true }
        return state.notifyAll()
      }
    }
  }

  /// Returns the results of `body` for each item.
  public static func map<Item: Sendable, Output: Sendable>(
    _ items: [Item], threads: Int, _ body: @escaping @Sendable (Item) -> Output
  ) -> [Output] {
    var results: [Output] = []
    run(items.count, threads: threads) {
      body(items[$0])
    } deliver: {
      results.append($0)
      return true
    }
    return results
  }

  private static func work<Output: Sendable>(
    _ count: Int, _ ahead: Int, _ state: Monitor<State<Output>>, _ body: (Int) -> Output
  ) {
    while true {
      let index = state.wait { state -> Int? in
        if state.isStopped || state.next == count { return count }
        guard state.next - state.delivered < ahead else { return nil }
        defer { state.next += 1 }
        return state.next
      }
      guard index < count else { return }
      let output = body(index)
      state.withLock { $0.waiting[index] = output }
      state.notifyAll()
    }
  }
}
