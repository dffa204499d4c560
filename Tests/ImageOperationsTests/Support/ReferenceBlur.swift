import ImageCore
import Platform

/// Gaussian blur in double precision by its definition, up to 7 standard deviations on each side.
struct ReferenceBlur {
  /// The weight of each of `count` samples in a line for each other one. Beyond the ends, the end samples are repeated.
  private let matrix: [[Double]]

  init(count: Int, sigma: Double) {
    let radius = max(1, Int((7 * sigma).rounded(.up)))
    let weights = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = weights.reduce(0, +)
    matrix = (0..<count).map { place in
      var row = [Double](repeating: 0, count: count)
      for (index, weight) in weights.enumerated() {
        row[max(0, min(count - 1, place + index - radius))] += weight / sum
      }
      return row
    }
  }

  func callAsFunction(_ line: [Double]) -> [Double] {
    matrix.map { weights in
      var sum = 0.0
      for index in 0..<line.count { sum += weights[index] * line[index] }
      return sum
    }
  }

  /// Both directions, over numbers by row.
  static func blur(_ plane: [[Double]], sigma: Double) -> [[Double]] {
    let across = ReferenceBlur(count: plane[0].count, sigma: sigma)
    let down = ReferenceBlur(count: plane.count, sigma: sigma)
    let rows = plane.map { across($0) }
    let columns = rows[0].indices.map { x in down(rows.map { $0[x] }) }
    return rows.indices.map { y in columns.map { $0[y] } }
  }
}

extension Picture {
  /// One band as numbers by row.
  func plane(_ value: (Int, Int) -> Double) -> [[Double]] {
    (0..<height).map { y in (0..<width).map { x in value(x, y) } }
  }
}
