import JPEGTables

/// The data that all decoders of one scan share.
struct ScanSetup {
  let frame: BaselineFrame
  let geometry: FrameGeometry
  let window: FrameWindow
  /// The tables of each component, from `BlockBatch.tables`.
  let tables: [(DCTable, ACTable)]
  /// The memory for the samples, which must outlive all decoders.
  let components: [ComponentRows]
  let kernels: JPEGKernels
}

/// Decodes the MCUs of a scan to samples, row by row, from the start of the scan or from a restart marker. A decoder is
/// used by one worker at a time.
final class ScanDecoder {
  private let geometry: FrameGeometry
  private let window: FrameWindow
  private let restartInterval: Int
  private let input: EntropyBytes
  private let batch: BlockBatch
  private var mcusToRestart = 0
  /// The index of the current restart interval; -1 before the first one.
  private var segment = -1

  /// - Parameters:
  ///   - pieceByteCount: the number of bytes to read from the file at once.
  ///   - read: see `EntropyBytes.Reading`.
  init(_ setup: ScanSetup, pieceByteCount: Int, read: @escaping EntropyBytes.Reading) {
    geometry = setup.geometry
    window = setup.window
    restartInterval = setup.frame.restartInterval
    input = EntropyBytes(at: setup.frame.dataOffset, pieceByteCount: pieceByteCount, read: read)
    batch = BlockBatch(setup, bytes: input.base)
  }

  /// Seeks to a restart interval and skips its first MCUs. Returns false if they are damaged or cannot be read.
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

  /// Decodes an MCU row. Returns false for anything unusual.
  ///
  /// - Parameters:
  ///   - row: the index of the MCU row in the picture, which must follow that of the previous call.
  ///   - place: the MCU row of the band to which the samples are written.
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

  /// Returns whether the samples of an MCU are needed, and the index after the last MCU of the row for which the answer
  /// is the same.
  private func stretch(of row: Int, at mcu: Int) -> (isNeeded: Bool, end: Int) {
    let needed = window.mcuColumns
    if row < window.firstMCURow || mcu >= needed.upperBound { return (false, geometry.mcusAcross) }
    return mcu < needed.lowerBound ? (false, needed.lowerBound) : (true, needed.upperBound)
  }

  /// Starts the scan, or skips the expected restart marker and starts the next restart interval (T.81, F.2.2.4 and
  /// E.2.4). Returns false if the marker is another one, or if the next bytes cannot be read.
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
