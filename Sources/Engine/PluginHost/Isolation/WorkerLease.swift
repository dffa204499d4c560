import CPluginABI
import ImageCore
import Platform
import Synchronization

/// The loan of a worker to one call, reader or writer. The worker returns to its pool when the last reference is
/// released.
final class WorkerLease {
  let worker: PooledWorker
  private let pool: WorkerPool
  private static let next = Atomic<UInt64>(1)

  init(_ worker: PooledWorker, _ pool: WorkerPool) {
    self.worker = worker
    self.pool = pool
  }

  deinit { pool.giveBack(worker) }

  var isSound: Bool { worker.isSound(in: pool) }

  /// Closes the worker's open file if it is not `file`. Returns whether the worker is ready: a worker that has sent an
  /// unsolicited message, or has closed its channel, is broken.
  ///
  /// The old file is closed now, so that a crash while closing it is not attributed to the new file.
  func isReady(for file: FileKey?) -> Bool {
    if let open = worker.openFile, open != file { close() }
    settle()
    guard let process = worker.process else { return true }
    guard process.isRunning else { return false }
    if case .nothing = process.receive(milliseconds: 0) { return true }
    return false
  }

  /// Makes the codec close the file that it reads and discard the file that it writes. Does not wait for the answer. A
  /// failure ends the worker.
  func close() {
    worker.openFile = nil
    // An unsound worker is ended when it is returned to the pool.
    guard isSound else { return }
    worker.closing = try? send(.close, timeLimit: pool.closeTimeLimit) { _ in }
    if worker.process == nil { settle() }
  }

  /// Waits for the answer to a pending request to close a file.
  private func settle() {
    guard let request = worker.closing else { return }
    worker.closing = nil
    _ = try? answer(to: request, .serial)
  }

  /// A request that was sent, or is kept for a codec in this process.
  struct Request {
    fileprivate let number: UInt64
    fileprivate let message: WireWriter
    fileprivate let memory: Frame?
    fileprivate let file: InputFile?
    fileprivate let timeLimit: Duration?
  }

  /// The file that a request to a codec is about.
  enum RequestFile {
    case none
    /// The same file as in the previous request.
    case previous
    case sent(InputFile)
  }

