import CPluginABI
import ImageCore
import Platform
import Synchronization

/// The worker processes and the shared memory of one plugin, reused from picture to picture.
///
/// May be used from any thread. A worker is lent for one call; the memory is lent until its rows have been read.
/// Neither is ever shared with another plugin, so that a plugin that keeps access to memory it should not can only harm
/// itself.
final class WorkerPool: Sendable {
  let plugin: String
  private let launcher: WorkerLauncher
  private let limit: Int
  private let mayDivide: Bool
  private let inProcess: Bool
  private let onEvent: @Sendable (PluginEvent) -> Void
  private let state = Monitor(State())
  private let nextCall = Atomic<UInt64>(1)

  private struct State {
    var idle: [WorkerProcess] = []
    var lent = 0
    var frames: [Frame] = []
    var isInvalidated = false
    /// The plugin in this process, once it has been used.
    var local: LocalPlugin?
  }

  /// - Parameters:
  ///   - limit: the most workers at once; further callers wait.
  ///   - mayDivide: whether several workers may share a large picture, each with some of its rows.
  ///   - inProcess: whether calls run in this process, so that no worker is started.
  init(
    plugin: String, launcher: WorkerLauncher, limit: Int, mayDivide: Bool = false,
    inProcess: Bool = false,
    onEvent: @escaping @Sendable (PluginEvent) -> Void
  ) {
    precondition(limit > 0)
    self.plugin = plugin
    self.launcher = launcher
    self.limit = limit
    self.mayDivide = mayDivide
    self.inProcess = inProcess
    self.onEvent = onEvent
  }

  /// Ends idle workers now, and lent ones when they come back. Later calls throw `cancelled`.
  func invalidate() {
    let (workers, frames) = state.withLock { state in
      state.isInvalidated = true
      defer { (state.idle, state.frames) = ([], []) }
      return (state.idle, state.frames)
    }
    for worker in workers { worker.end() }
    withExtendedLifetime(frames) {}
  }

  // MARK: Memory

  func takeFrame(inputs: Int, input: Int, output: Int) throws(PictureError) -> Frame {
    let idle = state.withLock { state in
      state.frames.lastIndex { $0.suits(inputs: inputs, input: input, output: output) }
        .map { state.frames.remove(at: $0) }
    }
    if let idle { return idle }
    do throws(FileError) {
      return try Frame(inputCount: inputs, inputByteCount: input, outputByteCount: output, isShared: !inProcess)
    } catch {
      throw .file(error)
    }
  }

  /// Takes a frame back; the pool keeps no more frames than there may be workers.
  func giveBack(_ frame: Frame) {
    let surplus = state.withLock { state -> Frame? in
      guard !state.isInvalidated else { return frame }
      state.frames.append(frame)
      return state.frames.count > limit ? state.frames.removeFirst() : nil
    }
    withExtendedLifetime(surplus) {}
  }

  // MARK: Calls

  /// Makes a worker process the frame's input into its output. A call that ends with a crash, a hang or an invalid
  /// answer is retried once with a fresh worker; then it throws `PictureError.plugin`.
  func call(_ frame: Frame, picture: WirePicture, values: [WireValue], context: OperationContext) throws(PictureError) {
    let request = CallRequest(
      frame: frame.identifier, inputCount: frame.inputCount, inputCapacity: frame.inputCapacity,
      outputCapacity: frame.outputCapacity, picture: picture, values: values)
    frame.clearOutput(picture.byteCount)
    do throws(CallFailure) {
      if inProcess { return try callHere(request, frame, context) }
      let parts = parts(of: picture, context)
      if parts > 1 { return try divide(request, among: parts, frame, context) }
      try attemptTwice(request, frame, context)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .plugin(PluginFailure(plugin: plugin, reason: error.description))
    }
  }

  /// The least number of bytes of a picture that is divided: a smaller one is finished before a second worker has woken
  /// up.
  private static let divisibleByteCount = 1 << 20

