import ImageCore
import Synchronization

/// Pictures that were made and may be needed again, by their keys. The ones that were not used for the longest time go
/// first. Used from any thread.
final class FrameCache: Sendable {
  private struct State {
    var frames: [String: (frame: PixelBuffer, used: Int)] = [:]
    var byteCount = 0
    var clock = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// - Parameter limit: the bytes of all frames together.
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
