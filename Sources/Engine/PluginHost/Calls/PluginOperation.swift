import ImageCore

/// A plugin as an operation of a pipeline. The operation reads all its inputs to the end, has the plugin compute the
/// whole frame, and delivers the rows of the result.
///
/// The operation of a source also has one input, which only determines the size, and is never read.
struct PluginOperation: PictureOperation {
  private let plugin: PluginDescription
  private let pool: WorkerPool
  private let values: [WireValue]
  /// The positions of the plugin's inputs in the list of the operation's inputs.
  private let inputs: [Int]
  /// Whether a source should produce 16 bits.
  private let isDeep: Bool
  /// Called when a picture's 16-bit samples are reduced to 8 bits.
  private let onDepthLost: @Sendable () -> Void

  /// - Parameter arguments: arguments that the plugin's descriptor has checked.
  init(_ plugin: PluginDescription, pool: WorkerPool, arguments: Arguments, onDepthLost: @escaping @Sendable () -> Void)
    throws(OperationError)
  {
    var values: [WireValue] = []
    for parameter in plugin.parameters { values.append(try parameter.value(from: arguments)) }
    self.plugin = plugin
    self.pool = pool
    self.values = values
    self.onDepthLost = onDepthLost
    let depth = plugin.choosesDepth ? arguments.integer(PluginDescription.depthName) : 8
    guard depth == 8 || depth == 16 else {
      throw .unsuitable("'\(PluginDescription.depthName)' is 8 or 16, not \(depth)")
    }
    isDeep = depth == 16
    switch plugin.kind {
    case .source: inputs = []
    case .filter: inputs = [0]
    case .codec: preconditionFailure("a codec is no operation")
    case .mixer: inputs = [0] + plugin.reservedNames.map { arguments.picture($0) }
    }
  }

  func outputLayout(of pictures: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let first = pictures[0]
    for index in inputs {
      let other = pictures[index]
      guard (other.width, other.height) == (first.width, first.height) else {
        throw .unsuitable(
          "needs pictures of one size; the first is \(first.width)x\(first.height), another "
            + "\(other.width)x\(other.height): resize one of them before it")
      }
    }
    return first.with(format: try format(for: pictures).output)
  }

  func workingByteCount(for pictures: [PictureLayout]) -> Int {
    guard let layout = pictures.first, let format = try? format(for: pictures) else { return 0 }
    let picture = format.picture(width: layout.width, height: layout.height)
    return (max(inputs.count, 1) + 1) * SharedLayout.capacity(for: picture.byteCount)
      + (format.keepsAlphaAside ? PixelBuffer.byteCount(layout.with(format: .gray8)) * 2 : 0)
  }

  func open(_ sources: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let layout = sources[0].layout
    let format: PluginFormat
    do throws(OperationError) {
      format = try self.format(for: sources.map(\.layout))
    } catch {
      throw .operation(error)
    }
    if format.losesDepth { onDepthLost() }
    let picture = format.picture(width: layout.width, height: layout.height)
    let frame = try pool.takeFrame(inputs: inputs.count, input: picture.byteCount, output: picture.byteCount)
    do throws(PictureError) {
      var alpha: PixelBuffer?
      for (index, source) in inputs.enumerated() {
        let filler = FrameFiller(frame: frame, index: index, picture: picture, format: format)
        let kept = try filler.fill(from: sources[source], context)
        if index == 0 { alpha = kept }
      }
      do throws(PictureError) {
        try pool.call(frame, picture: picture, values: values, context: context)
      } catch .plugin(let failure) {
        throw .plugin(
          PluginFailure(plugin: failure.plugin, cause: failure.cause, settings: settings(layout), inputs: inputs))
      }
      return FrameSource(
        frame, pool: pool, picture: picture, layout: layout.with(format: format.output), format: format, alpha: alpha)
    } catch {
      pool.giveBack(frame)
      throw error
    }
  }

  /// Returns the settings of a call as options of `imghost plugin run`.
  private func settings(_ layout: PictureLayout) -> [String] {
    let size =
      plugin.kind == .source ? ["width=\(layout.width)", "height=\(layout.height)"] : []
    return size + (isDeep ? ["\(PluginDescription.depthName)=16"] : [])
      + zip(plugin.parameters, values).compactMap { $0.setting(of: $1) }
  }

