import JPEGTables

/// Decodes MCUs of a scan to samples, one row of them after another, from the beginning or from a restart
/// marker on. Belongs to one worker at a time.
final class ScanDecoder {
  private let geometry: FrameGeometry
  private let window: FrameWindow
  private let restartInterval: Int
  private let input: EntropyBytes
  private let batch: BlockBatch
  private var mcusToRestart = 0
  /// The segment that is decoded; -1 before the first.
  private var segment = -1

  /// - Parameters:
  ///   - tables: those of `BlockBatch.tables`.
  ///   - components: where samples go; they must outlive this object.
  ///   - pieceByteCount: read of the file at once.
  init(
    _ frame: BaselineFrame, _ geometry: FrameGeometry, _ window: FrameWindow,
    tables: [(DCTable, ACTable)], to components: [ComponentRows], kernels: JPEGKernels,
    pieceByteCount: Int, read: @escaping EntropyBytes.Reading
  ) {
    self.geometry = geometry
    self.window = window
    restartInterval = frame.restartInterval
    input = EntropyBytes(at: frame.dataOffset, pieceByteCount: pieceByteCount, read: read)
    batch = BlockBatch(
      frame, geometry, tables: tables, to: components, kernels: kernels, bytes: input.base)
  }

  /// Goes to a segment and passes over its first MCUs; false where these are damaged.
  func start(at place: SegmentPlace) -> Bool {
    input.seek(to: place.offset)
    segment = place.segment - 1
    guard beginSegment() else { return false }
    batch.skips = true
    var left = place.mcusBefore
    while left > 0 {
      let count = min(batch.capacity, left)
      guard decodeBatch(count) else { return false }
      left -= count
    }
    return input.isWithin(batch.state)
  }

  /// Decodes a row of MCUs; false at what is not usual.
  ///
  /// - Parameters:
  ///   - row: of the picture, the one after that decoded before.
  ///   - place: of the components' band.
  func decodeRow(_ row: Int, to place: Int) -> Bool {
    var mcu = 0
    while mcu < geometry.mcusAcross {
      if mcusToRestart == 0, !nextSegment() { return false }
      let (isNeeded, end) = stretch(of: row, at: mcu)
      batch.skips = !isNeeded
      let count = min(batch.capacity, end - mcu, mcusToRestart)
      guard decodeBatch(count) else { return false }
      if isNeeded { batch.transform(count, at: mcu, of: place) }
      mcu += count
    }
    return input.isWithin(batch.state)
  }

  /// Whether the end of image marker follows.
  func endsImage() -> Bool { input.endsImage(&batch.state) }

  private func decodeBatch(_ count: Int) -> Bool {
    var done = 0
    while done < count {
      let decoded = batch.decode(done, count - done)
      guard decoded >= 0 else { return false }
      done += decoded
      if done < count, !input.more(&batch.state) { return false }
    }
    mcusToRestart -= count
    return true
  }

  /// Whether samples of an MCU are needed, and where that changes.
  private func stretch(of row: Int, at mcu: Int) -> (isNeeded: Bool, end: Int) {
    let needed = window.mcuColumns
    if row < window.firstMCURow || mcu >= needed.upperBound { return (false, geometry.mcusAcross) }
    return mcu < needed.lowerBound ? (false, needed.lowerBound) : (true, needed.upperBound)
  }

  /// Begins the scan, or what follows the restart marker that must be next (T.81, F.2.2.4 and E.2.4).
  private func nextSegment() -> Bool {
    if segment >= 0 {
      guard input.marker(after: &batch.state) == RestartMarkers.marker(after: segment)
      else { return false }
    }
    return beginSegment()
  }

  private func beginSegment() -> Bool {
    segment += 1
    batch.resetPredictions()
    mcusToRestart = restartInterval > 0 ? restartInterval : Int.max
    return input.startSegment(&batch.state)
  }
}
