import Synchronization

/// A position at which decoding can start: a restart interval, and the number of its MCUs to skip.
struct SegmentPlace {
  let segment: Int
  /// The offset of the interval's first byte in the file.
  let offset: Int
  let mcusBefore: Int
}

/// Decodes bands of a scan with restart markers on several workers.
///
/// While the parts of a band are decoded, the restart markers before the parts of the next band are located. The
/// decoder is called by one worker at a time, and hands parts to other workers.
final class SharedScanDecoder: BandDecoder {
  let rowsPerBand: Int
  private let plan: BandPlan
  private let mcusAcross: Int
  private let restartInterval: Int
  private let mcuRows: Int
  private let workers: DecodingWorkers
  /// One decoder for each part.
  private let decoders: [ScanDecoder]
  private let markers: RestartMarkers
  /// The start positions of the next band's parts; incomplete if a marker is missing or wrong.
  private var places: [SegmentPlace] = []
  /// The decoder that has decoded the last rows.
  private var lastDecoder: ScanDecoder

  /// - Parameters:
  ///   - mcuRows: the number of MCU rows to decode.
  ///   - makeDecoder: creates the decoder of a part.
  init(
    _ frame: BaselineFrame, _ geometry: FrameGeometry, plan: BandPlan, mcuRows: Int,
    workers: DecodingWorkers, read: @escaping EntropyBytes.Reading,
    makeDecoder: () -> ScanDecoder
  ) {
    self.plan = plan
    self.workers = workers
    self.mcuRows = mcuRows
    rowsPerBand = plan.rowsPerBand
    mcusAcross = geometry.mcusAcross
    restartInterval = frame.restartInterval
    markers = RestartMarkers(at: frame.dataOffset, read: read)
    decoders = (0..<plan.parts).map { _ in makeDecoder() }
    lastDecoder = decoders[0]
    places = findPlaces(from: 0)
  }

  func decode(_ rows: Range<Int>) -> Bool {
    let parts = self.parts(from: rows.lowerBound)
    guard places.count == parts.count else { return false }
    let hasFailed = Atomic<Bool>(false)
    // `nonisolated(unsafe)` is safe here: only index 0 writes `found` and uses `markers`, every other index has its own
    // decoder and rows, and `parallelFor` returns after all workers.
    nonisolated(unsafe) let scan = self
    nonisolated(unsafe) var found: [SegmentPlace] = []
    workers.parallelFor(parts.count + 1) { index in
      if index == 0 {
        found = scan.findPlaces(from: rows.upperBound)
      } else if !hasFailed.load(ordering: .relaxed),
        !scan.decode(parts[index - 1], index - 1, bandStart: rows.lowerBound)
      {
        hasFailed.store(true, ordering: .relaxed)
      }
    }
    places = found
    lastDecoder = decoders[parts.count - 1]
    return !hasFailed.load(ordering: .relaxed)
  }

  func endsImage() -> Bool { lastDecoder.endsImage() }

  private func decode(_ rows: Range<Int>, _ part: Int, bandStart: Int) -> Bool {
    let decoder = decoders[part]
    return decoder.start(at: places[part]) && rows.allSatisfy { decoder.decodeRow($0, to: $0 - bandStart) }
  }

  /// Returns the parts of the band that begins with an MCU row.
  private func parts(from first: Int) -> [Range<Int>] {
    let end = min(first + plan.rowsPerBand, mcuRows)
    return stride(from: first, to: end, by: plan.rowsPerPart).map {
      $0..<min($0 + plan.rowsPerPart, end)
    }
  }

  private func findPlaces(from row: Int) -> [SegmentPlace] {
    var places: [SegmentPlace] = []
    for part in parts(from: row) {
      let (segment, mcus) = (part.lowerBound * mcusAcross).quotientAndRemainder(dividingBy: restartInterval)
      guard let offset = markers.offset(of: segment) else { break }
      places.append(SegmentPlace(segment: segment, offset: offset, mcusBefore: mcus))
    }
    return places
  }
}

/// The workers that may help a decoder if the file has restart markers.
package struct DecodingWorkers: Sendable {
  /// A function that calls a body once for each index below a count, on any worker and in any order, and returns after
  /// all calls.
  package typealias ParallelFor =
    @Sendable (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

  let count: Int
  let blocksAtOnce: Int
  let parallelFor: ParallelFor

  /// - Parameters:
  ///   - count: the number of workers including the caller's, at least 1.
  ///   - blocksAtOnce: the number of blocks below which work is not handed to another worker; 4096 blocks take 0.1 to
  ///     0.7 ms.
  package init(count: Int, blocksAtOnce: Int = 4096, parallelFor: @escaping ParallelFor) {
    precondition(count > 0 && blocksAtOnce > 0)
    self.count = count
    self.blocksAtOnce = blocksAtOnce
    self.parallelFor = parallelFor
  }
}
