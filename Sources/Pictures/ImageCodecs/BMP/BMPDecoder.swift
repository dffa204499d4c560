import ImageCore

/// Rows of a BMP that is not run-length coded. The file holds the bottom row first, as a rule: rows are read from where
/// they are.
final class BMPDecoder: RowSource {
  let layout: PictureLayout
  private let acceptsDamage: Bool
  private let converter: BMPRowConverter
  private var rows: StoredRows
  /// The picture's row that comes next.
  private var next: Int

  /// - Parameter first: the first row to give. The layout has only those from there on.
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
        // The file became shorter, or its end is missing.
        guard acceptsDamage else { throw .codec(.truncated) }
        place.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
      }
      next += 1
    }
  }
}
