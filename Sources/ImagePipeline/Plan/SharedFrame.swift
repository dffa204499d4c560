import ImageCore
import Scheduling

/// A whole picture that several tasks read, such as a watermark: made by the first that needs it.
final class SharedFrame: Sendable {
  private enum State: Sendable {
    case pending
    case made(PixelBuffer)
    case failed(PictureError, PlanNode?)
  }

  private let picture: Picture
  private let state = Monitor(State.pending)

  init(_ picture: Picture) { self.picture = picture }

  /// The longest chain of operations that makes it.
  var depth: Int { picture.depth }

  /// Whether its memory is there already.
  var isComputed: Bool {
    state.withLock { state in
      if case .made = state { true } else { false }
    }
  }

  /// The frame; the first caller makes it, others wait for that.
  ///
  /// A cancelled try is not kept: whoever asks next starts again.
  func buffer(
    orient: @escaping @Sendable (Orientation) -> any PictureOperation, context: OperationContext,
    failure: FailureRecord
  ) throws(PictureError) -> PixelBuffer {
    let outcome = state.withLock { state in
      if case .pending = state {
        let made = make(orient, context)
        if case .failed(.cancelled, _) = made { return made }
        state = made
      }
      return state
    }
    switch outcome {
    case .made(let buffer): return buffer
    case .failed(let error, let node):
      if let node { failure.record(node) }
      throw error
    case .pending: preconditionFailure("a shared frame was neither made nor failed")
    }
  }

  private func make(
    _ orient: @escaping @Sendable (Orientation) -> any PictureOperation, _ context: OperationContext
  ) -> State {
    var planner = Planner(orient: orient, sharedFrames: [:], ends: [picture])
    guard let node = try? planner.plan(picture) else {
      preconditionFailure("a picture that was checked could not be planned")
    }
    // Nested parallel loops would wait for each other: this one runs alone.
    let serial = OperationContext(
      parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } },
      isCancelled: { context.isCancelled })
    let chain = RowChain(consumers: planner.consumers, orient: orient, context: serial)
    do throws(PictureError) {
      return .made(try chain.open(node).readAll(serial))
    } catch {
      return .failed(error, chain.failure.node)
    }
  }
}
