import JPEGTables

/// The samples of one component for a band of one or more MCU rows, and the last row of the previous band.
final class ComponentRows {
  let geometry: FrameGeometry.Component
  let stride: Int
  /// The number of rows of samples in an MCU.
  let rowCount: Int
  /// A row before the first, all rows, and padding. Owned by this object.
  private let memory: UnsafeMutableRawPointer
  /// The first sample of row 0.
  private let first: UnsafeMutablePointer<UInt8>

  /// - Parameter mcuRows: the number of MCU rows in the band.
  init(_ geometry: FrameGeometry.Component, mcusAcross: Int, mcuRows: Int) {
    self.geometry = geometry
    rowCount = geometry.verticalSampling * geometry.blockSize
    // A row has space for copies of its first and last samples on both sides, and for vectors that read past its end.
    stride = (mcusAcross * geometry.horizontalSampling * geometry.blockSize + 2 * 64 + 63) & ~63
    let byteCount = (rowCount * mcuRows + 1) * stride
    memory = .allocate(byteCount: byteCount, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    first = (memory + stride + 64).assumingMemoryBound(to: UInt8.self)
  }

  deinit { memory.deallocate() }

  /// The number of bytes in an MCU row.
  var mcuRowByteCount: Int { rowCount * stride }

  /// Returns a row of samples; -1 is the last row of the previous band.
  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { first + index * stride }

  /// Copies the last row of the first `mcuRows` MCU rows to row -1.
  func keepLast(of mcuRows: Int) { row(-1).update(from: row(rowCount * mcuRows - 1), count: geometry.width) }
}
