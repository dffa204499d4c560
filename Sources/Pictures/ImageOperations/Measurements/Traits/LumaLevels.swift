import ImageCore

/// The distribution of a picture's luma.
struct LumaLevels {
  private static let steps = 1024
  private let luma: [Double]
  /// The number of pixels in each of `steps` equal ranges of luma.
  private let counts: [Int]

  /// - Parameter luma: the luma from 0 to 1; not empty.
  init(_ luma: [Double]) {
    self.luma = luma
    var counts = [Int](repeating: 0, count: Self.steps)
    for value in luma { counts[min(Self.steps - 1, Int(value * Double(Self.steps)))] += 1 }
    self.counts = counts
  }

  /// Returns the luma that a given share of the pixels, from 0 to 1, is at or below; rounded to a step.
  private func level(_ share: Double) -> Double {
    var left = Int(share * Double(luma.count - 1))
    let step = counts.firstIndex { count in
      left -= count
      return left < 0
    }
    return Double(step!) / Double(Self.steps - 1)
  }

  /// The exposure score from 0 to 1: the score of the mean luma, reduced if more than a quarter of the pixels is black
  /// or white.
  ///
  /// The score of the mean is 1 from 0.28 to 0.72, and 0 below 0.04 and above 0.97. If all pixels are black or white,
  /// the score is only halved, because the picture may be a night scene or a screenshot.
  var exposure: Double {
    let mean = luma.reduce(0, +) / Double(luma.count)
    let light = min(min(max((mean - 0.04) / 0.24, 0), 1), min(max((0.97 - mean) / 0.25, 0), 1))
    let clipped = Double(luma.count { $0 < 0.03 || $0 > 0.98 }) / Double(luma.count)
    return light * (1 - 0.5 * max(0, clipped - 0.25) / 0.75)
  }

  /// The contrast score from 0 to 1: the difference between the 95th and the 5th percentile of luma, divided by 0.6,
  /// and at most 1.
  var contrast: Double { min(1, (level(0.95) - level(0.05)) / 0.6) }
}