  /// Returns the number of workers that share a picture: as many as the job may use.
  private func parts(of picture: WirePicture, _ context: OperationContext) -> Int {
    guard mayDivide, picture.byteCount >= Self.divisibleByteCount else { return 1 }
    return min(context.parallelism, limit, Int(picture.height))
  }

  /// Makes several workers write some of the output's rows each. All of them see the whole input.
  private func divide(_ request: CallRequest, among count: Int, _ frame: Frame, _ context: OperationContext)
    throws(CallFailure)
  {
    let failure = Mutex<CallFailure?>(nil)
    let height = Int(request.picture.height)
    context.parallelFor(count) { index in
      var part = request
      part.rows = UInt32(height * index / count)..<UInt32(height * (index + 1) / count)
      do throws(CallFailure) {
        try self.attemptTwice(part, frame, context)
      } catch {
        failure.withLock { if $0 == nil { $0 = error } }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private func attemptTwice(_ request: CallRequest, _ frame: Frame, _ context: OperationContext) throws(CallFailure) {
    var mayPassAfresh = false
    do throws(CallFailure) {
      try attempt(request, frame, context, mayPassAfresh: &mayPassAfresh)
    } catch let first where (first.mayPass || mayPassAfresh) && launcher.command == nil {
      do throws(CallFailure) {
        try attempt(request, frame, context, isFresh: true, mayPassAfresh: &mayPassAfresh)
      } catch {
        if case .late(let overrun) = error, case .late = first { throw .lateAgain(overrun) }
        throw error
      }
    }
  }

  /// Runs the plugin on this thread, without a deadline, a retry, or protection from a crash.
  private func callHere(_ request: CallRequest, _ frame: Frame, _ context: OperationContext) throws(CallFailure) {
    let local = try state.withLock { state throws(CallFailure) -> LocalPlugin in
      if state.isInvalidated || context.isCancelled { throw .cancelled }
      if let local = state.local { return local }
      let local = try LocalPlugin(path: launcher.library, expected: launcher.expected, isAlone: limit == 1)
      state.local = local
      return local
    }
    let (plugin, onEvent) = (plugin, onEvent)
    try local.call(
      request, frame, context,
      onLog: { level, text in
        let text = WireReader.line(Array(text.utf8)[...])
        onEvent(.log(plugin: plugin, isWarning: level == IMGHOST_LOG_WARNING, text: text))
      },
      onProgress: { onEvent(.progress(plugin: plugin, fraction: $0)) })
  }

  /// - Parameters:
  ///   - isFresh: whether the worker must be unused.
  ///   - mayPassAfresh: set if the plugin reports an error in a worker that was used before.
  private func attempt(
    _ request: CallRequest, _ frame: Frame, _ context: OperationContext, isFresh: Bool = false,
    mayPassAfresh: inout Bool
  ) throws(CallFailure) {
    let worker = try take(context, mapping: frame.identifier, isFresh: isFresh)
    let wasUsed = worker.isUsed
    worker.isUsed = true
    var isSound = false
    defer { giveBack(isSound && !worker.uncountedThreads.isSpent ? worker : nil) }
    frame.flags.isCancelled = false
    frame.flags.progress = 0
    let number = nextCall.wrappingAdd(1, ordering: .relaxed).oldValue
    var message = Message.call.begin(call: number)
    request.write(to: &message)
    let descriptors = worker.frame == frame.identifier ? [] : frame.descriptors
    if !descriptors.isEmpty { worker.makeRoom(byteCount: frame.mappedByteCount) }
    guard worker.send(message.bytes, descriptors: descriptors) else {
      throw worker.end(patience: Conversation.endPatience).map { .ended($0) } ?? .closed
    }
    worker.frame = frame.identifier
    do throws(CallFailure) {
      let limit = Self.limit(launcher.deadline, for: request.picture)
      let conversation = conversation(with: worker, number, limit, frame, context)
      try read(answer: conversation.answer(), worker)
      isSound = true
    } catch {
      // Libraries keep faulty state after an error, which would affect the next picture.
      if case .plugin = error { mayPassAfresh = wasUsed } else { isSound = worker.isRunning }
      throw error
    }
  }

  private func read(answer: (kind: Message, body: WireReader), _ worker: WorkerProcess) throws(CallFailure) {
    var body = answer.body
    if answer.kind == .done { return }
    if answer.kind == .failed, let text = try? body.line() { throw .plugin(text) }
    worker.end()
    throw .garbled
  }

  /// Returns the time limit of a call: the deadline for each 100 megapixels begun, because a plugin takes longer for 4
  /// gigapixels than for a thumbnail.
  static func limit(_ deadline: Duration, for picture: WirePicture) -> Duration {
    let pixels = Int(picture.width) * Int(picture.height)
    return deadline * max(1, (pixels + 99_999_999) / 100_000_000)
  }

  private func conversation(
    with worker: WorkerProcess, _ number: UInt64, _ limit: Duration, _ frame: Frame, _ context: OperationContext
  ) -> Conversation {
    var shown: UInt32 = 0
    let (plugin, onEvent) = (plugin, onEvent)
    return Conversation(
      worker: worker, number: number, limit: limit, isCancelled: { context.isCancelled },
      onLog: { onEvent(.log(plugin: plugin, isWarning: $0 == IMGHOST_LOG_WARNING, text: $1)) },
      onWait: {
        self.giveWay(context)
        let progress = min(frame.flags.progress, 10_000)
        guard progress > shown else { return }
        shown = progress
        onEvent(.progress(plugin: plugin, fraction: Double(progress) / 10_000))
      },
      onCancel: { frame.flags.isCancelled = true })
  }

  /// Lets more urgent work run first while the plugin computes. That work may need the same plugin: as long as it
  /// occupies this call's place, the call's worker does not count as lent.
  private func giveWay(_ context: OperationContext) {
    context.allowPreemption { isPaused in
      state.withLock { $0.lent += isPaused ? -1 : 1 }
      if isPaused { state.notifyAll() }
    }
  }

  // MARK: Workers

  /// The resident memory of the idle worker that is used next; nil for none.
  var residentByteCount: Int? { state.withLock { $0.idle.last?.residentByteCount } }

  /// Returns an idle worker that still works, or a new one; waits while all are lent.
  ///
  /// - Parameter frame: a worker that has this memory already mapped is preferred: mapping 12 MP again costs thousands
  ///   of page faults.
  private func take(_ context: OperationContext, mapping frame: UInt64, isFresh: Bool) throws(CallFailure)
    -> WorkerProcess
  {
    let idle = try state.wait(retryingEvery: 0.02) { state throws(CallFailure) -> WorkerProcess?? in
      if state.isInvalidated || context.isCancelled { throw .cancelled }
      guard state.lent < limit else { return nil }
      state.lent += 1
      if isFresh { return .some(nil) }
      guard let index = state.idle.lastIndex(where: { $0.frame == frame }) else {
        return .some(state.idle.popLast())
      }
      return .some(state.idle.remove(at: index))
    }
    // A worker that sends an unsolicited message, or has closed its channel, is broken.
    if let idle, case .nothing = idle.receive(milliseconds: 0) { return idle }
    idle?.end()
    do throws(CallFailure) {
      return try launcher.serve(isCancelled: { context.isCancelled }, onWait: { self.giveWay(context) })
    } catch {
      giveBack(nil)
      throw error
    }
  }

  /// Ends the loan of a worker; nil for one that has ended.
  private func giveBack(_ worker: WorkerProcess?) {
    let surplus = state.withLock { state -> WorkerProcess? in
      state.lent -= 1
      // Because of paused calls, there may have been more workers than the limit.
      guard !state.isInvalidated, state.idle.count < limit, let worker else { return worker }
      state.idle.append(worker)
      return nil
    }
    surplus?.end()
    state.notifyAll()
  }
}
