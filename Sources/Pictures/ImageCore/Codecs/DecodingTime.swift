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
  /// The thread's processor time when that part began; -1 while none runs.
  private let began = Atomic<Int64>(-1)
  /// The time before which the limit cannot have been passed: asking for a thread's processor time is a system call.
  private let earliest = Atomic<Int64>(.max)
  private let thread = Atomic<UInt>(0)
  private let isPassed = Atomic(false)

  /// - Parameter limit: the most seconds.
  public init(limit: Double) { self.limit = Int64(limit * 1e9) }

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
    guard awakeNanoseconds() >= earliest.load(ordering: .relaxed), thread.load(ordering: .relaxed) == threadIdentifier
    else { return false }
    let began = began.load(ordering: .relaxed)
    guard began >= 0, used.load(ordering: .relaxed) + threadProcessorNanoseconds() - began >= limit else {
      return false
    }
    isPassed.store(true, ordering: .relaxed)
    return true
  }

  /// Stands still while the thread does something else.
  func pause(_ isPaused: Bool) { isPaused ? stop() : start() }

  private func start() {
    thread.store(threadIdentifier, ordering: .relaxed)
    began.store(threadProcessorNanoseconds(), ordering: .relaxed)
    earliest.store(awakeNanoseconds() + limit - used.load(ordering: .relaxed), ordering: .relaxed)
  }

  private func stop() {
    let began = began.exchange(-1, ordering: .relaxed)
    guard began >= 0 else { return }
    _ = isOver
    used.add(threadProcessorNanoseconds() - began, ordering: .relaxed)
  }
}
