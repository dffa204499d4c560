/// The memory of one worker for resampling in floating point, vertical pass first.
final class FloatScratch {
  /// The number of samples per source row that are converted to floats before the next block of columns: those of about
  /// 30 rows fit into the first-level cache.
  static let block = 256
  /// The number of target rows that are computed together.
  static let rows = 4

  /// The number of samples of a row after the vertical pass, a multiple of 128.
  let flatCount: Int
  /// Room for `block` floats of each source row of `rows` target rows, if these are not converted in registers.
  let converted: UnsafeMutableRawPointer
  /// Addresses of rows of `flatCount` floats; rows of four bands are also lanes.
  let flat: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of rows of lanes: the needed columns, four floats each, followed by finite floats that the padded taps
  /// of the last pixels read.
  let lanes: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of the target's rows of lanes, with room for a multiple of 4 pixels.
  let sums: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// One row of four samples per target pixel, with room for a multiple of 4 pixels.
  let quads: UnsafeMutableRawPointer
  /// Addresses of converted source rows, `taps` for each of `rows` target rows.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  let taps: Int
  /// For each target row, the first of its source rows, and the end.
  let ranges: UnsafeMutablePointer<Int32>
  /// The bytes from one row's memory to the next one's.
  let rowSize: Int

  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan) {
    let columns = plan.columns.count
    let padding = FloatPlan.paddedTaps(plan.horizontal)
    let isFour = plan.pixels.bands == 4
    flatCount = (columns * plan.pixels.bands + 127) & ~127
    taps = plan.vertical.taps
    let sourceRows = plan.mostSourceRows(of: Self.rows)
    let convertedSize = plan.convertsInRegisters ? 0 : sourceRows * Self.block * 4
    let sourceCount = max(sourceRows, Self.rows * taps)
    let flatSize = (flatCount * 4 + (isFour ? padding * 16 : 64) + 63) & ~63
    let laneSize = isFour ? 0 : (columns + padding + 4) * 16 + 63 & ~63
    let sumSize = ((plan.geometry.targetWidth + 3) & ~3) * 16 + 63 & ~63
    let quadSize = sumSize / 4 * plan.pixels.bytesPerSample
    let size = convertedSize + Self.rows * (flatSize + laneSize + sumSize) + quadSize + 64
    memory = .allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)

    flat = .allocate(capacity: Self.rows)
    lanes = .allocate(capacity: Self.rows)
    sums = .allocate(capacity: Self.rows)
    sources = .allocate(capacity: sourceCount)
    sources.initialize(repeating: UnsafeRawPointer(memory), count: sourceCount)
    ranges = .allocate(capacity: 2 * Self.rows)
    ranges.initialize(repeating: 0, count: 2 * Self.rows)
    rowSize = flatSize + laneSize + sumSize
    converted = memory
    var next = memory + convertedSize
    for row in 0..<Self.rows {
      flat.advanced(by: row).initialize(to: UnsafeRawPointer(next))
      lanes.advanced(by: row).initialize(to: UnsafeRawPointer(isFour ? next : next + flatSize))
      sums.advanced(by: row).initialize(to: next + flatSize + laneSize)
      next += rowSize
    }
    quads = next
  }

  deinit {
    flat.deallocate()
    lanes.deallocate()
    sums.deallocate()
    sources.deallocate()
    ranges.deallocate()
    memory.deallocate()
  }
}
