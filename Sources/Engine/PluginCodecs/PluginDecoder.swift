import ImageCore
import PluginHost

/// The rows of a page that a codec plugin decodes: strip by strip where the codec can, else all at the first call.
/// Belongs to one worker at a time.
final class PluginDecoder: RowSource {
  let layout: PictureLayout
  private let codec: PluginCodec
  private let file: InputFile
  private let values: [WireValue]
  private let options: DecodeOptions
  private let header: PictureHeader
  private let region: Region
  private let context: OperationContext
  /// The codec, until all rows are in this process.
  private var reader: CodecReader?
  private var frame: Frame?
  /// The rows of the result that are in the frame.
  private var held = 0..<0
  private var next = 0
  private var isStreamed = false
  private let stride: Int

  /// Bytes of a strip: a quarter megabyte stays in the second-level cache.
  private static let stripByteCount = 256 << 10

  /// - Parameters:
  ///   - layout: that of the result.
  ///   - region: the part of the reduced page.
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
      if next == held.upperBound { try fetch() }
      guard let frame else { preconditionFailure("rows are held in a frame") }
      let rows = frame.outputRows(held.count * self.stride) + (next - held.lowerBound) * self.stride
      let copied = min(count - done, held.upperBound - next)
      for row in 0..<copied {
        (destination + (done + row) * stride).copyMemory(from: rows + row * self.stride, byteCount: layout.rowByteCount)
      }
      next += copied
      done += copied
    }
    if next == layout.height { release() }
  }

  /// Has the next rows decoded into the frame.
  private func fetch() throws(PictureError) {
    if reader == nil {
      try CodecReader.retrying { () throws(PictureError) in try begin() }
    } else {
      try fetchStrip()
    }
  }

  /// Opens the page and decodes the first rows.
  private func begin() throws(PictureError) {
    release()
    let reader = try CodecReader(codec, file, context)
    let image = try reader.open(page: options.selection.page, values)
    guard image.layout == header.layout, options.shrink == 1 || image.shrinks.contains(options.shrink) else {
      throw .codec(.changed)
    }
    self.reader = reader
    isStreamed = image.isStreamed
    try fetchStrip()
    // Rows of a whole picture need no codec any more.
    if !isStreamed { self.reader = nil }
  }

  private func fetchStrip() throws(PictureError) {
    guard let reader else { preconditionFailure("a strip is fetched from an open file") }
    let height = isStreamed ? min(max(8, Self.stripByteCount / stride), layout.height) : layout.height
    let frame: Frame
    if let held = self.frame {
      frame = held
    } else {
      frame = try codec.plugin.pool.takeFrame(output: height * stride)
      self.frame = frame
    }
    let rows = held.upperBound..<min(held.upperBound + height, layout.height)
    frame.clearOutput(rows.count * stride)
    let request = ReadRequest(
      shrink: options.shrink, acceptsDamage: options.acceptsDamage, region: region,
      rows: region.top + rows.lowerBound..<region.top + rows.upperBound, stride: stride)
    try reader.read(request, into: frame)
    held = rows
  }

  private func release() {
    reader = nil
    held = next..<next
    guard let frame else { return }
    self.frame = nil
    codec.plugin.pool.giveBack(frame)
  }
}
