import Synchronization
import TestSupport
import Testing

@testable import Scheduling

extension SchedulingTests {
  /// Dependencies between items.
  @Suite struct DependencyTests {
    @Test func anItemComesAfterAllItDependsOn() throws {
      try withScheduler(workers: 4) { scheduler in
        let log = Log<Int>()
        let before = try (0..<50).map { index in try scheduler.submit(.default) { log.add(index) } }
        let last = try scheduler.submit(.userInteractive, after: before.map { .success(of: $0) }) { log.add(50) }
        #expect(scheduler.waits(for: last))
        #expect(log.all.last == 50 && log.all.count == 51)
      }
    }

    struct Ending: Sendable, CustomTestStringConvertible {
      let outcome: WorkStep
      let ordered: Bool
      let runs: Bool
      var testDescription: String { "\(outcome), \(ordered ? "order only" : "success")" }
    }

    @Test(
      arguments: [
        Ending(outcome: .finished, ordered: false, runs: true),
        Ending(outcome: .finished, ordered: true, runs: true),
        Ending(outcome: .failed, ordered: false, runs: false),
        Ending(outcome: .failed, ordered: true, runs: true),
        Ending(outcome: .cancelled, ordered: false, runs: false),
        Ending(outcome: .cancelled, ordered: true, runs: true),
      ], [false, true])
    func endings(ending: Ending, submittedAfterwards: Bool) throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        if submittedAfterwards { gate.open() }
        let outcome = ending.outcome
        let first = try scheduler.submitStep(.default) {
          gate.wait()
          return outcome
        }
        if submittedAfterwards { #expect(scheduler.waits(for: first)) }
        let work = Steps()
        let second = try scheduler.submit(
          work, qos: .default, after: [ending.ordered ? .end(of: first) : .success(of: first)])
        let third = try scheduler.submit(.default, after: [.success(of: second)]) {}
        gate.open()
        #expect(scheduler.waits(for: third))
        #expect(second.state == (ending.runs ? .finished : .cancelled))
        #expect(third.state == second.state)
        #expect(work.stepsDone == (ending.runs ? 1 : 0))
        let reason = ending.outcome == .failed ? "what it depends on has failed" : "what it depends on was cancelled"
        #expect(eventually { work.abandoned.map(\.description) == (ending.runs ? [] : [reason]) })
      }
    }

    @Test func cancellingAWaitingItemCascadesAtOnce() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let first = try scheduler.submit(.default) { gate.wait() }
        let works = (0..<3).map { Steps("\($0)") }
        let second = try scheduler.submit(works[0], qos: .default, after: [.success(of: first)])
        let third = try scheduler.submit(works[1], qos: .default, after: [.success(of: second)])
        let fourth = try scheduler.submit(works[2], qos: .default, after: [.end(of: third)])
        #expect(scheduler.cancel(second, .init("nobody wants it")))
        #expect(second.state == .cancelled && third.state == .cancelled && fourth.state == .waiting)
        #expect(works[0].abandoned.map(\.description) == ["nobody wants it"])
        #expect(works[1].abandoned.map(\.description) == ["what it depends on was cancelled"])
        gate.open()
        #expect(scheduler.waits(for: fourth))
        #expect(fourth.state == .finished && works[2].stepsDone == 1)
      }
    }

    @Test func theSameDependencyTwiceCountsOnce() throws {
      try withScheduler(workers: 1) { scheduler in
        let gate = Gate()
        let first = try scheduler.submit(.default) { gate.wait() }
        let work = Steps()
        let second = try scheduler.submit(
          work, qos: .default, after: [.success(of: first), .end(of: first), .success(of: first)])
        gate.open()
        #expect(scheduler.waits(for: second))
        #expect(work.stepsDone == 1)
      }
    }

    @Test func oneFailureOfSeveralCancelsOnce() throws {
      try withScheduler(workers: 2) { scheduler in
        let gate = Gate()
        let firsts = try (0..<4).map { index in
          try scheduler.submitStep(.default) {
            gate.wait()
            return index % 2 == 0 ? .finished : .failed
          }
        }
        let work = Steps()
        let last = try scheduler.submit(work, qos: .default, after: firsts.map { .success(of: $0) })
        gate.open()
        #expect(scheduler.waits(for: last))
        #expect(eventually { firsts.allSatisfy(\.state.isOver) })
        #expect(last.state == .cancelled && work.stepsDone == 0)
        #expect(eventually { work.abandoned.count == 1 })
      }
    }

    @Test(.thorough, arguments: [(true, 20_000), (false, 100_000)])
    func aLongChainEnds(succeeds: Bool, length: Int) throws {
      try withScheduler(workers: 2) { scheduler in
        let gate = Gate()
        let ran = Counter()
        let first = try scheduler.submitStep(.default) {
          gate.wait()
          return succeeds ? .finished : .failed
        }
        var last = first
        for _ in 0..<length {
          last = try scheduler.submit(.default, after: [.success(of: last)]) {
            ran.add(1)
          }
        }
        // Raising all of it must not fill the stack either.
        let boost = scheduler.raise([last], to: .userInteractive)
        #expect(first.qos == .userInteractive)
        gate.open()
        #expect(scheduler.waits(for: last))
        #expect(last.state == (succeeds ? .finished : .cancelled))
        #expect(ran.value == (succeeds ? length : 0))
        boost.end()
      }
    }

    @Test(.thorough) func twentyThousandWaitForOne() throws {
      try withScheduler(workers: 2) { scheduler in
        let gate = Gate()
        let ran = Counter()
        let first = try scheduler.submit(.default) { gate.wait() }
        let items = try (0..<20_000).map { _ in
          try scheduler.submit(.default, after: [.success(of: first)]) {
            ran.add(1)
          }
        }
        gate.open()
        let last = try scheduler.submit(.default, after: items.map { .success(of: $0) }) {}
        #expect(scheduler.waits(for: last))
        #expect(ran.value == 20_000)
      }
    }
  }
}
