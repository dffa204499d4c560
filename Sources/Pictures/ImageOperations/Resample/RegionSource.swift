import ImageCore

/// Rows of a part of a picture that is in memory.
final class RegionSource: RowSource {
  let layout: PictureLayout
  private let buffer: PixelBuffer
  private let region: Region
  private var next = 0

  /// - Parameter region: lies inside the picture.
  init(_ buffer: PixelBuffer, region: Region) {
    precondition(region.isInside(width: buffer.layout.width, height: buffer.layout.height))
    self.buffer = buffer
    self.region = region
    layout = buffer.layout.with(width: region.width, height: region.height)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    let offset = region.left * layout.format.bytesPerPixel
    for row in 0..<count {
      (destination + row * stride).copyMemory(
        from: buffer.row(region.top + next + row) + offset, byteCount: layout.rowByteCount)
    }
    next += count
  }
}
