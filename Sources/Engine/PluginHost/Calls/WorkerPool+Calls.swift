import ImageCore
import Synchronization

/// Calls to plugins that process pictures.
extension WorkerPool {
  /// Has workers, or the plugin in this process, compute the frame's output from its inputs. Failures are thrown as
  /// `PictureError.plugin`, except `cancelled`.
  ///
  /// If a worker crashes, hangs or sends an invalid answer, or if the plugin reports an error in a used worker, the
  /// call is tried once more with a fresh worker. A debugged worker is not replaced.
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
      throw .plugin(PluginFailure(plugin: plugin, cause: error))
    }
  }

  /// The size in bytes of the smallest picture that is divided among workers. A smaller one is complete before a second
  /// worker has woken up.
  private static let divisibleByteCount = 1 << 20

  /// Returns the number of workers that share a picture: as many as the job may use, within the pool's limit; 1 if the
  /// picture is not divided.
  private func parts(of picture: WirePicture, _ context: OperationContext) -> Int {
    guard mayDivide, picture.byteCount >= Self.divisibleByteCount else { return 1 }
    return min(context.parallelism, mostWorkers, Int(picture.height))
  }

  /// Divides the output's rows among several workers, each of which sees the whole input.
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
    } catch let first where (first.mayPass || mayPassAfresh) && !isDebugged {
      do throws(CallFailure) {
        try attempt(request, frame, context, isFresh: true, mayPassAfresh: &mayPassAfresh)
      } catch {
        if case .late(let overrun) = error, case .late = first { throw .lateAgain(overrun) }
        throw error
      }
    }
  }

  /// - Parameters:
  ///   - isFresh: whether to start a new worker instead of reusing an idle one.
  ///   - mayPassAfresh: set if the plugin reports an error in a worker that was used before.
  private func attempt(
    _ request: CallRequest, _ frame: Frame, _ context: OperationContext, isFresh: Bool = false,
    mayPassAfresh: inout Bool
  ) throws(CallFailure) {
    let lease = try lend(context, mapping: frame.identifier, isFresh: isFresh)
    defer { mayPassAfresh = lease.worker.mayPassAfresh }
    lease.worker.begin(nil)
    frame.flags.progress = 0
    var shown: UInt32 = 0
    let timeLimit = Self.timeLimit(launcher.deadline, pixels: Int(request.picture.width) * Int(request.picture.height))
    let (kind, _) = try lease.ask(
      .call, memory: frame, timeLimit: timeLimit, context,
      onWait: {
        let progress = min(frame.flags.progress, 10_000)
        guard progress > shown else { return }
        shown = progress
        self.onEvent(.progress(plugin: self.plugin, fraction: Double(progress) / 10_000))
      }, { request.write(to: &$0) })
    guard kind == .done else { throw lease.stop() }
  }

  /// Runs the plugin on this thread, without a deadline, a retry, or protection from a crash.
  private func callHere(_ request: CallRequest, _ frame: Frame, _ context: OperationContext) throws(CallFailure) {
    try local(context).call(
      request, frame, context, onLog: { self.tell($0, WireReader.line(Array($1.utf8)[...])) },
      onProgress: { self.onEvent(.progress(plugin: self.plugin, fraction: $0)) })
  }
}
