/// The part of a frame that is decoded to samples; of the rest, only bits are passed over.
struct FrameWindow {
  /// In pixels of the result.
  let columns: Range<Int>
  let rows: Range<Int>
  /// MCUs whose samples are needed: those of the part, and of the chrominance beside it that a filter mixes
  /// in.
  let mcuColumns: Range<Int>
  let firstMCURow: Int
  /// Rows of MCUs that are read, from the first of the picture on.
  let endMCURow: Int
  /// Of chrominance that is half as wide: the samples to double.
  let halves: Range<Int>

  /// - Parameters:
  ///   - columns: of the result, inside the picture, at least one.
  ///   - rows: likewise.
  init(_ geometry: FrameGeometry, columns: Range<Int>, rows: Range<Int>) {
    precondition(
      !columns.isEmpty && columns.lowerBound >= 0 && columns.upperBound <= geometry.width
        && !rows.isEmpty && rows.lowerBound >= 0 && rows.upperBound <= geometry.height,
      "a part lies inside the picture")
    self.columns = columns
    self.rows = rows
    let across = geometry.components[0].across * geometry.components[0].blockSize
    // A filter mixes in the next sample, which is at most two pixels away.
    let reach = 2
    let left = max(columns.lowerBound - reach, 0)
    let right = min(columns.upperBound + reach, geometry.width)
    let end = (right + across - 1) / across
    mcuColumns = left / across..<min(end, geometry.mcusAcross)
    firstMCURow = max(rows.lowerBound - reach, 0) / geometry.rowsPerMCU
    let below = rows.upperBound + (geometry.needsRowBelow ? 1 : 0)
    endMCURow = min((below + geometry.rowsPerMCU - 1) / geometry.rowsPerMCU, geometry.mcusDown)
    // One more on both sides: where the filter begins and ends it takes the sample for its neighbour.
    let chroma = geometry.components.last!.width
    let lastHalf = min((columns.upperBound + 1) / 2 + 1, chroma)
    halves = max(columns.lowerBound / 2 - 1, 0)..<lastHalf
  }

  /// All of it.
  init(_ geometry: FrameGeometry) {
    self.init(geometry, columns: 0..<geometry.width, rows: 0..<geometry.height)
  }
}
