import Platform
import Synchronization

/// Records the events of a run for a drawing. May be used from any thread.
///
/// Each thread writes to a log that it rarely shares with others, so an event takes about a tenth of a microsecond.
///
/// Memory is limited. The first `limit` steps, operations and marks are kept; operations are only kept up to three
/// quarters of the limit. Dropped events are counted. From half of the limit on, consecutive steps of the same work are
/// merged. Levels are thinned out when there are too many.
public final class TraceRecorder: Sendable {
  private struct Log {
    var steps: [TraceRecord.Span] = []
    var operations: [TraceRecord.Span] = []
    var marks: [TraceRecord.Mark] = []
    var levels = LevelLog()
    var droppedCount = 0
    /// Spans that have begun and may take long. Their `ended` is not known yet.
    var open: [TraceRow: TraceRecord.Span] = [:]

    /// Extends the last step by this one if both belong to the same work and are less than 0.1 ms apart. Returns
    /// whether it did.
    mutating func extend(_ step: TraceRecord.Span) -> Bool {
      guard let last = steps.last, last.row == step.row, last.name == step.name,
        last.qos == step.qos, step.began - last.ended < 100_000
      else { return false }
      steps[steps.count - 1].ended = step.ended
      return true
    }
  }

  private static let logCount = 32
  private let logs: [Monitor<Log>]
  /// The numbers of the rows that waiting threads use.
  private let waitingRows = Monitor<Set<Int>>([])
  private let kept = Atomic<Int>(0)
  private let limit: Int
  private let origin = monotonicNanoseconds()
  private let duration = Atomic<Int>(0)

  /// - Parameter limit: the largest number of events that are kept, of about 60 bytes each.
  public init(limit: Int = 1 << 20) {
    precondition(limit >= 4)
    self.limit = limit
    logs = (0..<Self.logCount).map { _ in Monitor(Log()) }
  }

  /// Returns the time of an event that begins now.
  func now() -> Int { monotonicNanoseconds() - origin }

  private func log(_ row: TraceRow) -> Monitor<Log> {
    logs[(row.kind.rawValue * 11 + row.number) % Self.logCount]
  }

