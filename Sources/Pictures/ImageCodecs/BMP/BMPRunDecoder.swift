import ImageCore

/// Rows of a run-length coded BMP (BI_RLE8, BI_RLE4). The first read scans all runs and records where each row begins,
/// because the bottom row usually comes first. Pixels that the runs skip have the palette's first colour.
final class BMPRunDecoder: RowSource {
  let layout: PictureLayout
  private let acceptsDamage: Bool
  private let converter: BMPRowConverter
  private let isTopDown: Bool
  /// Whether indices have four bits (BI_RLE4) instead of eight.
  private let isPacked: Bool
  /// The maximum width that runs may fill in a row: ImageMagick pads rows to a multiple of four bytes. Pixels beyond
  /// the picture's width are discarded.
  private let filledWidth: Int
  private let start: Int
  private var window: ByteWindow
  private var beginnings: [Beginning] = []
  /// The stored row in which the file ends; nil if the file is complete.
  private var missing: Int?
  private var indices: [UInt8]
  private var next = 0

  private struct Beginning {
    /// The offset of the row's first run; 0 for a row without runs.
    var offset = 0
    /// The column at which that run begins.
    var column: Int32 = 0
  }

  /// One code of the run-length coding.
  private enum Code {
    case run(count: Int, value: UInt8)
    /// Indices that are stored individually, starting at an offset.
    case pixels(count: Int, offset: Int)
    case move(right: Int, down: Int)
    case endOfRow
    case end
    case truncated
  }

  /// The number of bytes of memory for each row of the picture.
  static let bytesPerRow = MemoryLayout<Beginning>.stride

  init(_ source: ByteSource, _ header: BMPHeader, acceptsDamage: Bool) {
    layout = PictureLayout(width: header.width, height: header.height, format: header.format)
    self.acceptsDamage = acceptsDamage
    converter = BMPRowConverter(header)
    isTopDown = header.isTopDown
    isPacked = header.compression == .rle4
    let step = isPacked ? 8 : 4
    filledWidth = (header.width + step - 1) / step * step
    start = header.pixelOffset
    window = ByteWindow(source)
    indices = [UInt8](repeating: 0, count: header.width)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    if next == 0 { try findRows() }
    for index in 0..<count {
      let stored = isTopDown ? next : layout.height - 1 - next
      let place = destination + index * stride
      if let missing, stored >= missing {
        place.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
      } else {
        try decode(beginnings[stored])
        indices.withUnsafeBufferPointer { indices in converter.resolve(place) { indices[$0] } }
      }
      next += 1
    }
  }

  /// Sets `beginnings` and `missing`.
  private func findRows() throws(PictureError) {
    beginnings = [Beginning](repeating: Beginning(), count: layout.height)
    var (row, column, offset) = (0, 0, start)
    beginnings[0] = Beginning(offset: offset)
    while row < layout.height {
      let code = try code(&offset)
      switch code {
      case .run(let count, _), .pixels(let count, _): column += count
      case .move(let right, let down):
        column += right
        row += down
        if down > 0 && row < layout.height { beginnings[row] = Beginning(offset: offset, column: Int32(column)) }
      case .endOfRow:
        row += 1
        column = 0
        if row < layout.height { beginnings[row] = Beginning(offset: offset) }
      case .end: return
      case .truncated:
        // Some programs leave out the end mark.
        if row == layout.height - 1 && column >= layout.width { return }
        guard acceptsDamage else { throw .codec(.truncated) }
        missing = row
        return
      }
      guard column <= filledWidth else {
        guard acceptsDamage else { throw .codec(.damaged("a run is longer than its row")) }
        column = filledWidth
        continue
      }
    }
  }

  /// Decodes the runs of a row into `indices`.
  private func decode(_ beginning: Beginning) throws(PictureError) {
    for x in indices.indices { indices[x] = 0 }
    guard beginning.offset > 0 else { return }
    var (offset, column) = (beginning.offset, Int(beginning.column))
    while true {
      let code = try code(&offset)
      switch code {
      case .run(let count, let value):
        for x in column..<max(column, min(column + count, layout.width)) {
          indices[x] = isPacked ? ((x - column) & 1 == 0 ? value >> 4 : value & 15) : value
        }
        column += count
      case .pixels(let count, let place):
        for x in column..<max(column, min(column + count, layout.width)) {
          let index = x - column
          let value = try window.byte(place + (isPacked ? index / 2 : index)) ?? 0
          indices[x] = isPacked ? (index & 1 == 0 ? value >> 4 : value & 15) : value
        }
        column += count
      case .move(let right, 0): column += right
      case .move, .endOfRow, .end, .truncated: return
      }
      // Pixels beyond the row are padding, or damage that the caller accepts.
      column = min(column, layout.width)
    }
  }

  /// Reads the code at an offset, and advances the offset past it.
  private func code(_ offset: inout Int) throws(PictureError) -> Code {
    guard let count = try window.byte(offset), let value = try window.byte(offset + 1) else { return .truncated }
    offset += 2
    guard count == 0 else { return .run(count: Int(count), value: value) }
    switch value {
    case 0: return .endOfRow
    case 1: return .end
    case 2:
      guard let right = try window.byte(offset), let down = try window.byte(offset + 1) else { return .truncated }
      offset += 2
      return .move(right: Int(right), down: Int(down))
    default:
      let place = offset
      let length = isPacked ? (Int(value) + 1) / 2 : Int(value)
      guard try window.byte(offset + length - 1) != nil else { return .truncated }
      // The indices are padded to an even number of bytes.
      offset += (length + 1) & ~1
      return .pixels(count: Int(value), offset: place)
    }
  }
}
