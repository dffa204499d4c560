import ImageCore

/// A plugin as a step of a pipeline: reads its input to the end, has a worker compute the whole frame, and
/// gives the rows of the result.
struct PluginOperation: PictureOperation {
  private let plugin: PluginDescription
  private let pool: WorkerPool
  private let values: [WireValue]

  /// - Parameter arguments: checked against the plugin's descriptor.
  init(_ plugin: PluginDescription, pool: WorkerPool, arguments: Arguments) throws(OperationError) {
    var values: [WireValue] = []
    for parameter in plugin.parameters { values.append(try parameter.value(from: arguments)) }
    self.plugin = plugin
    self.pool = pool
    self.values = values
  }

  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: try PluginFormat(plugin, for: inputs[0].format).output)
  }

  func workingByteCount(for inputs: [PictureLayout]) -> Int {
    guard let layout = inputs.first,
      let format = try? PluginFormat(plugin, for: layout.format)
    else { return 0 }
    let picture = format.picture(width: layout.width, height: layout.height)
    return 2 * SharedLayout.capacity(for: picture.byteCount)
      + (format.keepsAlphaAside ? PixelBuffer.byteCount(layout.with(format: .gray8)) * 2 : 0)
  }

  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let layout = inputs[0].layout
    let format: PluginFormat
    do throws(OperationError) {
      format = try PluginFormat(plugin, for: layout.format)
    } catch {
      throw .operation(error)
    }
    let picture = format.picture(width: layout.width, height: layout.height)
    let frame = try pool.takeFrame(input: picture.byteCount, output: picture.byteCount)
    do throws(PictureError) {
      let filler = FrameFiller(frame: frame, picture: picture, format: format)
      let alpha = try filler.fill(from: inputs[0], context)
      do throws(PictureError) {
        try pool.call(frame, picture: picture, values: values, context: context)
      } catch .plugin(let failure) {
        let settings = zip(plugin.parameters, values).compactMap { $0.setting(of: $1) }
        throw .plugin(
          PluginFailure(plugin: failure.plugin, reason: failure.reason, settings: settings))
      }
      return FrameSource(frame, pool: pool, picture: picture, format: format, alpha: alpha)
    } catch {
      pool.giveBack(frame)
      throw error
    }
  }
}
