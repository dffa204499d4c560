import ImageCore

/// A plugin as an operation of a pipeline: it reads its inputs to the end, has a worker compute the whole frame, and
/// delivers the rows of the result.
///
/// A source also has one input, which is never read: it only determines the size.
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
