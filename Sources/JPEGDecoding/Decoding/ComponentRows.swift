import JPEGTables

/// The samples of one component for one row of MCUs, and the last row of those before.
final class ComponentRows {
  let geometry: FrameGeometry.Component
  let stride: Int
  /// Rows of samples that an MCU becomes.
  let rowCount: Int
  /// Owned by this object: a row before the first, and space around all.
  private let memory: UnsafeMutableRawPointer
  /// The first sample of row 0.
  private let first: UnsafeMutablePointer<UInt8>

  init(_ geometry: FrameGeometry.Component, mcusAcross: Int) {
    self.geometry = geometry
    rowCount = geometry.down * geometry.blockSize
    // Copies of the first and last sample stand around a row, and vectors read past its end.
    stride = (mcusAcross * geometry.across * geometry.blockSize + 2 * 64 + 63) & ~63
    memory = .allocate(byteCount: (rowCount + 1) * stride, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: (rowCount + 1) * stride)
    first = (memory + stride + 64).assumingMemoryBound(to: UInt8.self)
  }

  deinit { memory.deallocate() }

  /// A row of samples; -1 is the last of the row of MCUs before.
  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { first + index * stride }

  /// Keeps the last row as row -1.
  func keepLast() {
    row(-1).update(from: row(rowCount - 1), count: geometry.width)
  }
}