  private func keeps(_ most: Int) -> Bool {
    // The limit need not be exact: threads that check it at the same time may each exceed it by one.
    guard kept.load(ordering: .relaxed) < most else { return false }
    kept.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  // MARK: - noting

  /// Records a step that ends now. `began` is a time that `now()` has returned.
  func step(_ row: TraceRow, _ name: String, _ qos: QualityOfService, began: Int) {
    let step = TraceRecord.Span(row, name, qos, began: began, ended: now())
    log(row).withLock { add(step, to: &$0) }
  }

  private func add(_ step: TraceRecord.Span, to log: inout Log) {
    let isSparing = kept.load(ordering: .relaxed) >= limit / 2
    if isSparing && log.extend(step) { return }
    if keeps(limit) { log.steps.append(step) } else { log.droppedCount += 1 }
  }

  /// Runs and records a step that may outlast the run.
  func openStep(_ row: TraceRow, _ name: String, _ qos: QualityOfService, _ body: () -> Void) {
    let began = now()
    let step = TraceRecord.Span(row, name, qos, began: began, ended: began)
    log(row).withLock { $0.open[row] = step }
    body()
    log(row).withLock { log in
      // Both changes are made under one lock, so that a reader sees either the open or the ended step.
      log.open[row] = nil
      add(TraceRecord.Span(row, name, qos, began: began, ended: now()), to: &log)
    }
  }

  /// Runs a part of a step, and records it if the calling thread is a worker.
  public func span<Result, Failure: Error>(
    _ name: @autoclosure () -> String, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let row = Worker.current?.row else { return try body() }
    let began = now()
    defer { note(TraceRecord.Span(row, name(), began: began, ended: now())) }
    return try body()
  }

  private func note(_ span: TraceRecord.Span) {
    let isKept = keeps(limit / 4 * 3)
    log(span.row).withLock { log in
      if isKept { log.operations.append(span) } else { log.droppedCount += 1 }
    }
  }

  /// Records an instantaneous event.
  public func mark(_ kind: TraceRecord.Mark.Kind, _ detail: @autoclosure () -> String) {
    let isKept = keeps(limit)
    let mark = TraceRecord.Mark(time: now(), kind, isKept ? detail() : "")
    log(TraceRow(.script)).withLock { log in
      if isKept { log.marks.append(mark) } else { log.droppedCount += 1 }
    }
  }

  /// Records the number of ready items and the memory in use. Called in order, under the scheduler's lock.
  func level(ready: SIMD8<Int32>, bytes: Int) {
    let level = TraceRecord.Level(time: now(), ready: ready, bytes: bytes)
    log(TraceRow(.waiting)).withLock { $0.levels.append(level) }
  }

  // MARK: - rows

  /// Returns the first free row for a waiting thread, which owns it until `leave`.
  func enterWaitingRow() -> TraceRow {
    waitingRows.withLock { taken in
      var number = 0
      while taken.contains(number) { number += 1 }
      taken.insert(number)
      return TraceRow(.waiting, number)
    }
  }

  func leave(_ row: TraceRow) { waitingRows.withLock { _ = $0.remove(row.number) } }

  // MARK: - reading

  /// Sets the end of the run to the present time. Later calls have no effect.
  public func end() { _ = duration.compareExchange(expected: 0, desired: now(), ordering: .relaxed) }

  /// Returns the events so far. May be called during the run.
  ///
  /// - Parameter workers: the number of workers of each kind, see `Scheduler.Configuration`.
  public func record(workers: Int) -> TraceRecord {
    let end = duration.load(ordering: .relaxed)
    var record = TraceRecord(duration: end > 0 ? end : now(), workers: workers)
    for log in logs {
      let log = log.withLock { $0 }
      record.steps += log.steps
      for var step in log.open.values {
        step.ended = max(step.began, record.duration)
        record.steps.append(step)
      }
      record.operations += log.operations
      record.marks += log.marks
      record.levels += log.levels.levels
      record.droppedCount += log.droppedCount
    }
    record.steps.sort { ($0.began, $0.row) < ($1.began, $1.row) }
    record.operations.sort { ($0.began, -$0.ended) < ($1.began, -$1.ended) }
    record.marks.sort { $0.time < $1.time }
    return record
  }
}

extension TraceRecorder? {
  /// Runs a part of a step, and records it if there is a recorder and the calling thread is a worker.
  @inline(__always)
  public func span<Result, Failure: Error>(
    _ name: @autoclosure () -> String, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let self else { return try body() }
    return try self.span(name(), body)
  }
}

/// A list of at most 65,536 levels. When it is full, every second one is dropped, and the minimum distance between new
/// ones at least doubles.
struct LevelLog {
  static let most = 1 << 16
  private(set) var levels: [TraceRecord.Level] = []
  /// The minimum distance between two levels in the list, in nanoseconds.
  private var distance = 0

  mutating func append(_ level: TraceRecord.Level) {
    guard let last = levels.last else { return levels.append(level) }
    if last.ready == level.ready && last.bytes == level.bytes { return }
    if level.time - last.time < distance {
      // The newest values replace the values of the last level.
      levels[levels.count - 1].ready = level.ready
      levels[levels.count - 1].bytes = level.bytes
      return
    }
    levels.append(level)
    if levels.count >= Self.most { thin() }
  }

  private mutating func thin() {
    let span = levels[levels.count - 1].time - levels[0].time
    distance = max(distance * 2, 2 * span / levels.count)
    // The later level of each pair is kept.
    levels = stride(from: 1, to: levels.count, by: 2).map { levels[$0] }
  }
}
