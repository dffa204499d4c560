/// How a picture with restart markers is divided: bands of rows of MCUs, decoded one after another, each of
/// several parts, which workers decode side by side.
struct BandPlan: Equatable {
  /// Rows of MCUs of a part; fewer in the last.
  let rowsPerPart: Int
  /// Of a band, at least 2.
  let parts: Int

  /// Whether parts begin within segments, whose MCUs before them are passed over.
  let passesOver: Bool

  var rowsPerBand: Int { rowsPerPart * parts }

  /// Bytes of samples of a band, at most, unless two rows of MCUs have more.
  private static let mostBytes = 2 << 20
  /// Parts for each worker, so that one that is held up does not hold up the others for long.
  private static let partsPerWorker = 4
  private static let mostParts = 64

  /// Nil where one worker is as good: no restart markers or too few, a small picture, no other workers.
  ///
  /// - Parameter mcuRows: rows of MCUs that will be decoded.
  init?(_ geometry: FrameGeometry, mcuRows: Int, restartInterval: Int, workers: DecodingWorkers) {
    guard restartInterval > 0, workers.count > 1 else { return nil }
    let blocks =
      geometry.mcusAcross * geometry.components.reduce(0) { $0 + $1.across * $1.down }
    guard mcuRows * blocks >= 4 * workers.blocksAtOnce else { return nil }
    // For a last part as large as the others where there is but one band.
    let fair = max(1, mcuRows / (2 * workers.count))
    let wanted = min(fair, (workers.blocksAtOnce + blocks - 1) / blocks)
    guard
      let rows = Self.aligned(
        wanted, most: fair, mcusAcross: geometry.mcusAcross, restartInterval: restartInterval)
    else { return nil }
    let bytes =
      geometry.mcusAcross
      * geometry.components.reduce(0) {
        $0 + $1.across * $1.down * $1.blockSize * $1.blockSize
      }
    let most = min(Self.partsPerWorker * workers.count, Self.mostParts)
    rowsPerPart = rows
    passesOver = rows * geometry.mcusAcross % restartInterval != 0
    parts = min(max(2, Self.mostBytes / (rows * bytes)), most, (mcuRows + rows - 1) / rows)
    guard parts > 1 else { return nil }
  }

  /// Rows of a part, so that it begins with a segment or little has to be passed over before it; nil where
  /// segments are too long for that.
  private static func aligned(_ wanted: Int, most: Int, mcusAcross: Int, restartInterval: Int)
    -> Int?
  {
    let period = restartInterval / divisor(restartInterval, mcusAcross)
    let even = (wanted + period - 1) / period * period
    if even <= max(most, 2 * wanted) { return even }
    // On average half a segment is passed over.
    return restartInterval * 8 <= wanted * mcusAcross ? wanted : nil
  }

  /// Euclid's greatest common divisor.
  private static func divisor(_ first: Int, _ second: Int) -> Int {
    var (a, b) = (first, second)
    while b > 0 { (a, b) = (b, a % b) }
    return a
  }
}
