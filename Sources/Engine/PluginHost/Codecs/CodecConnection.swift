import CPluginABI
import ImageCore
import Platform
import Synchronization

/// A codec that answers requests, in a worker or in this process. Its pool lends it to one reader or writer at a time.
///
/// `@unchecked Sendable`: the pool hands the connection from thread to thread, and its lock orders the accesses.
final class CodecConnection: @unchecked Sendable {
  /// The process that the codec runs in.
  private enum Place {
    case worker(WorkerProcess)
    case here(CodecService)
  }

  private let place: Place
  private let pool: CodecPool
  /// Whether its process has a low priority, which is permanent: only the administrator may raise a priority again.
  let givesWay: Bool
  /// The file that is open; nil for none.
  private(set) var openFile: CodecPool.FileKey? { didSet { untouched = nil } }
  /// The open page, if none of its rows have been read: a decoder that opens it again after reading its header needs no
  /// request.
  private var untouched: (page: Int, values: [WireValue], image: CodecImage)?
  /// The rows that were requested; nil for none.
  private var reading: Request?
  /// The request to close a file, whose answer is read later; nil for none.
  private var closing: Request?
  /// The file or page that the codec works on; nil for a file that is being written.
  private var subject: Subject?
  private var hasBegun = false
  /// Whether the codec has worked on another subject before.
  private var isUsed = false
  /// Whether the codec has reported an error or a warning, or printed something. It then gets no further files:
  /// libraries keep faulty state, such as a font in error, which would affect the next file.
  private var isSpent = false
  /// Whether the failed call may succeed in a fresh worker.
  private(set) var mayPassAfresh = false
  /// Notes of the codec about the file that it reads.
  private var notes = CodecNotes()
  private static let next = Atomic<UInt64>(1)

  private struct Subject: Equatable {
    let file: CodecPool.FileKey
    let page: Int
  }

  /// - Parameter givesWay: whether the worker's process gets a low priority.
  init(_ worker: WorkerProcess, givesWay: Bool, _ pool: CodecPool) {
    place = .worker(worker)
    self.givesWay = givesWay
    if givesWay { worker.giveWay() }
    self.pool = pool
  }

  init(_ service: CodecService, _ pool: CodecPool) {
    place = .here(service)
    givesWay = false
    self.pool = pool
  }

  /// Whether it runs in this process.
  var isHere: Bool { if case .here = place { true } else { false } }

  /// Whether it can answer further requests.
  var isSound: Bool {
    guard case .worker(let worker) = place else { return true }
    return worker.isRunning && !worker.uncountedThreads.isSpent
      && (pool.keepsFailed || !isSpent && !worker.hasPrinted)
  }

  /// Whether there is no unsolicited message: a worker that sends one, or has closed its channel, is broken.
  var isQuiet: Bool {
    guard case .worker(let worker) = place else { return true }
    settle()
    guard worker.isRunning else { return false }
    if case .nothing = worker.receive(milliseconds: 0) { return true }
    return false
  }

  var residentByteCount: Int? {
    guard case .worker(let worker) = place else { return nil }
    return worker.residentByteCount
  }

  func end() { if case .worker(let worker) = place { worker.end() } }

  /// Opens a page of a file.
  func open(_ file: InputFile, page: Int, _ values: [WireValue], _ context: OperationContext)
    throws(CallFailure) -> CodecImage
  {
    let key = CodecPool.FileKey(file)
    let isNew = openFile != key
    if !isNew, let untouched, untouched.page == page, untouched.values == values { return untouched.image }
    openFile = nil
    begin(Subject(file: key, page: page))
    let (kind, answer) = try ask(.open, file: .some(isNew ? file : nil), limit: pool.openLimit, context) { writer in
      writer.append(UInt32(page - 1))
      writer.append(values)
    }
    var body = answer
    guard kind == .opened else { throw kind == .notMine ? .notMine : stop() }
    if let (width, height) = CodecImage.excess(answer) {
      throw .plugin("\(width)x\(height) pixels are too many")
    }
    do throws(WireError) {
      let image = try CodecImage(from: &body)
      openFile = key
      untouched = (page, values, image)
      return image
    } catch { throw stop() }
  }

