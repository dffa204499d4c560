import CPluginABI
import ImageCore
import Platform

/// The workers and the shared memory of one plugin, reused from picture to picture.
///
/// May be used from any thread. A worker is lent for one call of an operation (`call`), or to a codec's reader or
/// writer for one file (`CodecLoan`); the memory is lent until its rows have been read. Neither is ever shared with
/// another plugin, so that a plugin that keeps access to memory after its loan can only harm itself.
package final class WorkerPool: Sendable {
  package let plugin: String
  /// The format that the plugin reads or writes; nil for an operation.
  let codec: CodecDescription?
  let launcher: WorkerLauncher
  /// The maximum number of workers that are lent at the same time; further callers wait. Workers of codecs are lent
  /// without a limit, because some operations read many files at the same time, and a reader that waited for another
  /// reader of the same picture would wait forever. Even for codecs, at most this many idle workers are kept.
  let mostWorkers: Int
  let mayDivide: Bool
  let inProcess: Bool
  /// Whether a worker is used for further files after the codec has failed.
  let keepsFailed: Bool
  let onEvent: @Sendable (PluginEvent) -> Void
  private let state = Monitor(State())

  private struct State {
    var idle: [PooledWorker] = []
    var lent = 0
    var frames: [Frame] = []
    var isInvalidated = false
    /// The plugin in this process, once it has been used.
    var local: LocalPlugin?

    /// Takes a suitable idle worker: if possible, one that has this memory mapped or this file open; otherwise, the
    /// most recently used one.
    mutating func takeIdle(mapping frame: UInt64?, open file: FileKey?, where suits: (PooledWorker) -> Bool)
      -> PooledWorker?
    {
      let isPreferred = { (worker: PooledWorker) in
        suits(worker) && (frame.map { worker.frame == $0 } ?? file.map { worker.openFile == $0 } ?? false)
      }
      return (idle.lastIndex(where: isPreferred) ?? idle.lastIndex(where: suits)).map { idle.remove(at: $0) }
    }
  }

  /// - Parameters:
  ///   - mayDivide: whether several workers may share a large picture, each with some of its rows.
  ///   - inProcess: whether calls run in this process, so that no worker is started.
  init(
    plugin: String, codec: CodecDescription? = nil, launcher: WorkerLauncher, mostWorkers: Int, mayDivide: Bool = false,
    inProcess: Bool = false, keepsFailed: Bool = false, onEvent: @escaping @Sendable (PluginEvent) -> Void
  ) {
    precondition(mostWorkers > 0)
    self.plugin = plugin
    self.codec = codec
    self.launcher = launcher
    self.mostWorkers = mostWorkers
    self.mayDivide = mayDivide
    self.inProcess = inProcess
    self.keepsFailed = keepsFailed
    self.onEvent = onEvent
  }

  /// Ends idle workers now, and lent ones when they come back. Later calls throw `cancelled`.
  package func invalidate() {
    let (workers, frames) = state.withLock { state in
      state.isInvalidated = true
      defer { (state.idle, state.frames) = ([], []) }
      return (state.idle, state.frames)
    }
    for worker in workers { worker.end() }
    withExtendedLifetime(frames) {}
  }

  /// Ends the workers that are not lent.
  package func retireIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for worker in idle { worker.end() }
  }

  /// Whether its workers run under a debugger, without time limits and retries.
  package var isDebugged: Bool { launcher.command != nil }

  /// The version that the plugin declared last. A cached description may be outdated if a library that the plugin is
  /// linked with was upgraded.
  package var version: String? { launcher.expected?.version }

  /// The resident memory of the idle worker that is used next; nil if there is none, or if the size is unknown.
  package var residentByteCount: Int? { state.withLock { $0.idle.last?.process?.residentByteCount } }

  /// Returns the time limit of a call: `deadline` for each 100 megapixels or part of them, because a plugin takes
  /// longer for 4 gigapixels than for a thumbnail.
  static func timeLimit(_ deadline: Duration, pixels: Int) -> Duration {
    deadline * max(1, (pixels + 99_999_999) / 100_000_000)
  }

  func tell(_ level: UInt32, _ text: String) {
    onEvent(.log(plugin: plugin, isWarning: level == IMGHOST_LOG_WARNING, text: text))
  }

  // MARK: Memory

  /// Lends shared memory with room for this many bytes.
  ///
  /// - Parameter input: the size of each input.
  package func takeFrame(inputs: Int = 1, input: Int = 1, output: Int) throws(PictureError) -> Frame {
    let idle = state.withLock { state in
      state.frames.lastIndex { $0.suits(inputs: inputs, input: input, output: output) }
        .map { state.frames.remove(at: $0) }
    }
    if let idle { return idle }
    do throws(FileError) {
      return try Frame(inputCount: inputs, inputByteCount: input, outputByteCount: output, isShared: !inProcess)
    } catch { throw .file(error) }
  }

  /// Takes a frame back. The pool keeps at most `mostWorkers` frames, and none after `invalidate()`.
  package func giveBack(_ frame: Frame) {
    let surplus = state.withLock { state -> Frame? in
      guard !state.isInvalidated else { return frame }
      state.frames.append(frame)
      return state.frames.count > mostWorkers ? state.frames.removeFirst() : nil
    }
    withExtendedLifetime(surplus) {}
  }

  // MARK: Workers

  /// Lends an idle worker that can still be used, or a new one. Waits while `mostWorkers` workers of an operation are
  /// lent. Codecs have separate workers with a low priority for less urgent work, because a call of a codec's library
  /// cannot be divided into strips.
  ///
  /// - Parameters:
  ///   - frame: a worker that has this memory mapped is preferred: mapping 12 MP again costs thousands of page faults.
  ///   - file: a worker that has this file open is preferred.
  ///   - isFresh: whether to start a new worker instead of reusing an idle one.
  func lend(_ context: OperationContext, mapping frame: UInt64? = nil, open file: FileKey? = nil, isFresh: Bool)
    throws(CallFailure) -> WorkerLease
  {
    let hasLowPriority = codec != nil && !inProcess && context.givesWay
    while true {
      let turn = try state.wait(retryingEvery: 0.02) { state throws(CallFailure) -> Turn? in
        if state.isInvalidated || context.isCancelled { throw .cancelled }
        guard codec != nil || state.lent < mostWorkers else { return nil }
        state.lent += 1
        if isFresh { return .start }
        return state.takeIdle(mapping: frame, open: file) { $0.hasLowPriority == hasLowPriority }.map { .use($0) }
          ?? .start
      }
      switch turn {
      case .start: return WorkerLease(try start(context, hasLowPriority: hasLowPriority), self)
      case .use(let worker):
        let lease = WorkerLease(worker, self)
        if lease.isReady(for: file) { return lease }
        worker.end()
      }
    }
  }

  /// The way in which a caller obtains a worker.
  private enum Turn {
    case use(PooledWorker)
    case start
  }

  private func start(_ context: OperationContext, hasLowPriority: Bool) throws(CallFailure) -> PooledWorker {
    do throws(CallFailure) {
      if inProcess {
        guard let codec = try local(context).codec else { throw .changed }
        return PooledWorker(.here(CodecService(codec)), hasLowPriority: false)
      }
      let process = try launcher.serve(
        isCancelled: { context.isCancelled }, onWait: { self.allowPreemption(of: context) })
      if hasLowPriority { process.lowerPriority() }
      return PooledWorker(.process(process), hasLowPriority: hasLowPriority)
    } catch {
      giveBack(nil)
      throw error
    }
  }

  /// Returns the plugin in this process, which is loaded on the first call.
  func local(_ context: OperationContext) throws(CallFailure) -> LocalPlugin {
    try state.withLock { state throws(CallFailure) -> LocalPlugin in
      if state.isInvalidated || context.isCancelled { throw .cancelled }
      if let local = state.local { return local }
      let local = try LocalPlugin(path: launcher.library, expected: launcher.expected, isAlone: mostWorkers == 1)
      state.local = local
      return local
    }
  }

  /// Ends the loan of a worker, which is nil if it could not be started.
  func giveBack(_ worker: PooledWorker?) {
    let surplus = state.withLock { state -> PooledWorker? in
      state.lent -= 1
      // More than `mostWorkers` workers may have been lent, because those of paused calls do not count.
      guard !state.isInvalidated, state.idle.count < mostWorkers, let worker, worker.isSound(in: self) else {
        return worker
      }
      state.idle.append(worker)
      return nil
    }
    surplus?.end()
    state.notifyAll()
  }

  /// Lets more urgent work run first while the plugin computes. That work may need the same plugin, so the worker of
  /// this call does not count as lent while the call is paused.
  func allowPreemption(of context: OperationContext) {
    context.allowPreemption { isPaused in
      state.withLock { $0.lent += isPaused ? -1 : 1 }
      if isPaused { state.notifyAll() }
    }
  }
}
