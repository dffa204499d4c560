import CZlib
import ImageCore

/// Decompresses the small streams of a file: content, cross-references, object streams, fonts and metadata.
enum StreamDecoder {
  /// Returns the bytes of a stream without a filter or with only FlateDecode, with PNG predictors undone.
  ///
  /// - Parameters:
  ///   - entries: the stream's dictionary; `Filter` and `DecodeParms` are direct or already resolved.
  ///   - limit: the maximum number of bytes of the result.
  /// - Returns: nil if the data is damaged, longer than the limit, or has another filter or predictor.
  static func decode(_ data: UnsafeRawBufferPointer, _ entries: [String: PDFValue], limit: Int) -> [UInt8]? {
    switch entries["Filter"] ?? .null {
    case .null, .array([]): return data.count <= limit ? Array(data) : nil
    case .name("FlateDecode"), .array([.name("FlateDecode")]): break
    default: return nil
    }
    // qpdf writes the content of blank pages with a filter but no data.
    if data.isEmpty { return [] }
    let parameters = entries["DecodeParms"]?.dictionary ?? entries["DecodeParms"]?.array?.first?.dictionary ?? [:]
    guard let bytes = Inflater.inflateAll(data, limit: limit) else { return nil }
    let predictor = parameters["Predictor"]?.integer ?? 1
    if predictor == 1 { return bytes }
    guard (10...15).contains(predictor), let layout = Layout(parameters) else { return nil }
    return PNGPredictor.restoreAll(bytes, columns: layout.columns, bytesPerPixel: layout.bytesPerPixel)
  }

  /// The layout of the rows that a predictor filters.
  private struct Layout {
    let columns: Int
    let bytesPerPixel: Int

    init?(_ parameters: [String: PDFValue]) {
      let colours = parameters["Colors"]?.integer ?? 1
      let bits = parameters["BitsPerComponent"]?.integer ?? 8
      let across = parameters["Columns"]?.integer ?? 1
      guard (1...32).contains(colours), [1, 2, 4, 8, 16].contains(bits), (1...1_000_000).contains(across)
      else { return nil }
      columns = (across * colours * bits + 7) / 8
      bytesPerPixel = max(1, colours * bits / 8)
    }
  }
}

/// Reads rows of a FlateDecode stream, with or without PNG predictors (PDF 32000-1:2008, 7.4.4).
///
/// Samples of fewer than 8 bits are not unpacked; their bytes are read as gray pixels.
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
  ///   - columns: the number of pixels across, if the layout's width counts bytes instead.
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

  /// Returns whether more bytes than a line end follow the rows in compressed data; false for uncompressed data. All
  /// rows must have been read. This reveals a lost `Predictor` entry, because predictors add a byte to each row.
  func hasMore() -> Bool {
    guard let inflater else { return false }
    var rest = [UInt8](repeating: 0, count: Self.toleratedBytes + 1)
    let count = rest.withUnsafeMutableBufferPointer { inflater.read(into: $0) }
    return (count ?? 0) > Self.toleratedBytes
  }

  /// The length of a line end, which some writers add after the rows.
  private static let toleratedBytes = 2

  /// Reads the bytes of row `y`, and returns their number, which is too small at the end of compressed data; nil if the
  /// data is damaged, or is uncompressed and too short.
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

/// Decompresses a zlib stream (RFC 1950) piece by piece; wraps `inflate`.
///
/// The compressed bytes must outlive this object.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var isReady: Bool
  private(set) var isFinished = false

  init(_ bytes: UnsafeRawBufferPointer) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Streams over 4 GB exceed zlib's counters; no picture written by imghost is so large.
    isReady =
      bytes.count <= Int(UInt32.max)
      && inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(truncatingIfNeeded: bytes.count)
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Fills a buffer, and returns the number of bytes read: fewer than the buffer's size only at the end of the stream;
  /// nil if the stream is damaged.
  func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    guard isReady else { return nil }
    stream.pointee.next_out = buffer.baseAddress
    stream.pointee.avail_out = UInt32(buffer.count)
    while stream.pointee.avail_out > 0, !isFinished {
      let status = inflate(stream, Z_NO_FLUSH)
      if status == Z_STREAM_END {
        isFinished = true
      } else if status != Z_OK {
        isReady = false
        return nil
      }
    }
    return buffer.count - Int(stream.pointee.avail_out)
  }

  /// Returns whether a stream has more than `limit` uncompressed bytes, and is valid up to there.
  static func exceeds(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
    let inflater = Inflater(bytes)
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var total = 0
    while !inflater.isFinished, total <= limit {
      guard let count = chunk.withUnsafeMutableBufferPointer({ inflater.read(into: $0) }),
        count > 0
      else { return false }
      total += count
    }
    return total > limit
  }

  /// Decompresses a whole stream; nil if the stream is damaged, or its decompressed data has more than `limit` bytes.
  static func inflateAll(_ bytes: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
    let inflater = Inflater(bytes)
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while !inflater.isFinished {
      guard let count = chunk.withUnsafeMutableBufferPointer({ inflater.read(into: $0) }), result.count + count <= limit
      else { return nil }
      result += chunk[..<count]
    }
    return result
  }
}

/// PNG's filters as predictors of Flate streams (PDF 32000-1:2008, 7.4.4.4).
enum PNGPredictor {
  /// Undoes the PNG filter of a row in place (PNG specification, third edition, section 9). The row begins with the
  /// number of its filter. Returns false if the filter is unknown.
  static func restore(_ row: inout [UInt8], _ above: [UInt8], bytesPerPixel: Int) -> Bool {
    let filter = row[0]
    guard filter <= 4 else { return false }
    for index in above.indices {
      let left = index >= bytesPerPixel ? row[index + 1 - bytesPerPixel] : 0
      let up = above[index]
      switch filter {
      case 1: row[index + 1] &+= left
      case 2: row[index + 1] &+= up
      case 3: row[index + 1] &+= UInt8((Int(left) + Int(up)) / 2)
      case 4:
        let corner = index >= bytesPerPixel ? above[index - bytesPerPixel] : 0
        row[index + 1] &+= paeth(left, up, corner)
      default: return true
      }
    }
    return true
  }

  private static func paeth(_ left: UInt8, _ up: UInt8, _ corner: UInt8) -> UInt8 {
    let estimate = Int(left) + Int(up) - Int(corner)
    let (a, b, c) = (abs(estimate - Int(left)), abs(estimate - Int(up)), abs(estimate - Int(corner)))
    return a <= b && a <= c ? left : b <= c ? up : corner
  }

  /// Undoes the filters of whole rows of `columns` bytes; nil if the last row is incomplete or a filter is unknown.
  static func restoreAll(_ bytes: [UInt8], columns: Int, bytesPerPixel: Int) -> [UInt8]? {
    guard columns > 0, bytes.count % (columns + 1) == 0 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var above = [UInt8](repeating: 0, count: columns)
    for start in stride(from: 0, to: bytes.count, by: columns + 1) {
      var row = Array(bytes[start..<start + columns + 1])
      guard restore(&row, above, bytesPerPixel: bytesPerPixel) else { return nil }
      above = Array(row.dropFirst())
      result += above
    }
    return result
  }
}
