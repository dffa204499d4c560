/// The rows of a region of a picture, for decoders that cannot skip the rest of the picture, or can skip only a part of
/// it.
///
/// Rows above the region are read and discarded. Rows below it are not read.
public final class CroppedSource: RowSource {
  public let layout: PictureLayout
  private let upstream: any RowSource
  private let region: Region
  /// The picture, if it is already in memory, so that nothing has to be read; otherwise nil.
  private let frame: PixelBuffer?
  /// A buffer for rows above the region, and for rows that are wider than the region; unused if there is a `frame`.
  private let strip: PixelBuffer
  private var next = 0
  private var isAtRegion = false

  private static let stripRows = 16

  /// - Parameter region: a region inside the picture.
  public init(_ upstream: any RowSource, _ region: Region) {
    let whole = upstream.layout
    precondition(region.isInside(width: whole.width, height: whole.height))
    self.upstream = upstream
    self.region = region
    layout = whole.with(width: region.width, height: region.height)
    frame = (upstream as? BufferSource)?.unread
    strip = frame ?? PixelBuffer(Self.strip(of: whole))
  }

  /// Returns the number of bytes of memory that a cropped source needs in addition to its upstream.
  public static func byteCount(from layout: PictureLayout) -> Int { PixelBuffer.byteCount(strip(of: layout)) }

  private static func strip(of layout: PictureLayout) -> PictureLayout {
    layout.with(width: layout.width, height: min(stripRows, layout.height))
  }

  public func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    if let frame { return copy(count, of: frame, to: destination, stride) }
    if !isAtRegion {
      isAtRegion = true
      try drop(region.top)
    }
    guard region.width < upstream.layout.width else {
      return try upstream.read(count, into: destination, stride: stride)
    }
    let left = region.left * layout.format.bytesPerPixel
    var done = 0
    while done < count {
      let part = min(strip.layout.height, count - done)
      try upstream.read(part, into: strip.base, stride: strip.stride)
      for row in 0..<part {
        (destination + (done + row) * stride).copyMemory(from: strip.row(row) + left, byteCount: layout.rowByteCount)
      }
      done += part
    }
  }

  private func copy(_ count: Int, of frame: PixelBuffer, to destination: UnsafeMutableRawPointer, _ stride: Int) {
    let left = region.left * layout.format.bytesPerPixel
    for row in 0..<count {
      (destination + row * stride).copyMemory(
        from: frame.row(region.top + next + row) + left, byteCount: layout.rowByteCount)
    }
    next += count
  }

  private func drop(_ count: Int) throws(PictureError) {
    var left = count
    while left > 0 {
      let part = min(strip.layout.height, left)
      try upstream.read(part, into: strip.base, stride: strip.stride)
      left -= part
    }
  }
}
