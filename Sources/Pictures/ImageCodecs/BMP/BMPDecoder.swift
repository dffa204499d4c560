import ImageCore

/// Rows of a BMP without run-length coding. The file usually stores the bottom row first, so rows are read at their
/// offsets.
final class BMPDecoder: RowSource {
  let layout: PictureLayout
  private let acceptsDamage: Bool
  private let converter: BMPRowConverter
  private var rows: StoredRows
  /// The index of the next row of the picture.
  private var next: Int

  /// - Parameter first: the first row to return. The layout contains only the rows from there on.
  init(_ source: ByteSource, _ header: BMPHeader, first: Int = 0, acceptsDamage: Bool) throws(PictureError) {
    guard acceptsDamage || header.pixelEnd <= source.byteCount else { throw .codec(.truncated) }
    layout = PictureLayout(width: header.width, height: header.height - first, format: header.format)
    self.acceptsDamage = acceptsDamage
    next = first
    converter = BMPRowConverter(header)
    rows = StoredRows(
      source, offset: header.pixelOffset, rowByteCount: header.rowByteCount, usedByteCount: header.usedByteCount,
      height: header.height, isTopDown: header.isTopDown)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      let place = destination + index * stride
      if let row = try rows.row(next) {
        converter.convert(row, to: place)
      } else {
        // The file was truncated, or became shorter in the meantime.
        guard acceptsDamage else { throw .codec(.truncated) }
        place.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
      }
      next += 1
    }
  }
}
