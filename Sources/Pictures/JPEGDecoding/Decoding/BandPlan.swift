/// The division of a picture with restart markers into bands of MCU rows, which are decoded one after another. Each
/// band is divided into several parts, which workers decode in parallel.
struct BandPlan: Equatable {
  /// The number of MCU rows in a part; the last one may have fewer.
  let rowsPerPart: Int
  /// The number of parts in a band, at least 2.
  let parts: Int

  /// Whether parts may begin inside restart intervals, whose earlier MCUs then have to be skipped.
  let passesOver: Bool

  var rowsPerBand: Int { rowsPerPart * parts }

  /// The maximum size of a band's samples in bytes; a band of two MCU rows may exceed it.
  private static let mostBytes = 2 << 20
  /// The number of parts for each worker, high enough that the other workers do not wait long for a delayed one.
  private static let partsPerWorker = 4
  private static let mostParts = 64

  /// Creates a plan; nil if one worker is as fast: no restart markers or too few, a small picture, or no other workers.
  ///
  /// - Parameter mcuRows: the number of MCU rows to decode.
  init?(_ geometry: FrameGeometry, mcuRows: Int, restartInterval: Int, workers: DecodingWorkers) {
    guard restartInterval > 0, workers.count > 1 else { return nil }
    let blocks = geometry.mcusAcross * geometry.blocksPerMCU
    guard mcuRows * blocks >= 4 * workers.blocksAtOnce else { return nil }
    // If there is only one band, this size gives each worker about two parts.
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

  /// Returns a number of rows for each part, such that parts begin at restart intervals or few MCUs have to be skipped
  /// before them; nil if the intervals are too long.
  private static func aligned(_ wanted: Int, most: Int, mcusAcross: Int, restartInterval: Int) -> Int? {
    let period = restartInterval / divisor(restartInterval, mcusAcross)
    let even = (wanted + period - 1) / period * period
    if even <= max(most, 2 * wanted) { return even }
    // On average, half an interval has to be skipped.
    return restartInterval * 8 <= wanted * mcusAcross ? wanted : nil
  }

  /// Returns the greatest common divisor, by Euclid's algorithm.
  private static func divisor(_ first: Int, _ second: Int) -> Int {
    var (a, b) = (first, second)
    while b > 0 { (a, b) = (b, a % b) }
    return a
  }
}

/// Decodes a scan's rows of MCUs into the components' band.
protocol BandDecoder: AnyObject {
  /// The maximum number of MCU rows in a band.
  var rowsPerBand: Int { get }
  /// Decodes the next rows of MCUs. Returns false for anything unusual, after which it must not be called again.
  func decode(_ rows: Range<Int>) -> Bool
  /// Whether the end of image marker (EOI) follows. Called after the last row.
  func endsImage() -> Bool
}

extension ScanDecoder: BandDecoder {
  var rowsPerBand: Int { 1 }
  func decode(_ rows: Range<Int>) -> Bool { decodeRow(rows.lowerBound, to: 0) }
}
