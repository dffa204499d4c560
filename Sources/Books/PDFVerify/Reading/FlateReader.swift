import ImageCore

/// Rows of a FlateDecode stream with or without PNG predictors (PDF 32000-1:2008, 7.4.4).
///
/// Samples of fewer than 8 bits are not unpacked: their bytes are read as gray pixels.
struct FlateReader {
  /// The decompressor; nil for uncompressed bytes.
  private let inflater: Inflater?
  private let data: UnsafeRawBufferPointer
  private let layout: PictureLayout
  /// Whether each row begins with the number of its filter.
  let isPredicted: Bool

  /// Makes a reader; nil if the parameters do not describe rows of the layout.
  ///
  /// - Parameters:
  ///   - columns: pixels across, if the layout counts bytes instead.
  ///   - bits: bits per sample, if fewer than 8.
  ///   - isPacked: whether the data is a zlib stream instead of uncompressed bytes.
  init?(
    _ data: UnsafeRawBufferPointer, layout: PictureLayout, parameters: [String: PDFValue],
    columns: Int? = nil, bits: Int? = nil, isPacked: Bool = true
  ) {
    let predictor = parameters["Predictor"]?.integer ?? 1
    guard predictor == 1 || (10...15).contains(predictor) else { return nil }
    isPredicted = predictor >= 10
    if isPredicted {
      guard (parameters["Colors"]?.integer ?? 1) == layout.bands,
        (parameters["BitsPerComponent"]?.integer ?? 8) == bits ?? layout.format.sample.byteCount
          * 8,
        (parameters["Columns"]?.integer ?? 1) == columns ?? layout.width
      else { return nil }
    }
    inflater = isPacked ? Inflater(data) : nil
    self.data = data
    self.layout = layout
  }

  /// Reads all rows; nil if the data is damaged or too short.
  func readAll() -> PixelBuffer? {
    let buffer = PixelBuffer(layout)
    let count = layout.rowByteCount
    let filterBytes = isPredicted ? 1 : 0
    var row = [UInt8](repeating: 0, count: count + filterBytes)
    var above = [UInt8](repeating: 0, count: count)
    for y in 0..<layout.height {
      guard row.withUnsafeMutableBufferPointer({ read(into: $0, y) }) == row.count else { return nil }
      if isPredicted {
        guard PNGPredictor.restore(&row, above, bytesPerPixel: layout.format.bytesPerPixel) else { return nil }
        row.withUnsafeBytes { above.replaceSubrange(0..<count, with: $0.dropFirst()) }
      }
      row.withUnsafeBytes {
        store(UnsafeRawBufferPointer(rebasing: $0[filterBytes...]), into: buffer.row(y))
      }
    }
    return buffer
  }

  /// Returns, after all rows, whether a few more bytes follow. They do if a predictor was lost, which adds a byte to
  /// each row.
  func hasMore() -> Bool {
    guard let inflater else { return false }
    var rest = [UInt8](repeating: 0, count: Self.toleratedBytes + 1)
    let count = rest.withUnsafeMutableBufferPointer { inflater.read(into: $0) }
    return (count ?? 0) > Self.toleratedBytes
  }

  /// The length of a line end, which some writers put after the rows.
  private static let toleratedBytes = 2

  /// Returns the number of bytes read; nil if the data is damaged.
  private func read(into row: UnsafeMutableBufferPointer<UInt8>, _ y: Int) -> Int? {
    if let inflater { return inflater.read(into: row) }
    let start = y * row.count
    guard start + row.count <= data.count else { return nil }
    return row.update(fromContentsOf: data[start..<start + row.count])
  }

  /// Stores a row; 16-bit samples come with the high byte first.
  private func store(_ row: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) {
    guard layout.format.sample == .u16 else {
      target.copyMemory(from: row.baseAddress!, byteCount: row.count)
      return
    }
    for offset in stride(from: 0, to: row.count, by: 2) {
      target.storeBytes(of: UInt16(row[offset]) << 8 | UInt16(row[offset + 1]), toByteOffset: offset, as: UInt16.self)
    }
  }
}
