import ImageCore

/// Rows of a result in shared memory. The memory returns to its pool after the last row, or when the source is
/// released.
final class FrameSource: RowSource {
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
