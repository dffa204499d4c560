import Synchronization
import Testing

import Platform

@testable import Scheduling

@Suite struct TraceRecorderTests {
  private func withScheduler(
    workers: Int = 2, _ recorder: TraceRecorder, _ body: (Scheduler) throws -> Void
  ) rethrows -> TraceRecord {
    let scheduler = Scheduler(
      .init(workers: workers, memoryBudget: 1 << 30, recorder: recorder))
    scheduler.activate()
    try body(scheduler)
    scheduler.invalidate()
    return recorder.record(workers: workers)
  }

  @Test func stepsAndTheirOperations() throws {
    let recorder = TraceRecorder()
    let record = try withScheduler(recorder) { scheduler in
      var items: [WorkItem] = []
      for index in 0..<20 {
        items.append(
          try scheduler.submit(index % 2 == 0 ? .default : .background, byteCount: 1000, name: "work \(index)") {
            recorder.span("outer") { recorder.span("inner") {} }
          })
      }
      scheduler.wait(for: items, as: .default)
    }
    #expect(Set(record.steps.map(\.name)) == Set((0..<20).map { "work \($0)" }))
    #expect(record.steps.count == 20 && record.operations.count == 40)
    #expect(record.steps.allSatisfy { 0 <= $0.began && $0.began <= $0.ended })
    #expect(record.steps.allSatisfy { $0.ended <= record.duration })
    for operation in record.operations {
      let isInside = record.steps.contains {
        $0.row == operation.row && $0.began <= operation.began && operation.ended <= $0.ended
      }
      #expect(isInside, "\(operation)")
    }
    for row in record.rows {
      let steps = record.steps.filter { $0.row == row }
      #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.ended <= $1.began })
    }
    #expect(record.levels.contains { $0.bytes >= 1000 } && record.levels.last?.bytes == 0)
    #expect(record.levels.contains { $0.readyCount(.default) > 0 })
    #expect(record.levels.last?.readyCount == 0 && record.droppedCount == 0)
    // Those of the background were waited for.
    #expect(record.marks.allSatisfy { $0.kind == .raised })
    #expect(record.marks.first?.detail.hasSuffix("to default") ?? true)
  }

  @Test func raisedWork() throws {
    let recorder = TraceRecorder()
    let record = try withScheduler(workers: 1, recorder) { scheduler in
      let (began, gate) = (Gate(), Gate())
      let first = try scheduler.submit(.userInteractive) {
        began.open()
        gate.wait()
      }
      #expect(began.wait())
      let second = try scheduler.submit(.background, name: "late") {}
      let boost = scheduler.raise([second], to: .userInitiated)
      gate.open()
      scheduler.wait(for: [first, second], as: .userInitiated)
      boost.end()
    }
    #expect(record.marks.map(\.detail) == ["late, to user-initiated"])
    #expect(record.steps.first { $0.name == "late" }?.qos == .userInitiated)
  }

  @Test func loopsAndWaitingThreads() throws {
    let recorder = TraceRecorder()
    let record = try withScheduler(recorder) { scheduler in
      scheduler.parallelFor(1000, qos: .userInitiated) { _ in }
      let isDone = Monitor(false)
      try scheduler.submitWaiting(.utility, name: "a disk") {
        isDone.withLock { $0 = true }
        isDone.notifyAll()
      }
      isDone.wait { $0 ? () : nil }
    }
    #expect(record.steps.contains { $0.row == TraceRow(.script) && $0.qos == .userInitiated })
    // Noted although its thread may not have come back yet.
    #expect(
      record.steps.filter { $0.row.kind == .waiting }.map(\.name) == ["a disk"])
  }

  /// Also of a loop that a helper has begun.
  @Test func loopsAreNamedAfterTheirWork() throws {
    let recorder = TraceRecorder()
    let record = try withScheduler(recorder) { scheduler in
      let hasBegun = Monitor(false)
      let item = try scheduler.submit(.default, name: "a picture") {
        scheduler.parallelFor(2, qos: .default) { index in
          guard index == 1 else {
            hasBegun.wait { $0 ? () : nil }
            return
          }
          hasBegun.withLock { $0 = true }
          hasBegun.notifyAll()
          scheduler.parallelFor(2, qos: .default) { _ in usleep(2_000) }
        }
      }
      scheduler.wait(for: [item], as: .default)
    }
    #expect(Set(record.steps.map(\.name)) == ["a picture"])
  }

  /// A call that is over is noted whenever somebody looks.
  @Test func callsAreNeverMissing() {
    let recorder = TraceRecorder()
    let over = Counter()
    let count = 8_000
    startThread {
      for _ in 0..<count { recorder.openStep(TraceRow(.waiting), "a disk", .utility) { over.add(1) } }
    }
    var known = 0
    while known < count {
      known = over.value
      let noted = recorder.record(workers: 1).steps.count
      #expect(noted >= known)
      if noted < known { break }
    }
  }

  @Test func memoryIsBoundedAndWhatIsDroppedIsCounted() {
    let recorder = TraceRecorder(limit: 100)
    let row = TraceRow(.foreground, 1)
    for index in 0..<60 { recorder.step(row, "work \(index)", .default, began: recorder.now()) }
    // From half on, steps of the same work become one.
    for _ in 0..<1000 { recorder.step(row, "long", .default, began: recorder.now()) }
    var record = recorder.record(workers: 1)
    let count = record.steps.count
    // One, but for those before which this thread had to wait for a tenth of a millisecond.
    #expect((61...80).contains(count) && record.droppedCount == 0)
    for index in 0..<100 { recorder.mark(.cancelled, "\(index)") }
    record = recorder.record(workers: 1)
    #expect(record.steps.count + record.marks.count == 100 && record.droppedCount == count)
    #expect(record.marks.map(\.detail) == (0..<100 - count).map(String.init))
  }

  @Test func levelsGetCoarserButKeepTheLast() {
    var log = LevelLog()
    let count = 1_000_000
    for index in 0..<count {
      log.append(TraceRecord.Level(time: index * 100, ready: SIMD8(repeating: Int32(index % 7)), bytes: index))
    }
    #expect(log.levels.count <= LevelLog.most && log.levels.count > LevelLog.most / 8)
    #expect(log.levels.last?.bytes == count - 1)
    #expect(zip(log.levels, log.levels.dropFirst()).allSatisfy { $0.time < $1.time })
    // Nothing new is no event.
    let before = log.levels.count
    log.append(TraceRecord.Level(time: count * 200, ready: SIMD8(repeating: Int32((count - 1) % 7)), bytes: count - 1))
    #expect(log.levels.count == before)
  }

  @Test func waitingRowsAreUsedAgain() {
    let recorder = TraceRecorder()
    let first = recorder.enterWaitingRow()
    let second = recorder.enterWaitingRow()
    #expect(first.number == 0 && second.number == 1)
    recorder.leave(first)
    #expect(recorder.enterWaitingRow() == first)
  }

  @Test func withoutARecorderOnlyTheWorkIsDone() {
    let none: TraceRecorder? = nil
    var isNamed = false
    func name() -> String {
      isNamed = true
      return "x"
    }
    #expect(none.span(name()) { 5 } == 5 && !isNamed)
  }
}
