import ImageCore
import Platform
import Scheduling

/// Pictures that were made for jobs that the script has waited for. They are kept in case the script requests them
/// again.
///
/// A script that never waits does not need the cache: it requests everything at once, and the plan shares pictures that
/// are requested twice.
final class ResultCache: Sendable {
  private struct State {
    var frames: [ObjectIdentifier: SharedFrame] = [:]
    /// The pictures with their sizes in bytes, in the order in which they were added.
    var pictures: [(picture: Picture, byteCount: Int)] = []
    var byteCount = 0
    var isClosed = false
  }

  private let state = Monitor(State())
  private let limit: Int
  private let scheduler: Scheduler

  /// - Parameter limit: the maximum number of bytes of all frames together; the oldest are removed first.
  init(limit: Int, scheduler: Scheduler) {
    self.limit = limit
    self.scheduler = scheduler
  }

  /// Returns whether a picture is to be kept: an operation makes it, and its rows take at most a quarter of the limit.
  func wants(_ picture: Picture, _ layout: PictureLayout) -> Bool {
    guard case .operation = picture.step, !state.withLock({ $0.isClosed }) else { return false }
    return PixelBuffer.byteCount(layout) <= limit / 4
  }

  /// Keeps a picture's rows, which must not change any more.
  func add(_ picture: Picture, _ frame: PixelBuffer) {
    let byteCount = PixelBuffer.byteCount(frame.layout)
    state.withLock { state in
      guard !state.isClosed, state.frames[ObjectIdentifier(picture)] == nil else { return }
      while state.byteCount + byteCount > limit, !state.pictures.isEmpty {
        let oldest = state.pictures.removeFirst()
        state.frames[ObjectIdentifier(oldest.picture)] = nil
        state.byteCount -= oldest.byteCount
        scheduler.letGo(oldest.byteCount)
      }
      state.frames[ObjectIdentifier(picture)] = SharedFrame(made: frame, of: picture)
      state.pictures.append((picture, byteCount))
      state.byteCount += byteCount
      scheduler.hold(byteCount)
    }
  }

  /// The frames in the cache, by picture.
  var frames: [ObjectIdentifier: SharedFrame] { state.withLock { $0.frames } }

  /// Removes all pictures and accepts no more, because the script has ended. May be called repeatedly.
  func close() {
    state.withLock { state in
      scheduler.letGo(state.byteCount)
      state = State()
      state.isClosed = true
    }
  }
}
