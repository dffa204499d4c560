import Synchronization
import Testing

@testable import PDFVerify

/// How long a page may take.
@Suite struct WatchdogTests {
  /// A large page is waited for longer than a small one that began at the same time.
  @Test func largePagesGetMoreTime() {
    let overdue = Mutex<Int?>(nil)
    let watchdog = Watchdog(seconds: 0) { page in overdue.withLock { $0 = $0 ?? page } }
    watchdog.begin(1, worker: 0, megapixels: 600)
    watchdog.begin(2, worker: 1)
    watchdog.watch { overdue.withLock { $0 } != nil }
    #expect(overdue.withLock { $0 } == 2)
  }
}
