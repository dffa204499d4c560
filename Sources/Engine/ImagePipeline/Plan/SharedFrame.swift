import ImageCore
import Platform
import Scheduling
import Synchronization

/// A whole picture that several tasks read, such as a watermark. It is made once, before the first of them starts.
final class SharedFrame: Sendable {
  private enum State: Sendable {
    case pending
    case made(PixelBuffer)
    case failed(PictureError, PlanNode?)
  }

  private let picture: Picture
  /// The operations for opening files; nil if the frame was made before.
  private let opening: OpeningSteps?
  private let cancellation: CancellationToken
  private let colours: any ColourConverter
  /// The scheduler whose workers make the frame; nil if it was made before.
  private let scheduler: Scheduler?
  private let note: (@Sendable (OperationNote, String) -> Void)?
  private let state = Monitor(State.pending)
  /// The work that makes the frame. Tasks that use the frame depend on it.
  private let maker = AtomicLazyReference<WorkItem>()

  /// - Parameter note: called with each note of an operation, and the file at the start of the picture's chain.
  init(
    _ picture: Picture, opening: OpeningSteps,
    cancellation: CancellationToken, colours: any ColourConverter, scheduler: Scheduler,
    note: @escaping @Sendable (OperationNote, String) -> Void
  ) {
    self.note = note
    self.picture = picture
    self.colours = colours
    self.opening = opening
    self.cancellation = cancellation
    self.scheduler = scheduler
  }

  /// Creates a frame whose pixels were made before.
  init(made frame: PixelBuffer, of picture: Picture) {
    self.picture = picture
    opening = nil
    cancellation = CancellationToken()
    colours = NoColourConverter()
    scheduler = nil
    note = nil
    state.withLock { $0 = .made(frame) }
  }

  /// Returns the work that makes the frame, and submits it at the first call. Only for the script's thread.
  func item(_ scheduler: Scheduler, qos: QualityOfService) throws(SchedulingError) -> WorkItem {
    if let known = maker.load() { return known }
    let bytes = (try? picture.info()).map { PixelBuffer.byteCount($0.layout) } ?? 0
    return maker.storeIfNil(try scheduler.submit(self, qos: qos, byteCount: bytes))
  }

  /// The length of the longest chain of operations that makes the picture.
  var depth: Int { picture.depth }

  /// Whether the frame has been made, so that it already takes memory.
  var isComputed: Bool {
    state.withLock { state in
      if case .made = state { true } else { false }
    }
  }

  /// Returns the frame, and makes it if necessary. Usually it has been made already, because tasks depend on the work
  /// that makes it; if that work was cancelled, the frame is made here. No lock is held meanwhile, because more urgent
  /// work may need the frame.
  func buffer(context: OperationContext, failure: FailureRecord) throws(PictureError) -> PixelBuffer {
    var outcome = state.withLock { $0 }
    if case .pending = outcome { outcome = keep(make(context)) }
    switch outcome {
    case .made(let buffer): return buffer
    case .failed(let error, let node):
      if let node { failure.record(node) }
      throw error
    case .pending: preconditionFailure("a shared frame was neither made nor failed")
    }
  }

  /// Keeps the first outcome that is not a cancellation. Returns the outcome for the caller.
  private func keep(_ made: State) -> State {
    if case .failed(.cancelled, _) = made { return made }
    return state.withLock { state in
      if case .pending = state { state = made }
      return state
    }
  }

  private func make(_ context: OperationContext) -> State {
    guard let opening else { preconditionFailure("a frame that is there was made again") }
    guard let made = try? DirectPicture(picture, opening) else {
      preconditionFailure("a picture that was checked could not be planned")
    }
    // A nested parallel loop could deadlock, so this work uses one worker.
    let serial = context.onOneWorker
    do throws(DirectPicture.Failure) {
      return .made(try made.read(serial, note: note) { rows throws(PictureError) in try rows.readAll(serial) })
    } catch {
      return .failed(error.error, error.step)
    }
  }
}

extension SharedFrame: Work {
  /// Makes the frame. A failure is kept for the tasks that need the frame.
  func step() -> WorkStep {
    let (token, scheduler) = (cancellation, scheduler)
    let context = OperationContext(
      parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } },
      isCancelled: { token.isCancelled }, allowPreemption: { scheduler?.allowPreemption($0) },
      colours: colours)
    withStack(forDepth: depth) { () throws(Never) in
      _ = try? self.buffer(context: context, failure: FailureRecord())
    }
    return .finished
  }

  var isCancelled: Bool { cancellation.isCancelled }
  var isDivided: Bool { false }
  var name: String { picture.origin?.name ?? "canvas" }
}
