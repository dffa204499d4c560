import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Notices a page that takes too long, or a process that takes too much memory. Nothing can interrupt poppler: its
/// thread is left behind.
final class Watchdog: Sendable {
  /// Why a document was given up.
  enum Reason: Equatable {
    /// The page that took too long; 0 for opening the document.
    case time(page: Int)
    /// The pages in work.
    case memory(pages: [Int])
  }

  /// What is being worked on, by worker: a page from 1, 0 for opening the document.
  private let work = Mutex<[Int: (page: Int, began: Int, limit: Int)]>([:])
  private let limit: Int
  /// A page that states any number of pixels is waited for ten minutes longer, and no more.
  private static let mostMegapixels = 600
  private let overdue = Atomic(false)
  private let now: @Sendable () -> Int
  private let takesTooMuch: @Sendable () -> Bool

  /// - Parameters:
  ///   - seconds: that one page may take.
  ///   - now: milliseconds of a clock that only goes forward.
  ///   - takesTooMuch: whether the process has more memory than it may.
  init(
    seconds: Int, now: @escaping @Sendable () -> Int = Watchdog.milliseconds,
    takesTooMuch: @escaping @Sendable () -> Bool = { false }
  ) {
    limit = seconds * 1_000
    self.now = now
    self.takesTooMuch = takesTooMuch
  }

  /// Whether the document was given up: whoever still works on it stops as soon as it can.
  var hasGivenUp: Bool { overdue.load(ordering: .acquiring) }

  /// - Parameter megapixels: of the page's pictures; each is given a second more.
  func begin(_ page: Int, worker: Int, megapixels: Int = 0) {
    let limit = limit + min(megapixels, Self.mostMegapixels) * 1_000
    let began = now()
    work.withLock { $0[worker] = (page, began, limit) }
  }

  func end(worker: Int) { work.withLock { _ = $0.removeValue(forKey: worker) } }

  /// Watches until there is nothing left to watch, or gives up and says why.
  func watch(until isStopped: () -> Bool) -> Reason? {
    while !isStopped() {
      usleep(10_000)
      let now = now()
      let page = work.withLock { work in
        work.values.filter { now - $0.began > $0.limit }.map(\.page).min()
      }
      let isLarge = page == nil && takesTooMuch()
      guard page != nil || isLarge else { continue }
      overdue.store(true, ordering: .releasing)
      if let page { return .time(page: page) }
      return .memory(pages: work.withLock { $0.values.map(\.page).sorted() })
    }
    return nil
  }

  /// Wraps `clock_gettime`.
  static func milliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
