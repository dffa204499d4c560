import JPEGTables

/// The samples of one component for a band of one or more rows of MCUs, and the last row of those before.
final class ComponentRows {
  let geometry: FrameGeometry.Component
  let stride: Int
  /// Rows of samples that an MCU becomes.
  let rowCount: Int
  /// Owned by this object: a row before the first, and space around all.
  private let memory: UnsafeMutableRawPointer
  /// The first sample of row 0.
  private let first: UnsafeMutablePointer<UInt8>

  /// - Parameter mcuRows: of the band.
  init(_ geometry: FrameGeometry.Component, mcusAcross: Int, mcuRows: Int) {
    self.geometry = geometry
    rowCount = geometry.down * geometry.blockSize
    // Copies of the first and last sample stand around a row, and vectors read past its end.
    stride = (mcusAcross * geometry.across * geometry.blockSize + 2 * 64 + 63) & ~63
    let byteCount = (rowCount * mcuRows + 1) * stride
    memory = .allocate(byteCount: byteCount, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    first = (memory + stride + 64).assumingMemoryBound(to: UInt8.self)
  }

  deinit { memory.deallocate() }

  /// Bytes of a row of MCUs.
  var mcuRowByteCount: Int { rowCount * stride }

  /// A row of samples; -1 is the last of the band before.
  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { first + index * stride }

  /// Keeps the last row of the first `mcuRows` rows of MCUs as row -1.
  func keepLast(of mcuRows: Int) {
    row(-1).update(from: row(rowCount * mcuRows - 1), count: geometry.width)
  }
}
