import ImageCodecs
import ImageCore
import PluginHost

/// The rows of a page that a codec plugin decodes: strip by strip if the codec supports it, otherwise all at the first
/// `read`. Used by one thread at a time.
final class PluginDecoder: RowSource {
  /// Rows of the result in shared memory.
  private struct Strip {
    let rows: Range<Int>
    /// The number of bytes between the end of these rows and the end of the frame's output.
    let bytesBehind: Int
  }

  let layout: PictureLayout
  private let codec: PluginCodec
  private let file: InputFile
  private let values: [WireValue]
  private let options: DecodeOptions
  private let header: PictureHeader
  private let region: Region
  private let context: OperationContext
  /// The open file; nil before the first rows are requested, and once all rows have been decoded.
  private var reader: CodecReader?
  /// Shared memory for the strip from which rows are copied and the next strip, or for one strip that has all rows.
  private var frame: Frame?
  /// The decoded strip from which rows are copied.
  private var held = Strip(rows: 0..<0, bytesBehind: 0)
  /// The strip that the codec is decoding.
  private var awaited: Strip?
  /// The index of the next row to copy.
  private var next = 0
  private var stripHeight = 0
  private let stride: Int
  /// The tone mapping of HDR samples, known once the page is open.
  private var toneMapping: ToneMapping.RowMapping?

  /// The size of a strip in bytes: large enough that few switches between processes are needed, and small enough that
  /// two strips fit into the second-level cache.
  private static let stripByteCount = 384 << 10

  /// - Parameters:
  ///   - layout: the layout of the result.
  ///   - region: the part of the shrunk page that is decoded.
  init(
    _ codec: PluginCodec, _ file: InputFile, values: [WireValue], options: DecodeOptions, header: PictureHeader,
    layout: PictureLayout, region: Region, context: OperationContext
  ) {
    self.codec = codec
    self.file = file
    self.values = values
    self.options = options
    self.header = header
    self.layout = layout
    self.region = region
    self.context = context
    stride = (layout.rowByteCount + 63) & ~63
  }

  deinit { release() }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    precondition(next + count <= layout.height, "read past the last row")
    var done = 0
    while done < count {
      if next == held.rows.upperBound { try fetch() }
      guard let frame else { preconditionFailure("rows are held in a frame") }
      let left = held.rows.upperBound - next
      let rows = frame.outputRows(left * self.stride + held.bytesBehind)
      let copied = min(count - done, left)
      for row in 0..<copied {
        (destination + (done + row) * stride).copyMemory(from: rows + row * self.stride, byteCount: layout.rowByteCount)
      }
      next += copied
      done += copied
    }
    toneMapping?.convert(count, of: layout, at: destination, stride: stride, context)
    if next == layout.height { release() }
  }

  /// Waits for the next rows, and starts decoding the rows after them.
  private func fetch() throws(PictureError) {
    if reader == nil {
      try CodecReader.retrying(codec, file, context) { (reader) throws(PictureError) in try begin(reader) }
    } else {
      do throws(PictureError) { try takeStrip() } catch { try beginAgain(after: error) }
    }
    reader?.tellNotes()
    // Once all rows are decoded, the codec is no longer needed.
    if held.rows.upperBound == layout.height { reader = nil } else { try askForStrip() }
  }

  /// Opens the page and decodes the first rows.
  private func begin(_ reader: CodecReader) throws(PictureError) {
    release()
    held = Strip(rows: 0..<0, bytesBehind: 0)
    let image = try reader.open(page: options.selection.page, values)
    guard image.layout == header.layout, options.shrink == 1 || image.shrinks.contains(options.shrink) else {
      guard file.isUnchanged else { throw .codec(.changed) }
      throw .plugin(PluginFailure(plugin: codec.name, cause: CallFailure.otherHeader, inputs: []))
    }
    self.reader = reader
    toneMapping = ToneMapping(image.colour)?.rowMapping()
    stripHeight = image.isStreamed ? min(max(8, Self.stripByteCount / stride), layout.height) : layout.height
    let strips = stripHeight < layout.height ? 2 : 1
    frame = try codec.plugin.pool.takeFrame(output: strips * stripHeight * stride)
    try askForStrip()
    try takeStrip()
  }

  /// Decodes all rows up to the next one again in a fresh worker, if the old worker may have caused the failure.
  private func beginAgain(after error: PictureError) throws(PictureError) {
    guard let reader, reader.mayPassAfresh else { throw error }
    release()
    try begin(CodecReader(codec, file, isFresh: true, context))
    while held.rows.upperBound <= next {
      try askForStrip()
      try takeStrip()
    }
  }

  /// Starts decoding the next strip into the unused part of the frame.
  private func askForStrip() throws(PictureError) {
    guard let reader, let frame else { preconditionFailure("a strip is decoded from an open file") }
    let rows = held.rows.upperBound..<min(held.rows.upperBound + stripHeight, layout.height)
    let isAtEnd = held.rows.isEmpty || held.bytesBehind > 0
    let strip = Strip(rows: rows, bytesBehind: isAtEnd ? 0 : stripHeight * stride)
    frame.clearOutput(rows.count * stride, before: strip.bytesBehind)
    awaited = strip
    let request = ReadRequest(
      shrink: options.shrink, acceptsDamage: options.acceptsDamage, region: region,
      rows: region.top + rows.lowerBound..<region.top + rows.upperBound, stride: stride,
      bytesBehind: strip.bytesBehind)
    try reader.beginRead(request, into: frame)
  }

  private func takeStrip() throws(PictureError) {
    guard let reader, let strip = awaited else { preconditionFailure("a strip was not asked for") }
    awaited = nil
    try reader.finishRead()
    held = strip
  }

  private func release() {
    reader = nil
    (held, awaited) = (Strip(rows: next..<next, bytesBehind: 0), nil)
    guard let frame else { return }
    self.frame = nil
    codec.plugin.pool.giveBack(frame)
  }
}
