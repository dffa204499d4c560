import CPNG
import ImageCore

/// Decodes the rows of a PNG.
///
/// `PNGRowReader` decodes usual files. When it meets damage or a rare feature, libspng starts again at the beginning of
/// the file, and decodes the rest or rejects the file. All decisions and messages about damage are thus libspng's. The
/// first read of an interlaced picture decodes the whole picture.
final class PNGDecoder: RowSource {
  let layout: PictureLayout
  private let reader: PNGReader
  private let acceptsDamage: Bool
  private let context: OperationContext
  private var fast: PNGRowReader?
  private var frame: BufferSource?
  private var row = 0
  /// The damage that was accepted; nil if there is none. The rows from the damage on are black.
  private var damage: PictureError?

  /// - Parameter mayBeFast: whether `PNGRowReader` may be used.
  init(_ reader: PNGReader, options: DecodeOptions, mayBeFast: Bool = true, context: OperationContext = .serial)
    throws(PictureError)
  {
    precondition(options.shrink == 1, "a PNG does not shrink")
    self.reader = reader
    self.layout = reader.layout
    self.acceptsDamage = options.acceptsDamage
    self.context = context
    // If damage is accepted, libspng reads all rows and decides which of them are usable.
    if mayBeFast, !acceptsDamage {
      fast = try orLibrary { () throws(PNGStreamFailure) in try PNGRowReader(reader) }
    }
    if fast == nil { try start() }
  }

  private func start() throws(PictureError) {
    try accept { () throws(PictureError) in
      try reader.start(reader.outputFormat, flags: Int32(SPNG_DECODE_TRNS.rawValue))
    }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    precondition(row + count <= layout.height, "read past the last row")
    if let fast {
      let done: Void? = try orLibrary { () throws(PNGStreamFailure) in
        try fast.read(count, into: destination, stride: stride)
      }
      if done == nil {
        try startLate(destination)
        try readRows(count, into: destination, stride: stride)
      }
    } else if reader.isInterlaced {
      if frame == nil { frame = BufferSource(try decodeFrame()) }
      try frame?.read(count, into: destination, stride: stride)
    } else {
      try readRows(count, into: destination, stride: stride)
    }
    row += count
    if row == layout.height, !acceptsDamage { reader.noteFaults(context) }
  }

  /// Starts again with libspng, and skips the rows read so far. `scratch` has space for a row.
  private func startLate(_ scratch: UnsafeMutableRawPointer) throws(PictureError) {
    fast = nil
    try start()
    for index in 0..<row {
      try context.checkCancellation()
      try readRow(index, into: scratch)
    }
  }

  private func readRows(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count { try readRow(row + index, into: destination + index * stride) }
  }

  private func readRow(_ index: Int, into row: UnsafeMutableRawPointer) throws(PictureError) {
    guard damage == nil else { return clear(row) }
    try accept { () throws(PictureError) in
      try reader.readRow(into: row, byteCount: layout.rowByteCount)
    }
    guard damage == nil else { return clear(row) }
    // Damage after the pixels does not affect them, so it is checked last.
    guard index == layout.height - 1 else { return }
    try accept { () throws(PictureError) in try reader.finish() }
  }

  private func decodeFrame() throws(PictureError) -> PixelBuffer {
    let buffer = PixelBuffer(layout)
    // A pass fills only some of a row's pixels. After damage, the others stay black.
    for index in 0..<layout.height {
      try context.checkCancellation()
      clear(buffer.row(index))
    }
    guard damage == nil else { return buffer }
    try accept { () throws(PictureError) in
      while let row = try reader.nextRow() {
        try context.checkCancellation()
        try reader.readRow(into: buffer.row(row), byteCount: layout.rowByteCount)
      }
      try reader.finish()
    }
    return buffer
  }

  private func clear(_ row: UnsafeMutableRawPointer) {
    row.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
  }

  /// Returns the result of `body`; nil if libspng has to take over.
  private func orLibrary<Value>(_ body: () throws(PNGStreamFailure) -> Value?) throws(PictureError) -> Value? {
    do throws(PNGStreamFailure) {
      return try body()
    } catch {
      guard case .file(let error) = error else { return nil }
      throw .file(error)
    }
  }

  /// Calls `body`. If damage is accepted, an error in the data is recorded instead of thrown.
  private func accept(_ body: () throws(PictureError) -> Void) throws(PictureError) {
    do {
      try body()
    } catch {
      guard acceptsDamage, case .codec = error else { throw error }
      damage = error
    }
  }
}
