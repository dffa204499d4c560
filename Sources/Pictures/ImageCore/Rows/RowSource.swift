/// A picture that is read once, from the top row to the bottom.
///
/// Pixels pass through row sources: a decoder is a source, an operation reads sources and makes a new source, and an
/// encoder reads a source. The reader provides the memory for the rows, so that point operations work in place on rows
/// that are still in the cache, and memory grows with a picture's width, not its area.
///
/// A source belongs to one worker at a time and is not shared.
public protocol RowSource: AnyObject {
  /// The size and format of the picture.
  var layout: PictureLayout { get }

  /// Reads the next `count` rows into `destination`, where rows are `stride` bytes apart.
  ///
  /// The caller never requests more rows than are left. `stride` is at least `layout.rowByteCount`; the source may
  /// overwrite the bytes between the end of a row and the next one. After an error the source is not read again.
  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError)
}

/// Rows of a whole picture that is already in memory.
public final class BufferSource: RowSource {
  private let buffer: PixelBuffer
  private var next = 0

  public var layout: PictureLayout { buffer.layout }

  /// The picture itself, for readers that do not need a copy; nil once rows have been read.
  public var unread: PixelBuffer? { next == 0 ? buffer : nil }

  public init(_ buffer: PixelBuffer) { self.buffer = buffer }

  public func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    precondition(next + count <= layout.height, "read past the last row")
    for row in 0..<count {
      (destination + row * stride).copyMemory(from: buffer.row(next + row), byteCount: layout.rowByteCount)
    }
    next += count
  }
}

extension RowSource {
  /// Reads all rows of a source into a buffer, for operations that need every pixel before the first result.
  ///
  /// Reads strips of about 128 KB, so that urgent work waits for at most a millisecond or two. The picture of a
  /// `BufferSource` is copied.
  public func readAll(_ context: OperationContext) throws(PictureError) -> PixelBuffer {
    let buffer = PixelBuffer(layout)
    let stripHeight = max(8, min(64, (128 << 10) / layout.rowByteCount))
    var row = 0
    while row < layout.height {
      try context.checkCancellation()
      let count = min(stripHeight, layout.height - row)
      try read(count, into: buffer.row(row), stride: buffer.stride)
      row += count
    }
    return buffer
  }
}

/// Rows of one colour.
public final class CanvasSource: RowSource {
  public let layout: PictureLayout
  private let pixel: [Int]

  public init(_ layout: PictureLayout, _ colour: Colour) {
    self.layout = layout
    pixel = colour.samples(in: layout.format)
  }

  public func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for x in 0..<layout.width * layout.bands {
      let value = pixel[x % layout.bands]
      if layout.format.sample == .u8 {
        destination.assumingMemoryBound(to: UInt8.self)[x] = UInt8(value)
      } else {
        destination.assumingMemoryBound(to: UInt16.self)[x] = UInt16(value)
      }
    }
    for row in 1..<max(1, count) {
      (destination + row * stride).copyMemory(from: destination, byteCount: layout.rowByteCount)
    }
  }
}
