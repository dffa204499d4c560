import Platform
import Synchronization

/// Notices a page that takes too long, or a process that takes too much memory. Nothing can interrupt poppler: its
/// thread is left behind.
///
/// A page's time is its thread's processor time, so that other programs take none of it. A page that uses no processor
/// time gets 20 times as long.
final class Watchdog: Sendable {
  /// Milliseconds of work, from any start.
  typealias Meter = @Sendable () -> Int

  private struct Task {
    let page: Int
    let limit: Int
    let began: Int
    let worked: Meter
    let workedBefore: Int

    func isOverdue(_ now: Int) -> Bool {
      worked() - workedBefore > limit || now - began > limit * Watchdog.patience
    }
  }

  /// Why a document was given up.
  enum Reason: Equatable {
    /// The page that took too long; 0 for opening the document.
    case time(page: Int)
    /// The pages in work.
    case memory(pages: [Int])
  }

  /// The work of each worker: a page from 1, 0 for opening the document.
  private let work = Mutex<[Int: Task]>([:])
  private let limit: Int
  /// A page that states any number of pixels is waited for ten minutes longer, and no more.
  private static let mostMegapixels = 600
  /// The factor for elapsed time over processor time.
  private static let patience = 20
  private let overdue = Atomic(false)
  private let now: @Sendable () -> Int
  private let meter: @Sendable () -> Meter
  private let takesTooMuch: @Sendable () -> Bool

  /// - Parameters:
  ///   - seconds: the time that one page may take.
  ///   - now: milliseconds of a clock that only goes forward.
  ///   - meter: makes one of the calling thread's work.
  ///   - takesTooMuch: whether the process has more memory than it may.
  init(
    seconds: Int, now: @escaping @Sendable () -> Int = Watchdog.milliseconds,
    meter: @escaping @Sendable () -> Meter = Watchdog.processorTime,
    takesTooMuch: @escaping @Sendable () -> Bool = { false }
  ) {
    limit = seconds * 1_000
    self.now = now
    self.meter = meter
    self.takesTooMuch = takesTooMuch
  }

  /// Whether the document was given up. Threads that still work on it stop as soon as they can.
  var hasGivenUp: Bool { overdue.load(ordering: .acquiring) }

  /// The calling thread begins with a page.
  ///
  /// - Parameter megapixels: the size of the page's pictures; each megapixel is given a second more.
  func begin(_ page: Int, worker: Int, megapixels: Int = 0) {
    let limit = limit + min(megapixels, Self.mostMegapixels) * 1_000
    let worked = meter()
    let task = Task(page: page, limit: limit, began: now(), worked: worked, workedBefore: worked())
    work.withLock { $0[worker] = task }
  }

  func end(worker: Int) { work.withLock { _ = $0.removeValue(forKey: worker) } }

  /// Watches until there is nothing left to watch, or gives up and says why.
  func watch(until isStopped: () -> Bool) -> Reason? {
    while !isStopped() {
      usleep(10_000)
      let now = now()
      let page = work.withLock { work in
        work.values.filter { $0.isOverdue(now) }.map(\.page).min()
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
  static func milliseconds() -> Int { milliseconds(of: CLOCK_MONOTONIC) }

  /// A meter of the calling thread's time on the processor, 0 once it has ended.
  static func processorTime() -> Meter {
    guard let clock = threadClock() else { return { 0 } }
    return { milliseconds(of: clock) }
  }

  /// 0 for a clock that is there no more.
  private static func milliseconds(of clock: clockid_t) -> Int {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return 0 }
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
