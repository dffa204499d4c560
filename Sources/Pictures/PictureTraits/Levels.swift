import ImageCore

/// The distribution of a picture's luma.
struct Levels {
  /// Ascending, from 0 to 1.
  private let sorted: [Double]

  /// - Parameter luma: from 0 to 1; not empty.
  init(_ luma: [Double]) { sorted = luma.sorted() }

  /// Returns the value below which a share of the pixels lies.
  private func level(_ share: Double) -> Double { sorted[Int(share * Double(sorted.count - 1))] }

  /// The exposure from 0 to 1: that of the mean, reduced where more than a quarter of the pixels is black or white.
  ///
  /// The mean counts fully from 0.28 to 0.72, and not at all below 0.04 and above 0.97. If all pixels are black or
  /// white, half of that is left: a night or a screenshot may be meant so.
  var exposure: Double {
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    let light = min(min(max((mean - 0.04) / 0.24, 0), 1), min(max((0.97 - mean) / 0.25, 0), 1))
    let clipped = Double(sorted.count { $0 < 0.03 || $0 > 0.98 }) / Double(sorted.count)
    return light * (1 - 0.5 * max(0, clipped - 0.25) / 0.75)
  }

  /// The contrast from 0 to 1: the distance between the darkest and the lightest twentieth, of which 0.6 is full.
  var contrast: Double { min(1, (level(0.95) - level(0.05)) / 0.6) }
}
