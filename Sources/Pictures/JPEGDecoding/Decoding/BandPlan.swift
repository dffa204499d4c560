/// The division of a picture with restart markers into bands of MCU rows, which are decoded one after another. Each
/// band is divided into several parts, which workers decode in parallel.
struct BandPlan: Equatable {
  /// The number of MCU rows in a part; the last part may have fewer.
  let rowsPerPart: Int
  /// The number of parts in a band, at least 2; the last band may have fewer.
  let parts: Int

  /// Whether parts may begin inside a restart interval. The earlier MCUs of the interval must then be skipped.
  let passesOver: Bool

  var rowsPerBand: Int { rowsPerPart * parts }

  /// The maximum size of a band's samples in bytes; bands of only two parts may be larger.
  private static let mostBytes = 2 << 20
  /// The maximum number of parts per worker. With several small parts, workers do not wait long for a delayed worker.
  private static let partsPerWorker = 4
  private static let mostParts = 64

  /// Creates a plan; nil if one worker is as fast: if there are no or too few restart markers, if the picture is small,
  /// or if there are no other workers.
  ///
  /// - Parameter mcuRows: the number of MCU rows to decode.
  init?(_ geometry: FrameGeometry, mcuRows: Int, restartInterval: Int, workers: DecodingWorkers) {
    guard restartInterval > 0, workers.count > 1 else { return nil }
    let blocks = geometry.mcusAcross * geometry.blocksPerMCU
    guard mcuRows * blocks >= 4 * workers.blocksAtOnce else { return nil }
    // This is the size with which the whole picture has about two parts per worker.
    let fair = max(1, mcuRows / (2 * workers.count))
    let wanted = min(fair, (workers.blocksAtOnce + blocks - 1) / blocks)
    guard
      let rows = Self.aligned(wanted, most: fair, mcusAcross: geometry.mcusAcross, restartInterval: restartInterval)
    else { return nil }
    let bytes =
      geometry.mcusAcross
      * geometry.components.reduce(0) {
        $0 + $1.blocksPerMCU * $1.blockSize * $1.blockSize
      }
    let most = min(Self.partsPerWorker * workers.count, Self.mostParts)
    rowsPerPart = rows
    passesOver = rows * geometry.mcusAcross % restartInterval != 0
    parts = min(max(2, Self.mostBytes / (rows * bytes)), most, (mcuRows + rows - 1) / rows)
    guard parts > 1 else { return nil }
  }

  /// Returns a number of rows for each part, such that parts begin at restart intervals, or only few MCUs have to be
  /// skipped before them; nil if the intervals are too long for both.
  private static func aligned(_ wanted: Int, most: Int, mcusAcross: Int, restartInterval: Int) -> Int? {
    let period = restartInterval / divisor(restartInterval, mcusAcross)
    let even = (wanted + period - 1) / period * period
    if even <= max(most, 2 * wanted) { return even }
    // On average, half an interval is skipped, which must be little work compared with a part.
    return restartInterval * 8 <= wanted * mcusAcross ? wanted : nil
  }

  /// Returns the greatest common divisor, by Euclid's algorithm.
  private static func divisor(_ first: Int, _ second: Int) -> Int {
    var (a, b) = (first, second)
    while b > 0 { (a, b) = (b, a % b) }
    return a
  }
}

/// A decoder of a scan, which decodes MCU rows to the samples of the components.
protocol BandDecoder: AnyObject {
  /// The maximum number of MCU rows in a band.
  var rowsPerBand: Int { get }
  /// Decodes the next MCU rows. Returns false for anything unusual; it must then not be called again.
  func decode(_ rows: Range<Int>) -> Bool
  /// Returns whether the end of image marker (EOI) follows. Called after the last row.
  func endsImage() -> Bool
}

extension ScanDecoder: BandDecoder {
  var rowsPerBand: Int { 1 }
  func decode(_ rows: Range<Int>) -> Bool { decodeRow(rows.lowerBound, to: 0) }
}
