import ImageCore

/// Rows of a stored picture: all in memory or, for a large picture, decoded in batches on request. Used by one thread.
final class StoredRows {
  /// The layout of the whole picture.
  let layout: PictureLayout
  private let buffer: PixelBuffer
  /// Opens a source that begins at the first row; nil if all rows are in memory.
  private let open: (() throws(PictureError) -> any RowSource)?
  private var source: (any RowSource)?
  /// The rows in memory.
  private var rows: Range<Int>
  /// The error that ended decoding; nil for none. The rows of the batch that could not be decoded, and all rows
  /// requested after them, are black.
  private(set) var failure: PictureError?

  private static let windowHeight = 64

  init(_ buffer: PixelBuffer) {
    (self.buffer, layout, open) = (buffer, buffer.layout, nil)
    rows = 0..<buffer.layout.height
  }

  /// - Parameters:
  ///   - layout: the layout of every source.
  ///   - open: returns a source that begins at the first row; it is called again when earlier rows are requested.
  init(_ layout: PictureLayout, open: @escaping () throws(PictureError) -> any RowSource) {
    (self.layout, self.open) = (layout, open)
    buffer = PixelBuffer(
      PictureLayout(width: layout.width, height: min(Self.windowHeight, layout.height), format: layout.format))
    rows = 0..<0
  }

  /// The number of bytes from one row to the next. Valid only if all rows are in memory (`open` is nil).
  var stride: Int { buffer.stride }

  /// Returns a row, which is valid until another row is requested.
  func row(_ y: Int) -> UnsafeMutableRawPointer {
    if !rows.contains(y) { move(to: y) }
    return buffer.row(y - rows.lowerBound)
  }

  /// Decodes all remaining rows, so that errors anywhere in the data are found.
  func finish() { _ = row(layout.height - 1) }

  private func move(to y: Int) {
    if y < rows.lowerBound { (source, rows) = (nil, 0..<0) }
    while !rows.contains(y) {
      let next = rows.upperBound..<min(layout.height, rows.upperBound + Self.windowHeight)
      read(next.count)
      rows = next
    }
  }

  private func read(_ count: Int) {
    do throws(PictureError) {
      guard failure == nil, let open else { return blacken() }
      if source == nil { source = try open() }
      try source!.read(count, into: buffer.row(0), stride: buffer.stride)
    } catch {
      failure = error
      blacken()
    }
  }

  private func blacken() {
    for y in 0..<buffer.layout.height {
      buffer.row(y).initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
    }
  }
}
