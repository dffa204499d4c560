/// The part of a frame that is decoded to samples. The remaining bits are skipped.
struct FrameWindow {
  /// The columns of the result in pixels.
  let columns: Range<Int>
  let rows: Range<Int>
  /// The MCUs whose samples are needed: those of the part, and neighbours whose chrominance the filter reads.
  let mcuColumns: Range<Int>
  let firstMCURow: Int
  /// The end of the MCU rows that are read, counted from the picture's first row.
  let endMCURow: Int
  /// The samples to double, for chrominance with half the width.
  let halves: Range<Int>

  /// - Parameters:
  ///   - columns: columns of the result inside the picture, at least one.
  ///   - rows: rows of the result inside the picture, at least one.
  init(_ geometry: FrameGeometry, columns: Range<Int>, rows: Range<Int>) {
    precondition(
      !columns.isEmpty && columns.lowerBound >= 0 && columns.upperBound <= geometry.width && !rows.isEmpty
        && rows.lowerBound >= 0 && rows.upperBound <= geometry.height, "a part lies inside the picture")
    self.columns = columns
    self.rows = rows
    let across = geometry.components[0].horizontalSampling * geometry.components[0].blockSize
    // The filter reads the next sample, which is at most two pixels away.
    let reach = 2
    let left = max(columns.lowerBound - reach, 0)
    let right = min(columns.upperBound + reach, geometry.width)
    let end = (right + across - 1) / across
    mcuColumns = left / across..<min(end, geometry.mcusAcross)
    firstMCURow = max(rows.lowerBound - reach, 0) / geometry.rowsPerMCU
    let below = rows.upperBound + (geometry.needsRowBelow ? 1 : 0)
    endMCURow = min((below + geometry.rowsPerMCU - 1) / geometry.rowsPerMCU, geometry.mcusDown)
    // One more sample on both sides, because the filter repeats its first and last samples as their neighbours.
    let chroma = geometry.components.last!.width
    let lastHalf = min((columns.upperBound + 1) / 2 + 1, chroma)
    halves = max(columns.lowerBound / 2 - 1, 0)..<lastHalf
  }

  /// Creates the window of the whole frame.
  init(_ geometry: FrameGeometry) {
    self.init(geometry, columns: 0..<geometry.width, rows: 0..<geometry.height)
  }
}
