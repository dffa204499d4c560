import Platform
import Synchronization

/// Detects a page that takes too long, or a process that uses too much memory. Poppler cannot be interrupted, so its
/// thread is left running.
///
/// A page's time is the processor time of its thread, so that other programs do not affect it. A second limit applies
/// to elapsed time, for threads that use no processor time; it is 20 times as long.
final class Watchdog: Sendable {
  /// Returns the milliseconds of work since an arbitrary point in time.
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

  /// The reason why a document was abandoned.
  enum Reason: Equatable {
    /// A page took too long; page 0 stands for opening the document.
    case time(page: Int)
    /// The process used too much memory while it checked these pages.
    case memory(pages: [Int])
  }

  /// The current task of each worker, by the worker's number.
  private let work = Mutex<[Int: Task]>([:])
  private let limit: Int
  /// The maximum number of megapixels that extend a page's time. It limits the extension to ten minutes, however many
  /// pixels the page declares.
  private static let mostMegapixels = 600
  /// The limit for elapsed time, as a multiple of the limit for processor time.
  private static let patience = 20
  private let overdue = Atomic(false)
  private let now: @Sendable () -> Int
  private let meter: @Sendable () -> Meter
  private let takesTooMuch: @Sendable () -> Bool

  /// - Parameters:
  ///   - seconds: the time limit of a page.
  ///   - now: returns the milliseconds of a monotonic clock.
  ///   - meter: makes a meter of the calling thread's work.
  ///   - takesTooMuch: returns whether the process exceeds its memory limit.
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

  /// Whether the document was abandoned. Threads that still work on it stop as soon as they can.
  var hasGivenUp: Bool { overdue.load(ordering: .acquiring) }

  /// Begins a page on the calling thread.
  ///
  /// - Parameter megapixels: the size of the page's pictures; each megapixel extends the time by a second.
  func begin(_ page: Int, worker: Int, megapixels: Int = 0) {
    let limit = limit + min(megapixels, Self.mostMegapixels) * 1_000
    let worked = meter()
    let task = Task(page: page, limit: limit, began: now(), worked: worked, workedBefore: worked())
    work.withLock { $0[worker] = task }
  }

  func end(worker: Int) { work.withLock { _ = $0.removeValue(forKey: worker) } }

  /// Watches until `isStopped` returns true, and then returns nil. If the document must be abandoned before that,
  /// returns the reason.
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

  /// Returns the milliseconds of the monotonic clock; wraps `clock_gettime`.
  static func milliseconds() -> Int { milliseconds(of: CLOCK_MONOTONIC) }

  /// Returns a meter of the calling thread's processor time. The meter returns 0 once the thread has ended.
  static func processorTime() -> Meter {
    guard let clock = threadClock() else { return { 0 } }
    return { milliseconds(of: clock) }
  }

  /// Returns the milliseconds of a clock; 0 if the clock no longer exists.
  private static func milliseconds(of clock: clockid_t) -> Int {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return 0 }
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}

/// Memory limits for checking pages.
struct MemoryLimits: Sendable {
  /// The memory, in bytes, for all pages that are checked at one time. A page that needs more is rendered at a reduced
  /// scale, or not at all if even that needs more.
  let bytes: Int
  /// The number of pixels rendered at one time: at most 16 million, which take 64 MB.
  var bandPixels: Int { max(1 << 18, min(16 << 20, bytes / 32)) }
  /// The largest number of pixels of a JPEG that is decoded as a whole. Larger JPEGs are decoded while they are
  /// compared, unless the page shows their rows in another order.
  var wholePixels: Int { max(1 << 18, min(32 << 20, bytes / 16)) }

  /// The memory, in bytes, for the program, its libraries and fonts, and the heap's overhead.
  private static let programBytes = 192 << 20
  /// The memory, in bytes, that the whole process may use in addition to its memory at the start.
  var processBytes: Int { bytes + Self.programBytes }
}
