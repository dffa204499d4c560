/// Passes items in batches to a thread that processes them in order. The thread starts with the first full batch. The
/// incomplete last batch is processed on the calling thread, and so are all batches if no thread can be created.
///
/// `@unchecked Sendable`, because `batch` and `hasThread` are only used by one caller at a time, and `state` is locked.
public final class BackgroundConsumer<Item: Sendable>: @unchecked Sendable {
  private struct State {
    var batches: [[Item]] = []
    var isWorking = false
    var isEnded = false
  }

  private let batchCount: Int
  /// The maximum number of waiting batches.
  private static var mostWaiting: Int { 4 }
  private let body: @Sendable ([Item]) -> Void
  private let state = Monitor(State())
  private var batch: [Item] = []
  private var hasThread = false

  /// - Parameters:
  ///   - batchCount: the number of items in a batch.
  ///   - body: the work, called by one thread at a time.
  public init(batchCount: Int, _ body: @escaping @Sendable ([Item]) -> Void) {
    self.batchCount = batchCount
    self.body = body
  }

  deinit {
    state.withLock { ($0.isEnded, $0.batches) = (true, []) }
    state.notifyAll()
  }

  /// Adds an item, and waits while the thread is far behind. Called by one thread at a time.
  public func add(_ item: Item) {
    batch.append(item)
    if batch.count == batchCount { passBatch() }
  }

  /// Waits until the thread has processed its batches, and processes the incomplete last batch on the calling thread.
  public func finish() {
    if hasThread { state.wait { state -> Void? in state.batches.isEmpty && !state.isWorking ? () : nil } }
    body(batch)
    batch = []
  }

  private func passBatch() {
    defer {
      batch = []
      batch.reserveCapacity(batchCount)
    }
    if !hasThread { hasThread = startThread { [state, body] in Self.work(state, body) } }
    guard hasThread else { return body(batch) }
    state.wait { state -> Void? in
      guard state.batches.count < Self.mostWaiting else { return nil }
      state.batches.append(batch)
      return ()
    }
    state.notifyAll()
  }

  private static func work(_ state: Monitor<State>, _ body: ([Item]) -> Void) {
    while true {
      let batch = state.wait { state -> [Item]? in
        if state.batches.isEmpty { return state.isEnded ? [] : nil }
        state.isWorking = true
        return state.batches.removeFirst()
      }
      guard !batch.isEmpty else { return }
      state.notifyAll()
      body(batch)
      state.withLock { $0.isWorking = false }
      state.notifyAll()
    }
  }
}