  /// Sends a request and waits for its answer.
  ///
  /// - Parameter onWait: called every few milliseconds during the wait.
  func ask(
    _ kind: Message, memory: Frame? = nil, file: RequestFile = .none, timeLimit: Duration? = nil,
    _ context: OperationContext,
    onWait: @escaping () -> Void = {}, _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> (Message, WireReader) {
    try answer(to: send(kind, memory: memory, file: file, timeLimit: timeLimit, body), context, onWait: onWait)
  }

  /// Sends a request: its kind, the file and the memory that it uses, and the rest of its body.
  ///
  /// - Parameter timeLimit: the time limit; nil for `WorkerLauncher.deadline`.
  func send(
    _ kind: Message, memory: Frame? = nil, file: RequestFile = .none, timeLimit: Duration? = nil,
    _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> Request {
    settle()
    let number = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
    memory?.flags.isCancelled = false
    var message = kind.begin(call: number)
    let sent: InputFile? = if case .sent(let file) = file { file } else { nil }
    if let process = worker.process {
      var descriptors: [Int32] = []
      switch file {
      case .none: break
      case .previous: FileNote(byteCount: nil).write(to: &message)
      case .sent(let file):
        FileNote(byteCount: file.byteCount).write(to: &message)
        (descriptors, worker.fileByteCount) = ([file.descriptor], file.byteCount)
      }
      if let memory {
        // The body of a call begins with its own description of the memory.
        if kind != .call { MemoryNote(memory).write(to: &message) }
        if worker.frame != memory.identifier { descriptors = memory.descriptors }
        (worker.frame, worker.frameByteCount) = (memory.identifier, memory.mappedByteCount)
      }
      body(&message)
      if !descriptors.isEmpty { process.makeRoom(byteCount: worker.fileByteCount + worker.frameByteCount + (1 << 20)) }
      guard process.send(message.bytes, descriptors: descriptors) else {
        throw process.end(patience: Conversation.endPatience).map { .ended($0) } ?? .closed
      }
    } else {
      body(&message)
    }
    return Request(number: number, message: message, memory: memory, file: sent, timeLimit: timeLimit)
  }

  func answer(to request: Request, _ context: OperationContext, onWait: @escaping () -> Void = {}) throws(CallFailure)
    -> (Message, WireReader)
  {
    let answer: (kind: Message, body: WireReader)
    switch worker.place {
    case .here(let service):
      answer = try service.answer(request.message, request.file, request.memory, context, onLog: take)
    case .process(let process):
      answer = try Conversation(
        worker: process, number: request.number, timeLimit: request.timeLimit ?? pool.launcher.deadline,
        isCancelled: { context.isCancelled }, onLog: { self.take($0, $1) },
        onWait: {
          self.pool.allowPreemption(of: context)
          onWait()
        }, onCancel: { request.memory?.flags.isCancelled = true }
      ).answer()
    }
    if answer.kind == .failed {
      if worker.process != nil {
        worker.isSpent = true
        worker.mayPassAfresh = worker.isUsed && !pool.isDebugged && !pool.keepsFailed
      }
      var body = answer.body
      if let text = try? body.line() { throw .plugin(text) }
      throw stop()
    }
    return answer
  }

  /// Handles a line from the plugin: a note about the file that a codec reads, or else a message to the user.
  private func take(_ level: UInt32, _ text: String) {
    if level == IMGHOST_LOG_WARNING, pool.codec != nil { worker.isSpent = true }
    guard worker.subject != nil, level == IMGHOST_LOG_WARNING || level == IMGHOST_LOG_FILE else {
      return pool.tell(level, text)
    }
    worker.notes.add(text)
  }

  /// Ends a worker that has sent an invalid answer, and returns the failure.
  func stop() -> CallFailure {
    worker.end()
    return .garbled
  }
}

/// A version of a file.
struct FileKey: Equatable {
  private let identity: FileIdentity
  private let version: FileVersion

  init(_ file: InputFile) {
    identity = file.identity
    version = file.version
  }
}

/// A worker of a pool, or a codec in this process, with the state that it keeps from loan to loan.
///
/// `@unchecked Sendable`: the pool lends it to one thread at a time, and the pool's lock orders the accesses.
final class PooledWorker: @unchecked Sendable {
  enum Place {
    case process(WorkerProcess)
    case here(CodecService)
  }

  /// A page of a file that a codec reads.
  struct Subject: Equatable {
    let file: FileKey
    let page: Int
  }

  let place: Place
  /// Whether its process has a low priority, which is permanent: only the administrator may raise a priority again.
  let hasLowPriority: Bool
  /// The identifier of the shared memory that it has mapped; 0 for none.
  fileprivate(set) var frame: UInt64 = 0
  /// The size of that memory, and of the file that a codec has open, in bytes.
  fileprivate var frameByteCount = 0
  fileprivate var fileByteCount = 0
  /// The file that a codec has open; nil for none.
  var openFile: FileKey? { didSet { untouched = nil } }
  /// The open page, as long as none of its rows have been read; otherwise nil. If the page was opened to read its
  /// header, a decoder that then opens it with the same values needs no further request.
  var untouched: (page: Int, values: [WireValue], image: CodecImage)?
  /// The request to close a file, whose answer is read later; nil for none.
  fileprivate var closing: WorkerLease.Request?
  /// The page that the worker reads; nil while it processes a picture or writes a file.
  fileprivate var subject: Subject?
  private var hasBegun = false
  /// Whether the worker has worked on something other than the current subject.
  fileprivate var isUsed = false
  /// Whether the plugin has reported an error, or a codec a warning. The worker is then not used for further pictures,
  /// because libraries keep faulty state, such as a font in an error state, that would affect the next picture.
  fileprivate var isSpent = false
  /// Whether the failed call may succeed in a fresh worker.
  fileprivate(set) var mayPassAfresh = false
  fileprivate var notes = CodecNotes()

  init(_ place: Place, hasLowPriority: Bool) {
    self.place = place
    self.hasLowPriority = hasLowPriority
  }

  /// The process; nil for a codec in this process.
  var process: WorkerProcess? { if case .process(let process) = place { process } else { nil } }

  func end() { process?.end() }

  /// Returns whether a pool may use the worker again: its process must not have ended, or have started too many
  /// uncounted threads. Unless the pool `keepsFailed` workers, it must not be spent, and a codec's worker must not have
  /// printed anything.
  func isSound(in pool: WorkerPool) -> Bool {
    guard let process else { return true }
    guard process.isRunning, !process.uncountedThreads.isSpent else { return false }
    return pool.keepsFailed || !isSpent && (pool.codec == nil || !process.hasPrinted)
  }

  /// Records that the worker begins to work on a picture, or on a page of a file.
  func begin(_ subject: Subject?) {
    if hasBegun, subject == nil || subject != self.subject { isUsed = true }
    (hasBegun, self.subject) = (true, subject)
    notes = CodecNotes()
  }

  func takeNotes() -> [String] {
    defer { notes = CodecNotes() }
    return notes.texts
  }
}

/// Notes of a codec about one file, without duplicates, and only as many as a person would read.
private struct CodecNotes {
  private static let most = 4
  private static let longest = 200

  private(set) var texts: [String] = []

  mutating func add(_ text: String) {
    let text = text.unicodeScalars.count > Self.longest ? text.prefix(Self.longest) + "…" : text
    guard !texts.contains(text), texts.count <= Self.most else { return }
    texts.append(texts.count < Self.most ? text : "more messages are left out")
  }
}
