import CPluginABI
import ImageCore
import Platform
import Synchronization

/// The workers and the shared memory of one codec, reused from file to file. Usable from any thread.
///
/// A worker is lent until a file's rows have been read, or until its file is written. There is no limit, because some
/// operations read many files at once: a reader that waited for another one of the same picture would wait forever. The
/// pool keeps at most as many idle workers as the run has workers.
package final class CodecPool: Sendable {
  /// A version of a file.
  struct FileKey: Equatable {
    private let identity: FileIdentity
    private let version: FileVersion

    init(_ file: InputFile) {
      identity = file.identity
      version = file.version
    }
  }

  package let plugin: String
  let codec: CodecDescription
  private let launcher: WorkerLauncher
  private let idleLimit: Int
  private let inProcess: Bool
  private let onEvent: @Sendable (PluginEvent) -> Void
  /// Whether a worker is used for further files after the codec has failed.
  let keepsFailed: Bool
  private let state = Mutex(State())

  private struct State {
    var idle: [CodecConnection] = []
    var frames: [Frame] = []
    var isInvalidated = false
    /// The codec's library in this process, once it has been used.
    var library: (any ServedLibrary)?
  }

  init(
    plugin: String, codec: CodecDescription, launcher: WorkerLauncher, idleLimit: Int, inProcess: Bool,
    keepsFailed: Bool = false, onEvent: @escaping @Sendable (PluginEvent) -> Void
  ) {
    self.plugin = plugin
    self.codec = codec
    self.launcher = launcher
    self.idleLimit = idleLimit
    self.inProcess = inProcess
    self.keepsFailed = keepsFailed
    self.onEvent = onEvent
  }

  /// Returns a separate pool for one worker whose new memory is filled with this byte; nil if memory cannot be filled.
  /// The worker is kept after errors, so that testing thousands of damaged files takes only seconds.
  func filled(_ byte: Int) -> CodecPool? {
    guard !inProcess, !isDebugged else { return nil }
    var launcher = launcher
    launcher.fill = byte
    return CodecPool(
      plugin: plugin, codec: codec, launcher: launcher, idleLimit: 1, inProcess: false, keepsFailed: true,
      onEvent: onEvent)
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

  /// Returns the time limit for a call that processes pixels: a multiple of the declared seconds for each 100
  /// megapixels begun.
  func limit(seconds: Int?, pixels: Int) -> Duration {
    (seconds.map { isDebugged ? launcher.deadline : .seconds($0) } ?? launcher.deadline)
      * max(1, (pixels + 99_999_999) / 100_000_000)
  }

  /// Whether its workers run under a debugger, without time limits and retries.
  package var isDebugged: Bool { launcher.command != nil }

  /// The time limit for reading a header, at most that for reading pixels.
  var openLimit: Duration {
    isDebugged ? launcher.deadline : min(codec.readSeconds.map { .seconds($0) } ?? launcher.deadline, launcher.deadline)
  }

  /// The time limit for closing a file, which delays the caller. A worker that exceeds it is replaced.
  var closeLimit: Duration { isDebugged ? launcher.deadline : min(.seconds(2), launcher.deadline) }

  // MARK: Connections

  /// Lends an idle worker, preferably one that has `file` open, or else a new one. Work of low classes has separate
  /// workers with a low priority, because a library call cannot be divided into strips.
  func take(_ context: OperationContext, for file: FileKey? = nil) throws(CallFailure) -> CodecConnection {
    while true {
      let (idle, isInvalidated) = state.withLock { state -> (CodecConnection?, Bool) in
        let suits = { (idle: CodecConnection) in self.inProcess || idle.givesWay == context.givesWay }
        let index =
          file.flatMap { file in state.idle.lastIndex { $0.openFile == file && suits($0) } }
          ?? state.idle.lastIndex(where: suits)
        return (index.map { state.idle.remove(at: $0) }, state.isInvalidated)
      }
      if isInvalidated || context.isCancelled {
        idle?.end()
        throw .cancelled
      }
      guard let idle else { break }
      // The other file is closed first, so that a crash while closing it is not attributed to the new file.
      if let open = idle.openFile, open != file { idle.close() }
      if idle.isQuiet { return idle }
      idle.end()
    }
    return try start(context)
  }

  /// Starts a worker.
  func start(_ context: OperationContext) throws(CallFailure) -> CodecConnection {
    if inProcess { return CodecConnection(CodecService(try library()), self) }
    let worker = try launcher.serve(
      isCancelled: { context.isCancelled }, onWait: { context.allowPreemption() })
    return CodecConnection(worker, givesWay: context.givesWay, self)
  }

  /// Ends the workers that are not lent.
  package func retireIdle() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for worker in idle { worker.end() }
  }

  /// Ends the loan of a connection.
  func giveBack(_ connection: CodecConnection) {
    let surplus = state.withLock { state -> CodecConnection? in
      guard !state.isInvalidated, state.idle.count < idleLimit, connection.isSound else { return connection }
      state.idle.append(connection)
      return nil
    }
    surplus?.end()
  }

  // MARK: Memory

  /// The version that the plugin stated last: a cached description may be older than the format's library.
  package var version: String? { launcher.expected?.version }

  /// The resident bytes of an idle worker; nil if there is none.
  package var residentByteCount: Int? { state.withLock { $0.idle.last?.residentByteCount } }

  /// Lends shared memory with room for this many bytes.
  package func takeFrame(input: Int = 1, output: Int) throws(PictureError) -> Frame {
    let idle = state.withLock { state in
      state.frames.lastIndex { $0.suits(inputs: 1, input: input, output: output) }.map { state.frames.remove(at: $0) }
    }
    if let idle { return idle }
    do throws(FileError) {
      return try Frame(inputCount: 1, inputByteCount: input, outputByteCount: output, isShared: !inProcess)
    } catch { throw .file(error) }
  }

  package func giveBack(_ frame: Frame) {
    let surplus = state.withLock { state -> Frame? in
      guard !state.isInvalidated else { return frame }
      state.frames.append(frame)
      return state.frames.count > idleLimit ? state.frames.removeFirst() : nil
    }
    withExtendedLifetime(surplus) {}
  }

  // MARK: Conversations

  func conversation(
    _ worker: WorkerProcess, _ number: UInt64, _ limit: Duration?, _ memory: Frame?, _ context: OperationContext,
    onLog: @escaping (_ level: UInt32, _ text: String) -> Void
  ) -> Conversation {
    Conversation(
      worker: worker, number: number, limit: limit ?? launcher.deadline, isCancelled: { context.isCancelled },
      onLog: onLog, onWait: { context.allowPreemption() }, onCancel: { memory?.flags.isCancelled = true })
  }

  /// Reports a message of the plugin that does not concern a file.
  func tell(_ level: UInt32, _ text: String) {
    onEvent(.log(plugin: plugin, isWarning: level == IMGHOST_LOG_WARNING, text: text))
  }

  /// Answers a request by the codec in this process.
  func answer(
    _ service: CodecService, _ message: WireWriter, _ file: InputFile?, _ memory: Frame?, _ context: OperationContext,
    onLog: @escaping (_ level: UInt32, _ text: String) -> Void
  ) throws(CallFailure) -> (kind: Message, body: WireReader) {
    var call = Call(
      log: { level, text in onLog(level, WireReader.line(Array(text.utf8)[...])) },
      isCancelled: { context.isCancelled }, progress: { _ in })
    var content: (any FileContent)?
    if let file {
      do throws(FileError) { content = try LoadedFile(file) } catch { throw .plugin("cannot be read: \(error)") }
    }
    let answer: (kind: Message, body: WireReader)
    do throws(WireError) {
      var (kind, number, body) = try Message.open(message.bytes)
      let bytes = try service.answer(kind, number, &body, file: content, memory: memory, &call).bytes
      let (answered, _, answeredBody) = try Message.open(bytes)
      answer = (answered, answeredBody)
    } catch { throw .garbled }
    if context.isCancelled { throw .cancelled }
    return answer
  }

  private func library() throws(CallFailure) -> CodecTables {
    try state.withLock { state throws(CallFailure) -> CodecTables in
      let library: any ServedLibrary
      if let known = state.library {
        library = known
      } else {
        do throws(LoadFailure) { library = try Library.load(path: launcher.library) } catch { throw .changed }
        state.library = library
      }
      guard let codec = library.codec else { throw .changed }
      return codec
    }
  }
}

/// All bytes of a file in memory, because a mapping would end the process if the file shrank.
private final class LoadedFile: FileContent {
  private let memory: UnsafeMutableRawBufferPointer
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }

  init(_ file: InputFile) throws(FileError) {
    memory = .allocate(byteCount: max(file.byteCount, 1), alignment: 64)
    var filled = 0
    while filled < file.byteCount {
      let count = try file.read(
        at: filled, into: UnsafeMutableRawBufferPointer(rebasing: memory[filled..<file.byteCount]))
      guard count > 0 else { break }
      filled += count
    }
    // If the file shrank while it was read, the rest is zero.
    memset(memory.baseAddress! + filled, 0, memory.count - filled)
  }

  deinit { memory.deallocate() }
}
