import ImageCodecs
import ImageCore
import ImageMetadata
import PluginHost

/// Writes a file with a codec plugin: rows are sent to its worker strip by strip, and encoded bytes are fetched in
/// large pieces. Used by one thread at a time.
final class PluginEncoder: MultipageEncoder {
  private let codec: PluginCodec
  private let sink: any ByteSink
  private let context: OperationContext
  private let loan: CodecLoan
  private let frame: Frame
  private var pages: [PictureLayout]
  private var row = 0
  private let limit: Int
  /// Whether any encoded bytes have been fetched so far.
  private var hasBytes = false

  /// The number of bytes of rows that are sent at a time.
  private static let stripByteCount = 256 << 10

  /// Returns the memory for encoding in bytes: the shared memory, and the worker's own.
  static func memoryByteCount(_ layout: PictureLayout) -> Int {
    PluginCodec.pieceByteCount + max(stripByteCount, stride(layout)) + (4 << 20)
  }

  private static func stride(_ layout: PictureLayout) -> Int { (layout.rowByteCount + 63) & ~63 }

  init(
    _ codec: PluginCodec, to sink: any ByteSink, _ file: MultipageRequest, metadata: PictureMetadata,
    arguments: Arguments, context: OperationContext
  ) throws(PictureError) {
    let pages = file.pages
    self.codec = codec
    self.sink = sink
    self.context = context
    self.pages = pages
    limit = pages.reduce(0) { max($0, $1.width * $1.height) }
    let request = try codec.beginRequest(file, metadata, arguments)
    let widest = pages.map(Self.stride).max() ?? 0
    frame = try codec.plugin.pool.takeFrame(
      input: max(Self.stripByteCount, widest), output: PluginCodec.pieceByteCount)
    do throws(PictureError) {
      loan = try codec.lending(context) { [limit, request] (loan) throws(PictureError) in
        try codec.attempt { () throws(CallFailure) in
          try loan.attach(metadata, pages[0])
          _ = try loan.write(.begin, nil, pixels: limit, context) { request.write(to: &$0) }
        }
        return loan
      }
    } catch {
      codec.plugin.pool.giveBack(frame)
      throw error
    }
  }

  var mayPassAfresh: Bool {
    // Idle workers are stopped, so that the next encoder starts with an unused one.
    if loan.mayPassAfresh { codec.plugin.pool.retireIdle() }
    return loan.mayPassAfresh
  }

  deinit { codec.plugin.pool.giveBack(frame) }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    guard let layout = pages.first else { preconditionFailure("rows after the last page") }
    let ownStride = Self.stride(layout)
    let most = max(1, max(Self.stripByteCount, ownStride) / ownStride)
    var done = 0
    while done < count {
      try context.checkCancellation()
      let part = min(most, count - done)
      let target = frame.inputRows(part * ownStride)
      for index in 0..<part {
        (target + index * ownStride).copyMemory(
          from: rows + (done + index) * stride, byteCount: layout.rowByteCount)
      }
      try ask(.rows, frame) { writer in
        writer.append(UInt32(row))
        writer.append(UInt32(part))
        writer.append(UInt64(ownStride))
      }
      row += part
      done += part
    }
  }

  /// Ends a page, which an animation shows for `delay` seconds. The following rows belong to the next page.
  func endPage(delay: Double) throws(PictureError) {
    pages.removeFirst()
    row = 0
    let next = pages.first
    try ask(.endPage) { writer in
      writer.append(delay)
      writer.append(UInt8(next == nil ? 0 : 1))
      if let next { writer.append(next) }
    }
  }

  func finish() throws(PictureError) {
    if !pages.isEmpty { try endPage(delay: 0) }
    try ask(.finish) { _ in }
    guard hasBytes else { throw .plugin(PluginFailure(plugin: codec.name, cause: CallFailure.emptyFile, inputs: [])) }
  }

  /// Sends a request. Fetches the encoded bytes if there are many, or if the file is complete.
  private func ask(_ kind: Message, _ memory: Frame? = nil, _ body: (inout WireWriter) -> Void) throws(PictureError) {
    let waiting = try codec.attempt { () throws(CallFailure) in
      try loan.write(kind, memory, pixels: limit, context, body)
    }
    guard waiting >= PluginCodec.pieceByteCount || kind == .finish else { return }
    if waiting > 0 { hasBytes = true }
    try codec.take(waiting, from: loan, through: frame, to: sink, pixels: limit, context)
  }
}

extension PluginCodec {
  /// Returns the request that begins a file. The file's metadata is sent separately, by `attach`.
  func beginRequest(_ file: MultipageRequest, _ metadata: PictureMetadata, _ arguments: Arguments)
    throws(PictureError) -> BeginRequest
  {
    var request = BeginRequest(layout: file.pages[0])
    request.pageCount = file.pages.count
    request.loopCount = file.loopCount
    request.resolution = metadata.resolution
    request.orientation = metadata.orientation
    request.values = try writingValues(arguments)
    return request
  }
}

extension CodecLoan {
  /// Sends the metadata of the file to be written, whose first page has this layout.
  func attach(_ metadata: PictureMetadata, _ layout: PictureLayout) throws(CallFailure) {
    try attach(.icc, ICCProfile.matching(metadata.iccProfile, layout.format))
    try attach(.exif, EXIFBlock.forWriting(metadata, layout))
    try attach(.xmp, metadata.xmp)
    try attach(.iptc, metadata.iptc)
  }
}
