import ImageCore

/// Rows of a JPEG.
///
/// All scans of a progressive picture are read, and its coefficients held, from the first read on.
final class JPEGDecoder: RowSource {
  let layout: PictureLayout
  private let reader: JPEGReader

  /// - Parameter shrink: 1, 2, 4 or 8: libjpeg's scaled inverse DCT, which reads all coefficients but
  ///   computes only the pixels that remain.
  init(_ reader: JPEGReader, shrink: Int) throws(PictureError) {
    precondition([1, 2, 4, 8].contains(shrink), "a JPEG shrinks by 1, 2, 4 or 8")
    let size = try reader.scale(by: shrink)
    self.reader = reader
    self.layout = reader.layout.with(width: size.width, height: size.height)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    try reader.read(count, into: destination, stride: stride)
  }
}
