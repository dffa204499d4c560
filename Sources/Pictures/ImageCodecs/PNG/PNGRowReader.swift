import ImageCore

/// Reads the rows of a non-interlaced PNG without libspng; used by one worker at a time.
///
/// The reader inflates one block of filtered rows at a time. The block is small enough to stay in the second-level
/// cache until its rows are restored.
final class PNGRowReader {
  private let stream: PNGStream
  private let form: PNGRowForm
  private let height: Int
  /// Filtered rows, each after its filter's number.
  private let block: PooledBytes
  private let blockHeight: Int
  /// The last restored row, in the format of the file.
  private let above: PooledBytes
  /// The restored rows of a block, if they have to be converted afterwards; else nil.
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
    // Groups of eight rows are restored at once.
    let rows = max(1, Self.blockByteCount / stored)
    blockHeight = min(height, rows < 8 ? rows : rows / 8 * 8)
    block = PooledBytes(capacity: blockHeight * stored + PNGFilters.slack)
    let count = form.byteCount + PNGFilters.slack
    above = PooledBytes(capacity: count)
    above.base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    restored = form.isStored ? nil : PooledBytes(capacity: blockHeight * form.byteCount)
  }

  /// Reads the next rows; see `RowSource.read`.
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
