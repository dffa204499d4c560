import ImageCore

/// A nearly level straight line across a picture, between a lighter and a darker part.
///
/// The picture is divided into 16 vertical strips. A line is a horizon if, in nearly all strips, the luma above the
/// line differs from that below it, always with the same sign. Tilts of up to 3 degrees are tried.
struct Horizon {
  /// The height of the line at the horizontal centre, as a share of the picture's height from the top.
  let height: Double

  private static let strips = 16
  /// The number of strips that may deviate, because something hides the horizon there.
  private static let covered = 3
  /// The minimum difference of luma in one strip, and the minimum mean difference of the strips; luma is from 0 to 1.
  private static let (leastStep, leastMean) = (0.04, 0.08)
  /// The maximum standard deviation of the strips' differences, as a share of their mean. Along a row of objects, which
  /// is no horizon, differences vary more.
  private static let mostSpread = 0.5

  /// Finds the clearest horizon; nil if there is none, or if the picture is smaller than 32 x 24.
  ///
  /// - Parameter luma: the luma from 0 to 1, row by row.
  init?(_ luma: [Double], width: Int) {
    let rows = luma.count / width
    guard width >= 2 * Self.strips, rows >= 24 else { return nil }
    let reach = max(2, rows / 24)
    let steps = Self.steps(luma, width, rows, reach)
    let tilt = max(1, width / 40)
    var best: (clarity: Double, row: Int)?
    for row in rows / 12...rows - rows / 12 {
      for rise in -tilt...tilt {
        guard let clarity = Self.clarity(steps, row, rise, reach..<rows - reach + 1) else { continue }
        if clarity > best?.clarity ?? 0 { best = (clarity, row) }
      }
    }
    guard let best else { return nil }
    height = Double(best.row) / Double(rows)
  }

  /// Returns, for each strip and each boundary between rows, the mean luma of the `reach` rows below the boundary minus
  /// that of the `reach` rows above it; 0 where there are fewer rows.
  private static func steps(_ luma: [Double], _ width: Int, _ rows: Int, _ reach: Int) -> [[Double]] {
    (0..<strips).map { strip in
      let columns = strip * width / strips..<(strip + 1) * width / strips
      var sums = [0.0]
      for row in 0..<rows {
        let sum = columns.reduce(0.0) { $0 + luma[row * width + $1] }
        sums.append(sums[row] + sum / Double(columns.count))
      }
      return (0...rows).map { row in
        guard row >= reach, row + reach <= rows else { return 0 }
        return (sums[row + reach] - 2 * sums[row] + sums[row - reach]) / Double(reach)
      }
    }
  }

  /// Returns the magnitude of the summed differences along a line, without strips that deviate; nil if the line is not
  /// a horizon.
  ///
  /// - Parameters:
  ///   - row: the line's height at the horizontal centre.
  ///   - rise: the number of rows by which the line is lower at the right edge than at the centre.
  private static func clarity(_ all: [[Double]], _ row: Int, _ rise: Int, _ valid: Range<Int>) -> Double? {
    var steps: [Double] = []
    for (strip, column) in all.enumerated() {
      let place = row + Int((Double(rise) * (Double(2 * strip + 1) / Double(strips) - 1)).rounded())
      guard valid.contains(place) else { return nil }
      steps.append(column[place])
    }
    let lighter = steps.filter { $0 >= leastStep }
    let darker = steps.filter { $0 <= -leastStep }
    let agreeing = lighter.count > darker.count ? lighter : darker
    guard agreeing.count >= strips - covered else { return nil }
    let count = Double(agreeing.count)
    let mean = abs(agreeing.reduce(0, +)) / count
    let spread = (agreeing.reduce(0) { $0 + (abs($1) - mean) * (abs($1) - mean) } / count).squareRoot()
    guard mean >= leastMean, spread <= mostSpread * mean else { return nil }
    return mean * count
  }
}
