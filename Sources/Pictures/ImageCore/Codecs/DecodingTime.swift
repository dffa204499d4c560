import Platform
import Synchronization

/// The processor time of one decoder in this process, with a limit.
///
/// The limit depends on the file's size in bytes and not on its number of pixels, which is only a claim in the header:
/// a file of 400 KB may claim 3,600 megapixels. The time is checked before each strip, and whenever the decoder asks
/// its context whether the job is cancelled. The time does not include waiting on a busy machine, more urgent work that
/// the thread does in between, or the work of other workers that help.
///
/// Used by one thread at a time, the one that decodes. Any thread may read `isOver`.
public final class DecodingTime: Sendable {
  private let limit: Int64
  /// The processor time of earlier parts, without that of the grace period. A part lasts from `start` to `stop`.
  private let used = Atomic<Int64>(0)
  /// The thread's processor time at which measuring of the current part began: at the start of the part, or at the end
  /// of the grace period. -1 during the grace period, and between parts.
  private let began = Atomic<Int64>(-1)
  /// The monotonic time at the start of the current part; -1 between parts.
  private let partBegan = Atomic<Int64>(-1)
  /// The remaining grace period, initially at most one second. Until it ends, only elapsed time is checked. Nearly all
  /// files are decoded before that. Without a grace period, 48 photographs took 9,000 system calls, a fifteenth of the
  /// time of their thumbnails.
  private let grace: Atomic<Int64>
  /// The time before which `isOver` need not read the thread's processor time, which takes a system call: the end of
  /// the grace period, and afterwards the earliest time at which the limit can have been exceeded.
  private let earliest = Atomic<Int64>(.max)
  private let thread = Atomic<UInt>(0)
  private let isPassed = Atomic(false)

  /// - Parameter limit: the limit in seconds.
  public init(limit: Double) {
    self.limit = Int64(limit * 1e9)
    grace = Atomic(min(1_000_000_000, self.limit / 30))
  }

  /// Creates a time whose limit depends on the file's size: 30 s, plus 30 s for each full 100 MB.
  public convenience init(byteCount: Int) { self.init(limit: 30 * Double(byteCount / 100_000_000 + 1)) }

  /// Calls `body`, and counts its processor time.
  ///
  /// - Throws: errors of `body`, except that `CodecError.overtime` replaces `PictureError.cancelled` if the limit is
  ///   exceeded. If it was exceeded before the call, throws `overtime` without calling `body`.
  public func run<Result>(_ body: () throws(PictureError) -> Result) throws(PictureError) -> Result {
    start()
    defer { stop() }
    do throws(PictureError) {
      if isOver { throw .cancelled }
      return try body()
    } catch {
      guard isOver, error == .cancelled else { throw error }
      throw .codec(.overtime(seconds: Double(limit) / 1e9))
    }
  }

  /// Whether the limit is exceeded. Only the decoding thread measures; other threads see its last result.
  public var isOver: Bool {
    if isPassed.load(ordering: .relaxed) { return true }
    let now = awakeNanoseconds()
    guard now >= earliest.load(ordering: .relaxed), thread.load(ordering: .relaxed) == threadIdentifier,
      partBegan.load(ordering: .relaxed) >= 0
    else { return false }
    let began = began.load(ordering: .relaxed)
    if began < 0 {
      grace.store(0, ordering: .relaxed)
      measure(from: now)
      return false
    }
    guard used.load(ordering: .relaxed) + threadProcessorNanoseconds() - began >= limit else { return false }
    isPassed.store(true, ordering: .relaxed)
    return true
  }

  /// Stops measuring if `isPaused` is true, before the thread does something else; otherwise resumes.
  func pause(_ isPaused: Bool) { isPaused ? stop() : start() }

  private func start() {
    let now = awakeNanoseconds()
    let grace = grace.load(ordering: .relaxed)
    thread.store(threadIdentifier, ordering: .relaxed)
    if grace > 0 { earliest.store(now + grace, ordering: .relaxed) } else { measure(from: now) }
    partBegan.store(now, ordering: .relaxed)
  }

  private func measure(from now: Int64) {
    began.store(threadProcessorNanoseconds(), ordering: .relaxed)
    earliest.store(now + limit - used.load(ordering: .relaxed), ordering: .relaxed)
  }

  private func stop() {
    let part = partBegan.exchange(-1, ordering: .relaxed)
    guard part >= 0 else { return }
    let began = began.exchange(-1, ordering: .relaxed)
    if began < 0 {
      grace.subtract(awakeNanoseconds() - part, ordering: .relaxed)
    } else {
      used.add(threadProcessorNanoseconds() - began, ordering: .relaxed)
    }
  }
}
