import CPNG
import ImageCore

/// Rows of a PNG.
///
/// An interlaced picture is decoded into a whole frame with the first read.
final class PNGDecoder: RowSource {
  let layout: PictureLayout
  private let reader: PNGReader
  private let acceptsDamage: Bool
  private var frame: BufferSource?
  private var row = 0
  /// What was wrong, once damage has been accepted: the rows from there on are black.
  private var damage: PictureError?

  init(_ reader: PNGReader, options: DecodeOptions) throws(PictureError) {
    precondition(options.shrink == 1, "a PNG does not shrink")
    self.reader = reader
    self.layout = reader.layout
    self.acceptsDamage = options.acceptsDamage
    try accept { () throws(PictureError) in
      try reader.start(reader.outputFormat, flags: Int32(SPNG_DECODE_TRNS.rawValue))
    }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    precondition(row + count <= layout.height, "read past the last row")
    if reader.isInterlaced {
      if frame == nil { frame = BufferSource(try decodeFrame()) }
      try frame?.read(count, into: destination, stride: stride)
    } else {
      for index in 0..<count {
        try readRow(row + index, into: destination + index * stride)
      }
    }
    row += count
  }

  private func readRow(_ index: Int, into row: UnsafeMutableRawPointer) throws(PictureError) {
    guard damage == nil else { return clear(row) }
    try accept { () throws(PictureError) in
      try reader.readRow(into: row, byteCount: layout.rowByteCount)
      if index == layout.height - 1 { try reader.finish() }
    }
    if damage != nil, index < layout.height - 1 { clear(row) }
  }

  private func decodeFrame() throws(PictureError) -> PixelBuffer {
    let buffer = PixelBuffer(layout)
    // A pass gives some of a row's pixels; damage leaves the others as they are here.
    for index in 0..<layout.height { clear(buffer.row(index)) }
    guard damage == nil else { return buffer }
    try accept { () throws(PictureError) in
      while let row = try reader.nextRow() {
        try reader.readRow(into: buffer.row(row), byteCount: layout.rowByteCount)
      }
      try reader.finish()
    }
    return buffer
  }

  private func clear(_ row: UnsafeMutableRawPointer) {
    row.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
  }

  /// Remembers what is wrong with the data instead of throwing it, where damage is accepted.
  private func accept(_ body: () throws(PictureError) -> Void) throws(PictureError) {
    do {
      try body()
    } catch {
      guard acceptsDamage, case .codec = error else { throw error }
      damage = error
    }
  }
}
