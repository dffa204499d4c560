import CPluginABI
import ImageCore
import Platform
import Synchronization

/// The workers and the shared memory of one codec, reused from file to file. Usable from any thread.
///
/// A worker is lent until a file's rows have been read, or until its file is written. Some steps read many files at
/// once, so there is no limit: a reader that waited for another of the same picture would wait for ever. As many idle
/// workers are kept as there are workers of the run.
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
  /// Whether a worker gets a further file after the codec has failed.
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

  /// Returns a pool of its own for one worker whose new memory holds this byte; nil where memory is not set. The worker
  /// is kept after errors, so that thousands of damaged files take seconds.
  func filled(_ byte: Int) -> CodecPool? {
    guard !inProcess, !isDebugged else { return nil }
    var launcher = launcher
    launcher.fill = byte
    return CodecPool(
      plugin: plugin, codec: codec, launcher: launcher, idleLimit: 1, inProcess: false, keepsFailed: true,
      onEvent: onEvent)
  }

  /// Ends idle workers now and lent ones as they come back. Later calls throw `cancelled`.
  package func invalidate() {
    let (workers, frames) = state.withLock { state in
      state.isInvalidated = true
      defer { (state.idle, state.frames) = ([], []) }
      return (state.idle, state.frames)
    }
    for worker in workers { worker.end() }
    withExtendedLifetime(frames) {}
  }

  /// Time for one call that works on pixels: a multiple of the declared seconds for each 100 megapixels begun.
  func limit(seconds: Int?, pixels: Int) -> Duration {
    (seconds.map { isDebugged ? launcher.deadline : .seconds($0) } ?? launcher.deadline)
      * max(1, (pixels + 99_999_999) / 100_000_000)
  }

  /// Whether its workers run under a debugger: nothing is late, and nothing is tried again.
  package var isDebugged: Bool { launcher.command != nil }

  /// Time for reading a header: no longer than reading pixels may take.
  var openLimit: Duration {
    isDebugged ? launcher.deadline : min(codec.readSeconds.map { .seconds($0) } ?? launcher.deadline, launcher.deadline)
  }

  /// Time for closing a file, for which nobody waits gladly. A worker that is late is replaced.
  var closeLimit: Duration { isDebugged ? launcher.deadline : min(.seconds(2), launcher.deadline) }

  // MARK: Connections

  /// Lends an idle worker, first of all one that has `file` open, or a new one. Work of low classes has workers of its
  /// own, with a low priority: a call of a library cannot be cut into strips.
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
      // Another file is closed first, so that no file is blamed for the end of the one before.
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

  /// The version that the plugin gave last: a kept description may be older than the format's library.
  package var version: String? { launcher.expected?.version }

  /// Resident bytes of an idle worker; nil for none.
  package var residentByteCount: Int? { state.withLock { $0.idle.last?.residentByteCount } }

  /// Lends shared memory with room for so many bytes.
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

  /// Passes a message of the plugin on that is about no file.
  func tell(_ level: UInt32, _ text: String) {
    onEvent(.log(plugin: plugin, isWarning: level == IMGHOST_LOG_WARNING, text: text))
  }

  /// Has a codec in this process answer.
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

/// All bytes of a file in memory: a map of it would end the process if the file shrank.
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
    // The rest of a file that shrank meanwhile.
    memset(memory.baseAddress! + filled, 0, memory.count - filled)
  }

  deinit { memory.deallocate() }
}