  private func format(for pictures: [PictureLayout]) throws(OperationError) -> PluginFormat {
    guard plugin.kind != .source else { return PluginFormat(source: plugin, isDeep: isDeep) }
    return try PluginFormat(plugin, for: PluginFormat.common(inputs.map { pictures[$0].format }))
  }
}

/// Reads one input picture of a call into shared memory, in the plugin's format.
private struct FrameFiller {
  private static let stripHeight = 64

  let frame: Frame
  let index: Int
  let picture: WirePicture
  let format: PluginFormat

  /// Reads all rows of the source. Returns the alpha band if it bypasses the plugin; otherwise nil.
  func fill(from source: any RowSource, _ context: OperationContext) throws(PictureError) -> PixelBuffer? {
    let rows = frame.inputRows(picture.byteCount, of: index)
    let stride = Int(picture.stride)
    let layout = source.layout
    var alpha: PixelBuffer?
    if format.isDirect(layout.format) {
      try forEachStrip(layout.height, context) { (row, count) throws(PictureError) in
        try source.read(count, into: rows + row * stride, stride: stride)
      }
    } else {
      let strip = PixelBuffer(layout.with(width: layout.width, height: min(Self.stripHeight, layout.height)))
      if format.keepsAlphaAside, layout.format.hasAlpha {
        alpha = PixelBuffer(layout.with(format: PixelFormat(layout.format.sample, .gray)))
      }
      var conversion = RowConversion(format, outer: layout.format, width: layout.width)
      try forEachStrip(layout.height, context) { (row, count) throws(PictureError) in
        try source.read(count, into: strip.base, stride: strip.stride)
        for index in 0..<count {
          conversion.toPlugin(strip.row(index), rows + (row + index) * stride)
          if let alpha { conversion.alpha(of: strip.row(index), into: alpha.row(row + index)) }
        }
      }
    }
    pad(rows, layout)
    return alpha
  }

  /// Pads a picture to the plugin's size by repeating the last pixel of each row, and then the last row.
  private func pad(_ rows: UnsafeMutableRawPointer, _ layout: PictureLayout) {
    let (stride, width, height) = (Int(picture.stride), Int(picture.width), Int(picture.height))
    let size = format.pixelByteCount
    if width > layout.width {
      for y in 0..<layout.height {
        let last = rows + y * stride + (layout.width - 1) * size
        for x in 1...(width - layout.width) { (last + x * size).copyMemory(from: last, byteCount: size) }
      }
    }
    let last = rows + (layout.height - 1) * stride
    for y in layout.height..<max(height, layout.height) {
      (rows + y * stride).copyMemory(from: last, byteCount: width * size)
    }
  }

  private func forEachStrip(
    _ height: Int, _ context: OperationContext, _ body: (_ row: Int, _ count: Int) throws(PictureError) -> Void
  ) throws(PictureError) {
    var row = 0
    while row < height {
      try context.checkCancellation()
      let count = min(Self.stripHeight, height - row)
      try body(row, count)
      row += count
    }
  }
}

/// Rows of a result in shared memory. The memory returns to its pool after the last row, or when the source is
/// released.
private final class FrameSource: RowSource {
  let layout: PictureLayout
  private let pool: WorkerPool
  private let picture: WirePicture
  private let alpha: PixelBuffer?
  private var frame: Frame?
  /// The conversion; nil if rows need none.
  private var conversion: RowConversion?
  private var next = 0

  /// - Parameter layout: the layout of the result, which may be smaller than the plugin's picture.
  init(
    _ frame: Frame, pool: WorkerPool, picture: WirePicture, layout: PictureLayout,
    format: PluginFormat, alpha: PixelBuffer?
  ) {
    self.layout = layout
    self.frame = frame
    self.pool = pool
    self.picture = picture
    self.alpha = alpha
    conversion = format.isDirect(layout.format) ? nil : RowConversion(format, outer: layout.format, width: layout.width)
  }

  deinit { release() }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    guard let frame, next + count <= layout.height else { preconditionFailure("read past the last row") }
    let rows = frame.outputRows(picture.byteCount)
    for index in 0..<count {
      let row = rows + (next + index) * Int(picture.stride)
      let target = destination + index * stride
      if conversion == nil {
        target.copyMemory(from: row, byteCount: layout.rowByteCount)
      } else {
        conversion?.fromPlugin(row, alpha: alpha?.row(next + index), target)
      }
    }
    next += count
    if next == layout.height { release() }
  }

  private func release() {
    guard let frame else { return }
    self.frame = nil
    pool.giveBack(frame)
  }
}
