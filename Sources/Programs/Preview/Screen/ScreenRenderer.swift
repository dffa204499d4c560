import ImageCore
import ImagePipeline
import Platform
import Scheduling
import Synchronization

/// Renders pictures and pages for a screen on a scheduler's workers. Safe to use from any thread.
final class ScreenRenderer: Sendable {
  let environment: Environment
  let scheduler: Scheduler
  let frames: FrameCache
  let codecs: CodecCache
  /// The maximum memory for rendering one picture, in bytes.
  let memoryLimit: Int
  /// The keys of the steps that were rendered last, as a set and in their order.
  private let made = Mutex<(keys: Set<String>, order: [String])>(([], []))
  private static let mostMade = 50_000

  /// - Parameter cacheByteCount: the maximum size in bytes of the rendered pictures that are kept.
  init(_ environment: Environment, on scheduler: Scheduler, cacheByteCount: Int, memoryLimit: Int) {
    self.environment = environment
    self.scheduler = scheduler
    self.memoryLimit = memoryLimit
    frames = FrameCache(limit: cacheByteCount)
    codecs = CodecCache(recognise: environment.recognise)
  }

  /// Renders an image, and calls `completion` once: on any thread, or before it returns if the work is refused.
  ///
  /// - Returns: the work item, which may be cancelled or given a higher priority; nil if it was refused.
  @discardableResult
  func render(
    _ target: ScreenTarget, qos: QualityOfService, cancellation: CancellationToken,
    completion: @escaping @Sendable (Result<ScreenImage, ScreenFailure>) -> Void
  ) -> WorkItem? {
    let work = ScreenWork(target, self, qos, cancellation, completion)
    do throws(SchedulingError) {
      return try scheduler.submit(work, qos: qos)
    } catch {
      completion(.failure(.cancelled))
      return nil
    }
  }

  /// Returns whether a step was rendered before.
  func wasMade(_ key: String) -> Bool { made.withLock { $0.keys.contains(key) } }

  /// Records that the steps of a picture were rendered.
  func noteMade(_ keys: [String]) {
    made.withLock { made in
      for key in keys where made.keys.insert(key).inserted { made.order.append(key) }
      guard made.order.count > Self.mostMade else { return }
      for key in made.order.prefix(Self.mostMade / 2) { made.keys.remove(key) }
      made.order.removeFirst(Self.mostMade / 2)
    }
  }
}

/// The reason why there is no image.
enum ScreenFailure: Error, Sendable {
  case cancelled
  /// The picture could not be rendered. The diagnostic is shown to the user.
  case failed(Diagnostic)
}

/// A cache of rendered pictures, by their keys. The pictures that have not been used for the longest time are removed
/// first. Safe to use from any thread.
final class FrameCache: Sendable {
  private struct State {
    var frames: [String: (frame: PixelBuffer, used: Int)] = [:]
    var byteCount = 0
    var clock = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// - Parameter limit: the maximum size of all frames together, in bytes.
  init(limit: Int) { self.limit = limit }

  subscript(key: String) -> PixelBuffer? {
    state.withLock { state in
      guard let found = state.frames[key] else { return nil }
      state.clock += 1
      state.frames[key] = (found.frame, state.clock)
      return found.frame
    }
  }

  /// Keeps a frame, unless it is too large to leave room for others.
  func keep(_ frame: PixelBuffer, as key: String) {
    let byteCount = PixelBuffer.byteCount(frame.layout)
    guard byteCount <= limit / 2 else { return }
    state.withLock { state in
      if let old = state.frames[key] { state.byteCount -= PixelBuffer.byteCount(old.frame.layout) }
      state.clock += 1
      state.frames[key] = (frame, state.clock)
      state.byteCount += byteCount
      while state.byteCount > limit, let oldest = state.frames.min(by: { $0.value.used < $1.value.used }) {
        state.byteCount -= PixelBuffer.byteCount(oldest.value.frame.layout)
        state.frames[oldest.key] = nil
      }
    }
  }
}
