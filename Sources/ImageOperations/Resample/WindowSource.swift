import ImageCore

/// Rows of a part of a picture that is in memory.
final class WindowSource: RowSource {
  let layout: PictureLayout
  private let buffer: PixelBuffer
  private let window: Region
  private var next = 0

  /// - Parameter window: lies inside the picture.
  init(_ buffer: PixelBuffer, window: Region) {
    precondition(window.isInside(width: buffer.layout.width, height: buffer.layout.height))
    self.buffer = buffer
    self.window = window
    layout = buffer.layout.with(width: window.width, height: window.height)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    let offset = window.left * layout.format.bytesPerPixel
    for row in 0..<count {
      (destination + row * stride).copyMemory(
        from: buffer.row(window.top + next + row) + offset, byteCount: layout.rowByteCount)
    }
    next += count
  }
}
