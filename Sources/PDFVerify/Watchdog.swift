import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Notices a page that takes too long. Nothing can interrupt poppler: its thread is left behind.
final class Watchdog: Sendable {
  /// What is being worked on, by worker: a page from 1, 0 for opening the document.
  private let work = Mutex<[Int: (page: Int, began: Int, limit: Int)]>([:])
  private let limit: Int
  /// A page that states any number of pixels is waited for ten minutes longer, and no more.
  private static let mostMegapixels = 600
  private let overdue = Atomic(false)

  /// - Parameter seconds: that one page may take.
  init(seconds: Int) { limit = seconds * 1_000 }

  /// Whether the document was given up: whoever still works on it stops as soon as it can.
  var hasGivenUp: Bool { overdue.load(ordering: .acquiring) }

  /// - Parameter megapixels: of the page's pictures; each is given a second more.
  func begin(_ page: Int, worker: Int, megapixels: Int = 0) {
    let limit = limit + min(megapixels, Self.mostMegapixels) * 1_000
    work.withLock { $0[worker] = (page, Self.now(), limit) }
  }

  func end(worker: Int) { work.withLock { _ = $0.removeValue(forKey: worker) } }

  /// Watches until there is nothing left to watch, or a page takes too long, which is returned.
  func watch(until isStopped: () -> Bool) -> Int? {
    while !isStopped() {
      usleep(10_000)
      let now = Self.now()
      let page = work.withLock { work in
        work.values.filter { now - $0.began > $0.limit }.map(\.page).min()
      }
      guard let page else { continue }
      overdue.store(true, ordering: .releasing)
      return page
    }
    return nil
  }

  /// Milliseconds of a clock that only goes forward; wraps `clock_gettime`.
  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
