import ImageCore
import Platform

/// A codec's worker that is lent to one reader or writer, with the requests that only codecs answer.
package final class CodecLoan {
  private let lease: WorkerLease
  private let pool: WorkerPool
  private var worker: PooledWorker { lease.worker }
  /// The pending request for rows; nil for none.
  private var reading: WorkerLease.Request?
  /// Whether the file stays open for the next reader: if it has several pages, because a further page costs less than
  /// the first; or if the codec runs in another process, and only the header has been read.
  private var keepsOpen = false
  private var hasSeveralPages = false

  fileprivate init(_ lease: WorkerLease, _ pool: WorkerPool) {
    self.lease = lease
    self.pool = pool
  }

  deinit {
    dropRead()
    if !keepsOpen || !lease.isSound { lease.close() }
  }

  /// Whether the failed call may succeed in a fresh worker: the codec reported an error, and its worker had worked on
  /// something else before.
  package var mayPassAfresh: Bool { worker.mayPassAfresh }

  /// Returns and clears the codec's notes about the file that it reads.
  package func takeNotes() -> [String] { worker.takeNotes() }

  // MARK: Reading

  /// Opens a page of a file; pages are numbered from 1.
  package func open(_ file: InputFile, page: Int, _ values: [WireValue], _ context: OperationContext)
    throws(CallFailure) -> CodecImage
  {
    let image = try openPage(page, of: file, values, context)
    hasSeveralPages = image.pageCount > 1
    keepsOpen = hasSeveralPages || worker.process != nil
    return image
  }

  private func openPage(_ page: Int, of file: InputFile, _ values: [WireValue], _ context: OperationContext)
    throws(CallFailure) -> CodecImage
  {
    let key = FileKey(file)
    let isNew = worker.openFile != key
    if !isNew, let untouched = worker.untouched, untouched.page == page, untouched.values == values {
      return untouched.image
    }
    worker.openFile = nil
    worker.begin(PooledWorker.Subject(file: key, page: page))
    let (kind, answer) = try lease.ask(
      .open, file: isNew ? .sent(file) : .previous, timeLimit: pool.openTimeLimit, context
    ) {
      $0.append(UInt32(page - 1))
      $0.append(values)
    }
    var body = answer
    guard kind == .opened else { throw kind == .notMine ? .notMine : lease.stop() }
    if let (width, height) = CodecImage.excess(answer) {
      throw .plugin("\(width)x\(height) pixels are too many")
    }
    do throws(WireError) {
      let image = try CodecImage(from: &body)
      worker.openFile = key
      worker.untouched = (page, values, image)
      return image
    } catch { throw lease.stop() }
  }

  /// Reads one kind of the open page's metadata, which has `byteCount` bytes.
  package func metadata(_ part: MetadataPart, byteCount: Int) throws(CallFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < byteCount {
      let (kind, answer) = try lease.ask(.metadata, .serial) {
        $0.append(part.rawValue)
        $0.append(UInt64(bytes.count))
      }
      var body = answer
      guard kind == .done, let piece = try? body.text(), !piece.isEmpty, bytes.count + piece.count <= byteCount
      else { throw lease.stop() }
      bytes += piece
    }
    return bytes
  }

  /// Requests rows. They are in the frame's output when `finishRead` returns. No other request is allowed in between.
  ///
  /// - Parameter pixels: the number of pixels that the codec has to process, for the deadline.
  package func beginRead(_ request: ReadRequest, into frame: Frame, pixels: Int) throws(CallFailure) {
    precondition(reading == nil, "rows were asked for while others are on their way")
    if !hasSeveralPages { keepsOpen = false }
    worker.untouched = nil
    reading = try lease.send(.read, memory: frame, timeLimit: pool.readTimeLimit(pixels: pixels)) {
      request.write(to: &$0)
    }
  }

  /// Waits for the requested rows.
  package func finishRead(_ context: OperationContext) throws(CallFailure) {
    guard let request = reading else { preconditionFailure("no rows were asked for") }
    reading = nil
    let (kind, _) = try lease.answer(to: request, context)
    guard kind == .done else { throw lease.stop() }
  }

  /// Cancels the pending request for rows, if there is one, and waits for its end. If the codec does not stop soon, its
  /// worker is terminated.
  private func dropRead() {
    guard let request = reading else { return }
    reading = nil
    guard worker.process != nil else { return }
    let nobody = OperationContext(
      parallelism: 1, parallelFor: { count, body in for index in 0..<count { body(index) } }, isCancelled: { true })
    _ = try? lease.answer(to: request, nobody)
  }

  /// Makes the codec provide the stored form of the open page, which is then read with `write(.take, …)`.
  package func stored(pixels: Int, _ context: OperationContext) throws(CallFailure) -> (StoredNote, waiting: Int) {
    worker.untouched = nil
    var (waiting, body) = try produce(.stored, timeLimit: pool.readTimeLimit(pixels: pixels), context)
    guard let note = try? StoredNote(from: &body) else { throw lease.stop() }
    return (note, waiting)
  }

  // MARK: Writing

  /// Makes the codec create a file from a JPEG, and returns its size. The new file is then read with `write(.take, …)`.
  package func wrap(_ jpeg: InputFile, _ values: [WireValue], pixels: Int, _ context: OperationContext)
    throws(CallFailure) -> Int
  {
    worker.openFile = nil
    worker.begin(nil)
    return try produce(.wrap, file: .sent(jpeg), timeLimit: pool.writeTimeLimit(pixels: pixels), context) {
      $0.append(values)
    }
    .waiting
  }

  /// Makes the codec create a file from the coded pixels of another file and the attached metadata. The new file is
  /// then read with `write(.take, …)`. Returns its size; nil if the pixels have to be encoded.
  package func rewrite(_ file: InputFile, _ request: BeginRequest, _ context: OperationContext) throws(CallFailure)
    -> Int?
  {
    let pixels = request.layout.width * request.layout.height
    worker.begin(nil)
    do throws(CallFailure) {
      return try produce(.rewrite, file: .sent(file), timeLimit: pool.writeTimeLimit(pixels: pixels), context) {
        request.write(to: &$0)
      }
      .waiting
    } catch .notMine {
      return nil
    }
  }

  /// Sends one kind of metadata for the file to be written.
  package func attach(_ part: MetadataPart, _ bytes: [UInt8]) throws(CallFailure) {
    for start in stride(from: 0, to: bytes.count, by: MetadataPart.pieceByteCount) {
      let (kind, _) = try lease.ask(.attach, .serial) {
        $0.append(part.rawValue)
        $0.append(text: bytes[start..<min(start + MetadataPart.pieceByteCount, bytes.count)])
      }
      guard kind == .done else { throw lease.stop() }
    }
  }

  /// Sends a request for writing, and returns the number of encoded bytes that are ready to be taken.
  package func write(
    _ kind: Message, _ frame: Frame?, pixels: Int, _ context: OperationContext, _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> Int {
    worker.untouched = nil
    if kind == .begin { worker.begin(nil) }
    return try produce(kind, memory: frame, timeLimit: pool.writeTimeLimit(pixels: pixels), context, body).waiting
  }

  /// Sends a request that produces bytes. Returns the number of bytes that are ready to be taken, and the rest of the
  /// answer.
  private func produce(
    _ kind: Message, memory: Frame? = nil, file: WorkerLease.RequestFile = .none, timeLimit: Duration,
    _ context: OperationContext,
    _ body: (inout WireWriter) -> Void = { _ in }
  ) throws(CallFailure) -> (waiting: Int, rest: WireReader) {
    let (answered, answer) = try lease.ask(kind, memory: memory, file: file, timeLimit: timeLimit, context, body)
    var rest = answer
    if answered == .notMine, kind == .rewrite { throw .notMine }
    guard answered == .done, let waiting = try? rest.integer(UInt64.self), waiting <= 1 << 48 else {
      throw lease.stop()
    }
    return (Int(waiting), rest)
  }
}

extension WorkerPool {
  /// Lends a codec's worker, preferably one that has `file` open.
  ///
  /// - Parameter isFresh: whether to start a new worker instead of reusing an idle one.
  package func lend(_ context: OperationContext, _ file: InputFile?, isFresh: Bool = false) throws(CallFailure)
    -> CodecLoan
  {
    CodecLoan(try lend(context, open: file.map { FileKey($0) }, isFresh: isFresh), self)
  }

  /// Returns a separate pool for one worker whose new memory is filled with this byte; nil if memory cannot be filled.
  /// The worker is kept after errors, so that testing thousands of damaged files takes only seconds.
  func filled(_ byte: Int) -> WorkerPool? {
    guard !inProcess, !isDebugged else { return nil }
    var launcher = launcher
    launcher.fill = byte
    return WorkerPool(
      plugin: plugin, codec: codec, launcher: launcher, mostWorkers: 1, keepsFailed: true, onEvent: onEvent)
  }

  // MARK: Time limits

  /// The time limit for reading a header: the codec's own limit for reading, but at most the host's limit for a call.
  var openTimeLimit: Duration { isDebugged ? launcher.deadline : min(declared(codec?.readSeconds), launcher.deadline) }

  /// The time limit for closing a file: short, because the caller waits. A worker that exceeds it is replaced.
  var closeTimeLimit: Duration { isDebugged ? launcher.deadline : min(.seconds(2), launcher.deadline) }

  func readTimeLimit(pixels: Int) -> Duration { Self.timeLimit(declared(codec?.readSeconds), pixels: pixels) }

  func writeTimeLimit(pixels: Int) -> Duration { Self.timeLimit(declared(codec?.writeSeconds), pixels: pixels) }

  private func declared(_ seconds: Int?) -> Duration {
    isDebugged ? launcher.deadline : seconds.map { .seconds($0) } ?? launcher.deadline
  }
}
