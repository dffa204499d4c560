import JPEGTables

/// Upsamples chrominance, converts colours, and writes rows of pixels.
final class RowUpsampler {
  private let geometry: FrameGeometry
  private let window: FrameWindow
  private let components: [ComponentRows]
  private let kernels: JPEGKernels
  /// Cb and Cr at the width of the picture. Owned by this object.
  private let blue: UnsafeMutablePointer<UInt8>
  private let red: UnsafeMutablePointer<UInt8>
  private let sums: UnsafeMutablePointer<UInt16>

  init(_ geometry: FrameGeometry, _ window: FrameWindow, _ components: [ComponentRows], _ kernels: JPEGKernels) {
    self.geometry = geometry
    self.window = window
    self.components = components
    self.kernels = kernels
    let width = geometry.width + 64
    blue = .allocate(capacity: width)
    red = .allocate(capacity: width)
    sums = .allocate(capacity: width)
    blue.initialize(repeating: 0, count: width)
    red.initialize(repeating: 0, count: width)
    sums.initialize(repeating: 0, count: width)
  }

  deinit {
    blue.deallocate()
    red.deallocate()
    sums.deallocate()
  }

  /// Keeps the last samples of a band of `mcuRows` MCU rows for the first rows of the next band.
  func keepContext(of mcuRows: Int) {
    guard geometry.needsRowBelow else { return }
    for component in components { component.keepLast(of: mcuRows) }
  }

  /// Writes a row of the window.
  ///
  /// - Parameters:
  ///   - index: a pixel row of the last decoded band; -1 is the last row of the previous band.
  ///   - mcuRow: the index of the band's first MCU row in the picture.
  func write(_ index: Int, mcuRow: Int, to output: UnsafeMutableRawPointer) {
    let pixels = output.assumingMemoryBound(to: UInt8.self)
    let luma = components[0].row(index)
    guard components.count == 3 else {
      pixels.update(from: luma + window.columns.lowerBound, count: window.columns.count)
      return
    }
    let left = window.columns.lowerBound
    kernels.convertYCC(
      luma + left, chroma(components[1], index, mcuRow, blue) + left,
      chroma(components[2], index, mcuRow, red) + left, window.columns.count, pixels)
  }

  /// Returns a row of a component with one sample per pixel. If it has to be computed, it is written to `room`. Only
  /// the window's columns are valid.
  private func chroma(_ component: ComponentRows, _ index: Int, _ mcuRow: Int, _ room: UnsafeMutablePointer<UInt8>)
    -> UnsafePointer<UInt8>
  {
    let width = component.geometry.width
    let (columns, halves) = (window.columns, window.halves)
    switch component.geometry.upsampling {
    case .none: return UnsafePointer(component.row(index))
    case .repeatedAcross:
      let row = component.row(index)
      for x in columns { room[x] = row[x / 2] }
    case .repeatedDown: return UnsafePointer(component.row(index >> 1))
    case .across:
      let row = component.row(index)
      row[-1] = row[0]
      row[width] = row[width - 1]
      kernels.doubleRow(row + halves.lowerBound, halves.count, room + 2 * halves.lowerBound)
    case .down:
      let (near, far) = neighbours(component, index, mcuRow)
      kernels.mixRows(
        near + columns.lowerBound, far + columns.lowerBound, index & 1 == 0 ? 1 : 2, columns.count,
        room + columns.lowerBound)
    case .acrossAndDown:
      let (near, far) = neighbours(component, index, mcuRow)
      kernels.doubleRows(
        near + halves.lowerBound, far + halves.lowerBound, halves.count, sums,
        room + 2 * halves.lowerBound)
    }
    return UnsafePointer(room)
  }

  /// Returns the two rows of samples that are nearest to a row of pixels. For even rows of pixels, the far row is above
  /// the near row; for odd rows, it is below. The picture's first and last rows are repeated beyond its edges.
  private func neighbours(_ component: ComponentRows, _ index: Int, _ mcuRow: Int) -> (
    near: UnsafePointer<UInt8>, far: UnsafePointer<UInt8>
  ) {
    let near = index >> 1
    let far = index & 1 == 0 ? near - 1 : near + 1
    let top = -mcuRow * component.rowCount
    let bottom = component.geometry.height - 1 + top
    return (UnsafePointer(component.row(near)), UnsafePointer(component.row(min(max(far, top), bottom))))
  }
}

/// The samples of one component for a band of one or more MCU rows, and the last row of the previous band.
final class ComponentRows {
  let geometry: FrameGeometry.Component
  let stride: Int
  /// The number of rows of samples in an MCU.
  let rowCount: Int
  /// The memory of row -1 and of all rows of the band, with padding. Owned by this object.
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

  var mcuRowByteCount: Int { rowCount * stride }

  /// Returns a row of samples; -1 is the last row of the previous band.
  func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { first + index * stride }

  /// Copies the last row of the first `mcuRows` MCU rows to row -1.
  func keepLast(of mcuRows: Int) { row(-1).update(from: row(rowCount * mcuRows - 1), count: geometry.width) }
}
