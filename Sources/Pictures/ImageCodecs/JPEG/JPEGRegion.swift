import ImageCore

/// Rows of a region of a JPEG. Pixels above it and beside it are entropy-decoded only.
///
/// libjpeg-turbo leaves out columns in whole units (`jpeg_crop_scanline`) and any rows (`jpeg_skip_scanlines`). Where
/// it smooths colours across the edge of the omitted part, the pixels differ from the whole picture's. So a
/// margin is decoded around the region and cropped away.
final class JPEGRegion: RowSource {
  let layout: PictureLayout
  private let reader: JPEGReader
  private let rowsAbove: Int
  private var isAtRegion = false

  /// - Parameter margin: the number of pixels around the region that absorb the difference, at least a unit.
  static func open(_ reader: JPEGReader, _ region: Region, margin: Int) throws(PictureError) -> any RowSource {
    let whole = reader.layout
    let left = max(0, region.left - margin)
    let right = min(whole.width, region.right + margin)
    let top = max(0, region.top - margin)
    let size = try reader.scale(by: 1)
    precondition(size == (whole.width, whole.height))
    let (first, width) = try reader.cut(left: left, width: right - left)
    let rows = JPEGRegion(reader, rowsAbove: top, layout: whole.with(width: width, height: whole.height - top))
    return CroppedSource(
      rows,
      Region(
        left: region.left - first, top: region.top - top, width: region.width,
        height: region.height))
  }

  private init(_ reader: JPEGReader, rowsAbove: Int, layout: PictureLayout) {
    self.reader = reader
    self.rowsAbove = rowsAbove
    self.layout = layout
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    if !isAtRegion {
      isAtRegion = true
      try reader.skip(rowsAbove)
    }
    try reader.read(count, into: destination, stride: stride)
  }
}
