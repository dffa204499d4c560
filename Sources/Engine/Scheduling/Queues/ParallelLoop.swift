import Synchronization

extension Scheduler {
  /// Calls `body` once for each index below `count`, on this thread and on idle workers, and returns when all calls
  /// have returned. The calling thread handles index 0.
  ///
  /// Threads take indices from one atomic counter: an index costs a few nanoseconds, and no thread waits for a slow
  /// body while indices are left. Bodies must not block. They may call this function again: a thread that waits for the
  /// last bodies of a loop helps with the loops that these bodies have started.
  public func parallelFor(
    _ count: Int, qos: QualityOfService, _ body: @Sendable (Int) -> Void
  ) {
    let helpers = min(configuration.workers, count) - 1
    guard helpers > 0 else {
      for index in 0..<count { body(index) }
      return
    }
    // The compiler's check that `body` does not escape embeds the length of the file path, even in release builds. This
    // fixed name makes builds in different folders identical. No file has this name, because file names must be unique
    // within a module.
    #sourceLocation(file:"parallelFor.swift",line:1)
    withoutActuallyEscaping(body) { share(count, qos, helpers, $0) }
    #sourceLocation()
  }

  private func share(
    _ count: Int, _ qos: QualityOfService, _ helpers: Int, _ body: @escaping @Sendable (Int) -> Void
  ) {
    let worker = Worker.current
    let loop = ParallelLoop(count: count, qos: qos, helpers: helpers, outer: worker?.loop, body: body)
    let recorder = configuration.recorder
    let began = recorder?.now() ?? 0
    var effects = Effects()
    state.withLock { state in
      if recorder != nil { loop.name = worker?.item?.ledger.work?.name ?? worker?.loop?.name ?? loop.name }
      state.loops.append(loop)
      effects.wakesWaiting = loop.isAwaitedOutside
      assignWorkers(&state, &effects)
    }
    perform(effects)
    draw(loop, worker, isCaller: true) { false }
    state.withLock { state in
      state.loops.removeAll { $0 === loop }
      loop.isAwaited = true
    }
    while let inner = waitOrHelp(loop) {
      draw(inner, worker) { false }
      leave(inner)
    }
    loop.release()
    // On a worker, this time is already recorded as part of a step.
    if let recorder, Worker.current == nil { recorder.step(TraceRow(.script), loop.name, qos, began: began) }
  }

  /// Helps with a loop until no index is left, something more urgent is ready, or the foreground needs the place of a
  /// low-priority worker.
  func join(_ loop: ParallelLoop, _ worker: Worker) {
    let recorder = configuration.recorder
    let began = recorder?.now() ?? 0
    draw(loop, worker) {
      self.readyClasses.load(ordering: .relaxed) >> UInt(loop.qos.rawValue + 1) != 0
        || (worker.kind == .low && self.isLowOversubscribed.load(ordering: .relaxed))
    }
    recorder?.step(worker.row, loop.name, loop.qos, began: began)
    state.withLock { state in
      state.count(worker, -1)
      publish(&state)
    }
    leave(loop)
  }

  private func draw(_ loop: ParallelLoop, _ worker: Worker?, isCaller: Bool = false, mayLeave: () -> Bool) {
    let outer = worker?.loop
    worker?.loop = loop
    if isCaller { loop.callFirst() }
    loop.drawIndices(mayLeave: mayLeave)
    worker?.loop = outer
  }

  /// Waits until no helper is inside the loop, or a nested loop needs help.
  ///
  /// - Returns: the nested loop, which this thread has entered; nil if no helper is inside the loop.
  private func waitOrHelp(_ loop: ParallelLoop) -> ParallelLoop? {
    state.wait { state -> ParallelLoop?? in
      if loop.inside == 0 { return .some(nil) }
      guard let inner = state.loops.first(where: { $0.needsHelp && $0.isWithin(loop) }) else { return nil }
      inner.inside += 1
      return inner
    }
  }

  private func leave(_ loop: ParallelLoop) {
    let isWaitedFor = state.withLock { _ in
      loop.inside -= 1
      return loop.inside == 0 || (loop.needsHelp && loop.isAwaitedOutside)
    }
    if isWaitedFor { state.notifyAll() }
  }
}

/// One call of `parallelFor`: a counter from which participants take indices.
///
/// `@unchecked Sendable`: only participants that have entered the loop read `body`, and the caller sets it to nil after
/// all have left and no list contains the loop.
final class ParallelLoop: @unchecked Sendable {
  let qos: QualityOfService
  /// The name of the loop's work in a trace. Set before other threads see the loop.
  var name = "for the script"
  private let count: Int
  private let helpers: Int
  /// The loop in whose body this loop was started.
  private let outer: ParallelLoop?
  /// The number of indices that a thread takes at a time. It exceeds 1 only in loops so long that their bodies must be
  /// tiny: taking single indices would move the counter between processors too often.
  private let chunk: Int
  private var body: (@Sendable (Int) -> Void)?
  private let next: Atomic<Int>
  /// The number of threads that help the caller. Guarded by the scheduler's lock.
  var inside = 0
  /// Whether the caller has found no more indices, and waits for the helpers. Guarded by the scheduler's lock.
  var isAwaited = false

  init(count: Int, qos: QualityOfService, helpers: Int, outer: ParallelLoop?, body: @escaping @Sendable (Int) -> Void) {
    self.outer = outer
    self.count = count
    self.qos = qos
    self.helpers = helpers
    self.body = body
    chunk = max(1, min(64, count / (helpers + 1) / 64))
    next = Atomic(chunk)
  }

  /// Calls the body for the caller's indices, which are the first.
  @inline(never)
  func callFirst() {
    guard let body else { return }
    for index in 0..<min(chunk, count) { body(index) }
  }

  /// The number of additional workers that could help. The caller holds the scheduler's lock.
  var missingHelp: Int { max(0, min(helpers - inside, count - next.load(ordering: .relaxed))) }

  var needsHelp: Bool { missingHelp > 0 }

  /// The loops around this one, from the inside out.
  private var outerLoops: some Sequence<ParallelLoop> { sequence(first: self, next: \.outer).dropFirst() }

  func isWithin(_ loop: ParallelLoop) -> Bool { outerLoops.contains { $0 === loop } }

  /// Whether a thread waits for a loop around this one. The caller holds the scheduler's lock.
  var isAwaitedOutside: Bool { outerLoops.contains(where: \.isAwaited) }

  /// Calls the body until no index is left or `mayLeave` returns true. Not inlined, so that its reference to `body` is
  /// released before the thread leaves the loop.
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
