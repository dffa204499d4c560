/// The chromaticities of red, green and blue, for a white point of D65 (x = 0.3127, y = 0.3290).
public struct RGBPrimaries: Sendable, Hashable {
  /// x and y of red, of green, then of blue.
  let coordinates: [Double]

  /// ITU-R BT.709-6, the primaries of sRGB.
  public static let rec709 = RGBPrimaries(coordinates: [0.640, 0.330, 0.300, 0.600, 0.150, 0.060])
  /// ITU-R BT.2020-2 and BT.2100-2.
  public static let rec2020 = RGBPrimaries(coordinates: [0.708, 0.292, 0.170, 0.797, 0.131, 0.046])
  /// SMPTE EG 432-1, the primaries of Display P3.
  public static let displayP3 = RGBPrimaries(coordinates: [0.680, 0.320, 0.265, 0.690, 0.150, 0.060])

  /// - Parameter code: the colour primaries of ITU-T H.273, table 2. The result is nil for those with another white
  ///   point, for reserved ones, and for 2 (unspecified).
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

  /// The XYZ of red, green and blue as the columns of a matrix, row by row; the luminance of white is 1.
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
