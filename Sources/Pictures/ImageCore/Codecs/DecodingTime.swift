import Platform
import Synchronization

/// The processor time of one decoder that runs in this process, with a limit.
///
/// The limit depends on the bytes of the file, which had to be stored or sent. Pixels are only a claim of its header: a
/// file of 400 KB may claim 3,600 megapixels. The time is looked at before each strip, and where the decoder asks its
/// context whether the job is cancelled. A busy machine takes nothing away, and neither does more urgent work that the
/// thread does in between. Workers that help are not counted.
///
/// Belongs to the thread that decodes, and may be handed on. Any thread may ask `isOver`.
public final class DecodingTime: Sendable {
  private let limit: Int64
  /// The time used before the part that runs now.
  private let used = Atomic<Int64>(0)
  /// The thread's processor time when that part began; -1 while none runs, and while the grace lasts.
  private let began = Atomic<Int64>(-1)
  /// The monotonic time when that part began; -1 while none runs.
  private let partBegan = Atomic<Int64>(-1)
  /// The rest of the first second. Until it has passed, only elapsed time is looked at. Nearly all files are decoded by
  /// then, and 9,000 system calls for 48 photographs took a fifteenth of the time of their thumbnails.
  private let grace: Atomic<Int64>
  /// The time before which the limit cannot have been passed: asking for a thread's processor time is a system call.
  private let earliest = Atomic<Int64>(.max)
  private let thread = Atomic<UInt>(0)
  private let isPassed = Atomic(false)

  /// - Parameter limit: the most seconds.
  public init(limit: Double) {
    self.limit = Int64(limit * 1e9)
    grace = Atomic(min(1_000_000_000, self.limit / 30))
  }

  /// The time of a decoder of a file of so many bytes: 30 s for each 100 MB begun.
  public convenience init(byteCount: Int) { self.init(limit: 30 * Double(byteCount / 100_000_000 + 1)) }

  /// Runs a part of the decoding.
  ///
  /// - Throws: `CodecError.overtime` if the time is over.
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

  /// Whether the time is over.
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

  /// Stands still while the thread does something else.
  func pause(_ isPaused: Bool) { isPaused ? stop() : start() }

  private func start() {
    let now = awakeNanoseconds()
    let grace = grace.load(ordering: .relaxed)
    thread.store(threadIdentifier, ordering: .relaxed)
    if grace > 0 { earliest.store(now + grace, ordering: .relaxed) } else { measure(from: now) }
    partBegan.store(now, ordering: .relaxed)
  }

  /// Counts the thread's processor time from now on.
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
