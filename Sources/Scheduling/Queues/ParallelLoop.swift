import Synchronization

extension Scheduler {
  /// Calls `body` once for each index below `count`, on this thread and on idle workers of the class, and
  /// returns when all calls have returned.
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
      let loop = ParallelLoop(count: count, qos: qos, helpers: helpers, body: body)
      let recorder = configuration.recorder
      if recorder != nil { loop.name = Worker.current?.item?.ledger.work?.name ?? loop.name }
      let began = recorder?.now() ?? 0
      var effects = Effects()
      state.withLock { state in
        state.loops.append(loop)
        assignWorkers(&state, &effects)
      }
      perform(effects)
      loop.drawIndices { false }
      state.withLock { state in
        state.loops.removeAll { $0 === loop }
      }
      state.wait { _ in loop.inside == 0 ? () : nil }
      loop.release()
      // A worker's own part is within a step.
      if let recorder, Worker.current == nil {
        recorder.step(TraceRow(.script), loop.name, qos, began: began)
      }
    }
  }

  /// Takes part in a loop until no index is left or something more urgent is ready.
  func join(_ loop: ParallelLoop, _ worker: Worker) {
    let recorder = configuration.recorder
    let began = recorder?.now() ?? 0
    loop.drawIndices {
      self.readyClasses.load(ordering: .relaxed) >> UInt(loop.qos.rawValue + 1) != 0
        || (worker.kind == .low && self.isLowCrowded.load(ordering: .relaxed))
    }
    recorder?.step(worker.row, loop.name, loop.qos, began: began)
    let isLast = state.withLock { state in
      loop.inside -= 1
      state.count(worker, -1)
      publish(&state)
      return loop.inside == 0
    }
    if isLast { state.notifyAll() }
  }
}

/// One `parallelFor`: a counter that participants draw indices from.
///
/// `@unchecked Sendable`: `body` is only read by participants that have entered, and set to nil by the
/// caller after they have all left and the loop is in no list any more.
final class ParallelLoop: @unchecked Sendable {
  let qos: QualityOfService
  /// What a drawing of the run calls it: the work it belongs to. Set before others see the loop.
  var name = "for the script"
  private let count: Int
  private let helpers: Int
  /// Indices that are drawn at a time: one, but for loops so long that their bodies must be tiny, where the
  /// counter would go to and fro between processors.
  private let chunk: Int
  private var body: (@Sendable (Int) -> Void)?
  private let next = Atomic<Int>(0)
  /// Workers that take part beside the caller. Guarded by the scheduler's lock.
  var inside = 0

  init(
    count: Int, qos: QualityOfService, helpers: Int, body: @escaping @Sendable (Int) -> Void
  ) {
    self.count = count
    self.qos = qos
    self.helpers = helpers
    self.body = body
    chunk = max(1, min(64, count / (helpers + 1) / 64))
  }

  /// Workers that would still find something to do. Under the scheduler's lock.
  var missingHelp: Int {
    max(0, min(helpers - inside, count - next.load(ordering: .relaxed)))
  }

  var needsHelp: Bool { missingHelp > 0 }

  /// A function of its own, so that its reference to `body` is gone before the caller counts as outside.
  @inline(never)
  func drawIndices(mayLeave: () -> Bool) {
    guard let body else { return }
    while true {
      let first = next.wrappingAdd(chunk, ordering: .relaxed).oldValue
      guard first < count else { return }
      for index in first..<min(first + chunk, count) { body(index) }
      if mayLeave() { return }
    }
  }

  func release() { body = nil }
}
