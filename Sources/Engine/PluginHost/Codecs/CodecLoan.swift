import CPluginABI
import ImageCore

/// A codec's worker that is lent to one reader or writer, and returns to its pool when the loan is released.
package final class CodecLoan {
  private let connection: CodecConnection
  private let pool: CodecPool
  /// Whether a file stays open for the next reader: after its header was read, or if it has many frames, where the next
  /// frame costs less than the first.
  private var keepsOpen = false
  private var hasSeveralPages = false

  fileprivate init(_ connection: CodecConnection, _ pool: CodecPool) {
    self.connection = connection
    self.pool = pool
  }

  deinit {
    connection.dropRead()
    if !keepsOpen || !connection.isSound { connection.close() }
    pool.giveBack(connection)
  }

  /// Whether the failed call may succeed in a fresh worker: the codec reported an error, in a worker that had worked on
  /// something else before.
  package var mayPassAfresh: Bool { connection.mayPassAfresh }

  /// Returns and clears the codec's notes about the file that it reads.
  package func takeNotes() -> [String] { connection.takeNotes() }

  /// Opens a page of a file, from 1.
  package func open(_ file: InputFile, page: Int, _ values: [WireValue], _ context: OperationContext)
    throws(CallFailure) -> CodecImage
  {
    let image = try connection.open(file, page: page, values, context)
    hasSeveralPages = image.pageCount > 1
    keepsOpen = hasSeveralPages || !connection.isHere
    return image
  }

  /// Reads a part of the open page's metadata, of `byteCount` bytes.
  package func metadata(_ part: MetadataPart, byteCount: Int) throws(CallFailure) -> [UInt8] {
    try connection.metadata(part, byteCount: byteCount)
  }

  /// Requests rows, which are in place in the frame's output when `finishRead` returns. No other request is allowed in
  /// between.
  ///
  /// - Parameter pixels: the number of pixels that the codec has to process, for the deadline.
  package func beginRead(_ request: ReadRequest, into frame: Frame, pixels: Int) throws(CallFailure) {
    if !hasSeveralPages { keepsOpen = false }
    let limit = pool.limit(seconds: pool.codec.readSeconds, pixels: pixels)
    try connection.beginRead(request, into: frame, limit: limit)
  }

  /// Waits for the requested rows.
  package func finishRead(_ context: OperationContext) throws(CallFailure) { try connection.finishRead(context) }

  /// Makes the codec provide the stored form of the open page, which is then read with `write(.take, …)`.
  package func stored(pixels: Int, _ context: OperationContext) throws(CallFailure) -> (StoredNote, waiting: Int) {
    try connection.stored(limit: pool.limit(seconds: pool.codec.readSeconds, pixels: pixels), context)
  }

  /// Makes the codec create a file from a JPEG, which is then read with `write(.take, …)`.
  package func wrap(_ jpeg: InputFile, _ values: [WireValue], pixels: Int, _ context: OperationContext)
    throws(CallFailure) -> Int
  {
    try connection.wrap(jpeg, values, limit: pool.limit(seconds: pool.codec.writeSeconds, pixels: pixels), context)
  }

  /// Passes metadata for the file to be written.
  package func attach(_ part: MetadataPart, _ bytes: [UInt8]) throws(CallFailure) {
    try connection.attach(part, bytes)
  }

  /// Makes a request for writing, and returns the number of encoded bytes that are ready to be taken.
  package func write(
    _ kind: Message, _ frame: Frame?, pixels: Int, _ context: OperationContext, _ body: (inout WireWriter) -> Void
  ) throws(CallFailure) -> Int {
    let limit = pool.limit(seconds: pool.codec.writeSeconds, pixels: pixels)
    return try connection.write(kind, frame, limit: limit, context, body)
  }
}

extension CodecPool {
  /// Lends a worker, preferably one that has `file` open.
  ///
  /// - Parameter isFresh: whether the worker must be unused.
  package func lend(_ context: OperationContext, _ file: InputFile?, isFresh: Bool = false) throws(CallFailure)
    -> CodecLoan
  {
    CodecLoan(isFresh ? try start(context) : try take(context, for: file.map { FileKey($0) }), self)
  }
}
