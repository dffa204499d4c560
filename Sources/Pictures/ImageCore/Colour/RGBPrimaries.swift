/// The chromaticities of red, green and blue, for a white point of D65 (x = 0.3127, y = 0.3290).
public struct RGBPrimaries: Sendable, Hashable {
  /// The x and y of red, green and blue, in this order.
  let coordinates: [Double]

  /// ITU-R BT.709-6, the primaries of sRGB.
  public static let rec709 = RGBPrimaries(coordinates: [0.640, 0.330, 0.300, 0.600, 0.150, 0.060])
  /// ITU-R BT.2020-2 and BT.2100-2.
  public static let rec2020 = RGBPrimaries(coordinates: [0.708, 0.292, 0.170, 0.797, 0.131, 0.046])
  /// SMPTE EG 432-1, the primaries of Display P3.
  public static let displayP3 = RGBPrimaries(coordinates: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060])

  /// - Parameter code: the colour primaries of ITU-T H.273, table 2. The result is nil for primaries with another white
  ///   point, for reserved codes, and for 2 (unspecified).
  public init?(code: Int) {
    switch code {
    case 1: self = .rec709
    case 5: self.init(coordinates: [0.640, 0.330, 0.290, 0.600, 0.150, 0.060])
    case 6, 7: self.init(coordinates: [0.630, 0.340, 0.310, 0.595, 0.155, 0.070])
    case 9: self = .rec2020
    case 12: self = .displayP3
    case 22: self.init(coordinates: [0.630, 0.340, 0.295, 0.605, 0.155, 0.077])
    default: return nil
    }
  }

  init(coordinates: [Double]) { self.coordinates = coordinates }

  /// The matrix whose columns are the XYZ of red, green and blue, as a list of rows; the luminance of white is 1.
  private var matrix: [[Double]] {
    func xyz(_ x: Double, _ y: Double) -> [Double] { [x / y, 1, (1 - x - y) / y] }
    let columns = (0..<3).map { xyz(coordinates[2 * $0], coordinates[2 * $0 + 1]) }
    let unscaled = (0..<3).map { row in columns.map { $0[row] } }
    let scales = Self.times(Self.inverse(unscaled), xyz(0.3127, 0.3290).map { [$0] }).map { $0[0] }
    return unscaled.map { zip($0, scales).map { $0 * $1 } }
  }

  /// The share of each band in the luminance of a pixel.
  public var luminance: [Double] { matrix[1] }

  /// Returns the matrix from light with these primaries to light with others, as nine numbers, row by row.
  public func matrix(to other: RGBPrimaries) -> [Double] {
    if self == other { return [1, 0, 0, 0, 1, 0, 0, 0, 1] }
    return Self.times(Self.inverse(other.matrix), matrix).flatMap { $0 }
  }

  private static func times(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
    a.map { row in b[0].indices.map { column in (0..<3).reduce(0.0) { $0 + row[$1] * b[$1][column] } } }
  }

  private static func inverse(_ m: [[Double]]) -> [[Double]] {
    func minor(_ row: Int, _ column: Int) -> Double {
      let (r, s) = ((row + 1) % 3, (row + 2) % 3)
      let (c, d) = ((column + 1) % 3, (column + 2) % 3)
      return m[r][c] * m[s][d] - m[r][d] * m[s][c]
    }
    let determinant = (0..<3).reduce(0.0) { $0 + m[0][$1] * minor(0, $1) }
    return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
  }
}

/// The colours of full red, green and blue, adapted to D50, the white of ICC profiles.
struct RGBColorants {
  /// The X, Y and Z of red, green and blue, in this order; the luminance of white is 1.
  let xyz: [[Double]]
  /// The matrix from the original white to D50, row by row. `xyz` already includes this adaptation.
  let adaptation: [Double]

  /// The x and y of D65, the white of screens.
  static let d65 = [0.3127, 0.3290]

  /// Makes colorants; nil for unusable numbers, and for primaries that cannot form white, because they lie on a line or
  /// their triangle does not contain white.
  ///
  /// - Parameter primaries: the x and y of red, green and blue, in this order.
  init?(_ primaries: [Double], white: [Double]) {
    let isFinite = (primaries + white).allSatisfy { $0.magnitude <= 2 }
    guard primaries.count == 6, white.count == 2, isFinite, [1, 3, 5].allSatisfy({ primaries[$0] > 0 }),
      white[0] > 0.01, white[1] > 0.01, white[0] + white[1] < 1
    else { return nil }
    func light(_ x: Double, _ y: Double) -> [Double] { [x / y, 1, (1 - x - y) / y] }
    let columns = (0..<3).map { light(primaries[2 * $0], primaries[2 * $0 + 1]) }
    let wanted = light(white[0], white[1])
    guard let scales = Self.solve(columns, wanted), scales.allSatisfy({ $0 > 0 && $0 < 1e3 }) else { return nil }
    let adaptation = white == Self.d65 ? Self.fromD65 : Self.adaptation(from: wanted)
    xyz = zip(columns, scales).map { column, scale in Self.times(adaptation, column.map { $0 * scale }) }
    self.adaptation = adaptation
    guard xyz.joined().allSatisfy({ $0.magnitude < 8 }) else { return nil }
  }

  /// Bradford's matrix from D65 to D50, row by row, with the numbers of the ICC's profiles.
  private static let fromD65 = [
    1.0478112, 0.0228866, -0.0501270, 0.0295424, 0.9904844, -0.0170491, -0.0092345, 0.0150436, 0.7521316,
  ]

  /// Returns Bradford's matrix from a white to D50 (ICC.1:2022, E.3).
  private static func adaptation(from white: [Double]) -> [Double] {
    let cones = [0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296]
    let back = [0.9869929, -0.1470543, 0.1599627, 0.4323053, 0.5183603, 0.0492912, -0.0085287, 0.0400428, 0.9684867]
    let (from, to) = (times(cones, white), times(cones, [0.9642, 1, 0.8249]))
    let scaled: [Double] = (0..<9).map { cones[$0] * to[$0 / 3] / from[$0 / 3] }
    let columns: [[Double]] = (0..<3).map { times(back, [scaled[$0], scaled[3 + $0], scaled[6 + $0]]) }
    return (0..<9).map { columns[$0 % 3][$0 / 3] }
  }

  private static func times(_ matrix: [Double], _ column: [Double]) -> [Double] {
    (0..<3).map { row -> Double in
      let values = matrix[3 * row..<3 * row + 3]
      return zip(values, column).reduce(0) { sum, pair in sum + pair.0 * pair.1 }
    }
  }

  /// Solves a system of three equations with Cramer's rule. Returns nil if there is no unique solution.
  private static func solve(_ columns: [[Double]], _ right: [Double]) -> [Double]? {
    func determinant(_ a: [Double], _ b: [Double], _ c: [Double]) -> Double {
      a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
    }
    let whole = determinant(columns[0], columns[1], columns[2])
    guard whole.magnitude > 1e-6 else { return nil }
    return [
      determinant(right, columns[1], columns[2]) / whole, determinant(columns[0], right, columns[2]) / whole,
      determinant(columns[0], columns[1], right) / whole,
    ]
  }
}
