import Foundation
import ImageCodecs
import ImageCore
import Synchronization
import Testing

@testable import PDFVerify

/// How long a page may take.
@Suite struct WatchdogTests {
  /// A large page is waited for longer than a small one that began at the same time.
  @Test func largePagesGetMoreTime() {
    let watchdog = Watchdog(seconds: 0)
    watchdog.begin(1, worker: 0, megapixels: 600)
    watchdog.begin(2, worker: 1)
    #expect(!watchdog.hasGivenUp)
    #expect(watchdog.watch { false } == 2)
    #expect(watchdog.hasGivenUp)
  }

  /// What hangs is an error of the report, the caller goes on, and so does nothing of what was given up.
  @Test func hangsAreReported() throws {
    let book = try TestBook()
    let path = book.folder.write(book.bytes, as: "hangs.pdf")
    let mayGoOn = Flag()
    let calls = Mutex(0)
    let overdue = Mutex<[Int]>([])
    var verifier = Verifier(jobs: 1, deadline: 1) { bytes throws(PictureError) in
      calls.withLock { $0 += 1 }
      while !mayGoOn.isSet.load(ordering: .acquiring) { usleep(1_000) }
      return try JPEGCodec().makeDecoder(bytes)
    } onOverdue: { page in
      overdue.withLock { $0.append(page) }
    }
    verifier.onPage = { _, _ in Issue.record("a page is told that was given up") }
    let report = verifier.verify(path)
    #expect(
      report.lines == [
        "1: error: rendering takes more than 1 s and 1 s a megapixel; the document was given up"
      ])
    #expect(!report.isVerified)
    #expect(overdue.withLock { $0 } == [1])
    mayGoOn.isSet.store(true, ordering: .releasing)
    usleep(200_000)
    #expect(calls.withLock { $0 } == 1)
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }
}