  /// Reads a part of the open page's metadata, of `byteCount` bytes.
  func metadata(_ part: MetadataPart, byteCount: Int) throws(CallFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < byteCount {
      let (kind, answer) = try ask(.metadata, .serial) { writer in
        writer.append(part.rawValue)
        writer.append(UInt64(bytes.count))
      }
      var body = answer
      guard kind == .done, let piece = try? body.text(), !piece.isEmpty, bytes.count + piece.count <= byteCount
      else { throw stop() }
      bytes += piece
    }
    return bytes
  }

  /// Requests rows of the open page, which are available when `finishRead` returns.
  func beginRead(_ request: ReadRequest, into frame: Frame, limit: Duration) throws(CallFailure) {
    precondition(reading == nil, "rows were asked for while others are on their way")
    untouched = nil
    reading = try send(.read, memory: frame, limit: limit) { request.write(to: &$0) }
  }

  /// Waits for the requested rows.
  func finishRead(_ context: OperationContext) throws(CallFailure) {
    guard let request = reading else { preconditionFailure("no rows were asked for") }
    reading = nil
    let (kind, _) = try answer(to: request, context)
    guard kind == .done else { throw stop() }
  }

  /// Waits until no request is pending. A codec that does not stop soon is ended.
  func dropRead() {
    guard let request = reading else { return }
    reading = nil
    guard case .worker = place else { return }
    let nobody = OperationContext(
      parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } }, isCancelled: { true })
    _ = try? answer(to: request, nobody)
  }

  func attach(_ part: MetadataPart, _ bytes: [UInt8]) throws(CallFailure) {
    for start in stride(from: 0, to: bytes.count, by: MetadataPart.pieceByteCount) {
      let (kind, _) = try ask(.attach, .serial) { writer in
        writer.append(part.rawValue)
        writer.append(text: bytes[start..<min(start + MetadataPart.pieceByteCount, bytes.count)])
      }
      guard kind == .done else { throw stop() }
    }
  }

  /// Makes a request for writing, and returns the number of encoded bytes that are ready to be taken.
  func write(
    _ kind: Message, _ frame: Frame? = nil, limit: Duration, _ context: OperationContext,
    _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> Int {
    untouched = nil
    if kind == .begin { begin(nil) }
    let (kind, answer) = try ask(kind, memory: frame, limit: limit, context, body)
    var body = answer
    guard kind == .done, let waiting = try? body.integer(UInt64.self), waiting <= 1 << 48 else { throw stop() }
    return Int(waiting)
  }

  /// Makes the codec provide the stored form of the open page. Returns its number of bytes, which are ready to be
  /// taken.
  func stored(limit: Duration, _ context: OperationContext) throws(CallFailure) -> (StoredNote, waiting: Int) {
    untouched = nil
    let (kind, answer) = try ask(.stored, limit: limit, context) { _ in }
    var body = answer
    guard kind == .done, let waiting = try? body.integer(UInt64.self), waiting <= 1 << 48,
      let note = try? StoredNote(from: &body)
    else { throw stop() }
    return (note, Int(waiting))
  }

  /// Makes the codec create a file from a JPEG. Returns its number of bytes, which are ready to be taken.
  func wrap(_ jpeg: InputFile, _ values: [WireValue], limit: Duration, _ context: OperationContext)
    throws(CallFailure) -> Int
  {
    openFile = nil
    begin(nil)
    let (kind, answer) = try ask(.wrap, file: .some(jpeg), limit: limit, context) { $0.append(values) }
    var body = answer
    guard kind == .done, let waiting = try? body.integer(UInt64.self), waiting <= 1 << 48 else { throw stop() }
    return Int(waiting)
  }

  /// Records that the codec begins to work on a subject.
  private func begin(_ subject: Subject?) {
    if hasBegun, subject == nil || subject != self.subject { isUsed = true }
    (hasBegun, self.subject) = (true, subject)
    notes = CodecNotes()
  }

  /// Returns and clears the codec's notes about the file that it reads.
  func takeNotes() -> [String] {
    defer { notes = CodecNotes() }
    return notes.texts
  }

  /// Makes the codec discard the files that it reads and writes. Returns immediately. A failure ends the worker.
  func close() {
    openFile = nil
    // An unsound connection ends together with its loan.
    guard isSound else { return }
    closing = try? send(.close, limit: pool.closeLimit) { _ in }
    if case .here = place { settle() }
  }

  /// Waits until a file is closed.
  private func settle() {
    guard let request = closing else { return }
    closing = nil
    _ = try? answer(to: request, .serial)
  }

  // MARK: Requests

  /// A request that was sent, or is kept for a codec in this process.
  private struct Request {
    let number: UInt64
    let message: WireWriter
    let memory: Frame?
    let file: InputFile?
    let limit: Duration?
  }

  /// Sends a request and waits for its answer.
  private func ask(
    _ kind: Message, memory: Frame? = nil, file: InputFile?? = nil, limit: Duration? = nil, _ context: OperationContext,
    _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> (Message, WireReader) {
    try answer(to: send(kind, memory: memory, file: file, limit: limit, body), context)
  }

  private func send(
    _ kind: Message, memory: Frame? = nil, file: InputFile?? = nil, limit: Duration? = nil,
    _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> Request {
    settle()
    let number = Self.next.wrappingAdd(1, ordering: .relaxed).oldValue
    memory?.flags.isCancelled = false
    var message = kind.begin(call: number)
    if case .worker(let worker) = place {
      var descriptors: [Int32] = []
      var room = 0
      if let file {
        FileNote(byteCount: file?.byteCount).write(to: &message)
        if let file { (descriptors, room) = ([file.descriptor], file.byteCount) }
        worker.fileByteCount = file?.byteCount ?? worker.fileByteCount
      }
      if let memory {
        MemoryNote(memory).write(to: &message)
        if worker.frame != memory.identifier { (descriptors, room) = (memory.descriptors, memory.mappedByteCount) }
        worker.frame = memory.identifier
        worker.frameByteCount = memory.mappedByteCount
      }
      body(&message)
      if room > 0 { worker.makeRoom(byteCount: worker.fileByteCount + worker.frameByteCount + (1 << 20)) }
      guard worker.send(message.bytes, descriptors: descriptors) else {
        throw worker.end(patience: Conversation.endPatience).map { .ended($0) } ?? .closed
      }
    } else {
      body(&message)
    }
    return Request(number: number, message: message, memory: memory, file: file ?? nil, limit: limit)
  }

  private func answer(to request: Request, _ context: OperationContext) throws(CallFailure) -> (Message, WireReader) {
    let answer: (kind: Message, body: WireReader) =
      switch place {
      case .here(let service):
        try pool.answer(service, request.message, request.file, request.memory, context, onLog: take)
      case .worker(let worker):
        try pool.conversation(worker, request.number, request.limit, request.memory, context) { level, text in
          self.take(level, text)
        }.answer()
      }
    if answer.kind == .failed {
      if case .worker = place { (isSpent, mayPassAfresh) = (true, isUsed && !pool.isDebugged && !pool.keepsFailed) }
      var body = answer.body
      if let text = try? body.line() { throw .plugin(text) }
      throw stop()
    }
    return (answer.kind, answer.body)
  }

  /// Handles a line from the codec: a note about the file that it reads, or else a message of the plugin.
  private func take(_ level: UInt32, _ text: String) {
    if level == IMGHOST_LOG_WARNING { isSpent = true }
    guard subject != nil, level == IMGHOST_LOG_WARNING || level == IMGHOST_LOG_FILE else {
      return pool.tell(level, text)
    }
    notes.add(text)
  }

  /// Ends a worker that sends an invalid answer.
  private func stop() -> CallFailure {
    end()
    return .garbled
  }
}

/// Notes of a codec about one file, without duplicates, and no more than a person would read.
struct CodecNotes {
  private static let most = 4
  private static let longest = 200

  private(set) var texts: [String] = []

  mutating func add(_ text: String) {
    let text = text.unicodeScalars.count > Self.longest ? text.prefix(Self.longest) + "…" : text
    guard !texts.contains(text), texts.count <= Self.most else { return }
    texts.append(texts.count < Self.most ? text : "more messages are left out")
  }
}
