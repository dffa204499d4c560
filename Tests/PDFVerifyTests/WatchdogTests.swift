import Foundation
import ImageCodecs
import ImageCore
import Synchronization
import Testing

@testable import PDFVerify

/// The time limit of a page and the memory limit of a document, with clocks and meters that the tests control.
@Suite struct WatchdogTests {
  /// A large page is waited for longer than a small one that began at the same time.
  @Test func largePagesGetMoreTime() {
    let clock = Clock()
    let watchdog = Watchdog(seconds: 60, now: Clock().now, meter: { clock.now })
    watchdog.begin(1, worker: 0, megapixels: 600)
    watchdog.begin(2, worker: 1)
    clock.pass(seconds: 60)
    let polls = Mutex(0)
    #expect(watchdog.watch { polls.withLock { ($0, $0 += 1).0 == 3 } } == nil)
    #expect(!watchdog.hasGivenUp)
    clock.pass(seconds: 1)
    #expect(watchdog.watch { false } == .time(page: 2))
    #expect(watchdog.hasGivenUp)
  }

  /// Time that passes while other programs have the processor does not count, until there is no hope.
  @Test func waitingIsNoWork() {
    let (time, work) = (Clock(), Clock())
    let watchdog = Watchdog(seconds: 60, now: time.now, meter: { work.now })
    watchdog.begin(1, worker: 0)
    time.pass(seconds: 1_200)
    work.pass(seconds: 60)
    let polls = Mutex(0)
    #expect(watchdog.watch { polls.withLock { ($0, $0 += 1).0 == 3 } } == nil)
    time.pass(seconds: 1)
    #expect(watchdog.watch { false } == .time(page: 1))
  }

  @Test func metersAdvanceWithWork() {
    let meter = Watchdog.processorTime()
    let before = meter()
    #expect(before >= 0)
    while meter() == before { _ = Int.random(in: 0...9) }
    #expect(meter() > before)
  }

  @Test func memoryIsWatched() {
    let watchdog = Watchdog(seconds: 60, now: Clock().now, takesTooMuch: { true })
    watchdog.begin(3, worker: 0)
    watchdog.begin(2, worker: 1)
    #expect(watchdog.watch { false } == .memory(pages: [2, 3]))
    #expect(watchdog.hasGivenUp)
  }

  /// A hang is reported as an error. The caller goes on; the abandoned work does not.
  @Test func hangsAreReported() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "hangs.pdf")
    let (mayGoOn, calls) = (Flag(), Counter())
    weak var thread: Token?
    do {
      let (token, clock) = (Token(), Clock())
      thread = token
      let overdue = Mutex<[[String]]>([])
      var verifier = Verifier(jobs: 1, deadline: 1) { bytes throws(PictureError) in
        token.use()
        calls.count.add(1, ordering: .relaxed)
        clock.pass(seconds: 3_600)
        while !mayGoOn.isSet.load(ordering: .acquiring) { usleep(1_000) }
        return try JPEGCodec().makeDecoder(bytes)
      } onGivenUp: { report in
        overdue.withLock { $0.append(report.lines) }
      }
      verifier.now = clock.now
      verifier.onPage = { _, _ in Issue.record("a page is told that was given up") }
      let report = verifier.verify(path)
      let lines = [
        "1: error: rendering takes more than 1 s of processor time and 1 s a megapixel; the document " + "was given up"
      ]
      #expect(report.lines == lines)
      #expect(!report.isVerified)
      #expect(overdue.withLock { $0 } == [lines])
    }
    mayGoOn.isSet.store(true, ordering: .releasing)
    // The thread that was left behind has ended when nobody holds what it was given.
    for _ in 0..<600_000 where thread != nil { usleep(1_000) }
    #expect(thread == nil)
    #expect(calls.count.load(ordering: .relaxed) == 1)
  }

  private final class Clock: Sendable {
    private let milliseconds = Atomic(1_000)
    var now: @Sendable () -> Int { { self.milliseconds.load(ordering: .relaxed) } }
    func pass(seconds: Int) { milliseconds.add(seconds * 1_000, ordering: .relaxed) }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  private final class Counter: Sendable {
    let count = Atomic(0)
  }

  private final class Token: Sendable {
    func use() {}
  }
}
