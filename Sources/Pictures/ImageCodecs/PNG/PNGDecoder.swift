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
    // If damage is accepted, only libspng is used: it decides which rows are usable.
    if mayBeFast, !acceptsDamage {
      fast = try orLibrary { () throws(PNGStreamFailure) in try PNGRowReader(reader) }
    }
    if fast == nil { try start() }
  }

  private func start() throws(PictureError) {
    try accept { () throws(PictureError) in try reader.start() }
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

/// Reads the rows of a non-interlaced PNG without libspng; used by one worker at a time.
///
/// The reader inflates one block of filtered rows at a time. The block is small enough to stay in the second-level
/// cache until its rows are restored.
final class PNGRowReader {
  private let stream: PNGStream
  private let form: PNGRowForm
  private let height: Int
  /// Filtered rows, each preceded by its filter type.
  private let block: PooledBytes
  private let blockHeight: Int
  /// The last restored row, in the format of the file.
  private let above: PooledBytes
  /// The restored rows of a block, if they cannot be converted in place; else nil.
  private let restored: PooledBytes?
  /// The index of the block's first row that has not been restored yet.
  private var next = 0
  private var filled = 0
  /// The number of restored rows.
  private(set) var row = 0

  /// The size of a block in bytes: much more than the 32 KB that ISA-L copies with every call, and less than a
  /// second-level cache.
  private static let blockByteCount = 256 << 10

  /// - Parameter reader: a reader that has read the chunks before the pixels.
  init?(_ reader: PNGReader) throws(PNGStreamFailure) {
    guard let form = try? PNGRowForm(reader) else { return nil }
    self.form = form
    height = reader.layout.height
    stream = try PNGStream(reader.source, offset: reader.pixelOffset)
    let stored = form.byteCount + 1
    // Blocks have a multiple of eight rows if possible, because eight rows are restored together.
    let rows = max(1, Self.blockByteCount / stored)
    blockHeight = min(height, rows < 8 ? rows : rows / 8 * 8)
    block = PooledBytes(capacity: blockHeight * stored + PNGFilters.slack)
    let count = form.byteCount + PNGFilters.slack
    above = PooledBytes(capacity: count)
    above.base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    restored = form.isStored ? nil : PooledBytes(capacity: blockHeight * form.byteCount)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PNGStreamFailure) {
    var done = 0
    while done < count {
      if next == filled { try fill() }
      let part = min(count - done, filled - next)
      try restore(part, destination + done * stride, stride)
      next += part
      row += part
      done += part
    }
    if row == height { try stream.finish() }
  }

  private func fill() throws(PNGStreamFailure) {
    let count = min(blockHeight, height - row)
    try stream.read(count * (form.byteCount + 1), into: block.base.assumingMemoryBound(to: UInt8.self))
    next = 0
    filled = count
  }

  private func restore(_ count: Int, _ destination: UnsafeMutableRawPointer, _ stride: Int) throws(PNGStreamFailure) {
    let target = restored?.base ?? destination
    let distance = restored == nil ? stride : form.byteCount
    let filtered = block.base + next * (form.byteCount + 1)
    guard
      PNGFilters.undo(
        count, UnsafePointer(filtered.assumingMemoryBound(to: UInt8.self)),
        above: UnsafePointer(above.base.assumingMemoryBound(to: UInt8.self)),
        into: target.assumingMemoryBound(to: UInt8.self), stride: distance,
        byteCount: form.byteCount, step: form.step)
    else { throw .unusual }
    above.base.copyMemory(from: target + (count - 1) * distance, byteCount: form.byteCount)
    for index in 0..<count { form.convert(target + index * distance, into: destination + index * stride) }
  }
}
