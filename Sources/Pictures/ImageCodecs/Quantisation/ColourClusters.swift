/// Groups the cells of a histogram around a given number of colours.
///
/// The group with the largest spread is split along its main axis until there are enough groups (Orchard and Bouman,
/// "Color quantization of images", IEEE Transactions on Signal Processing 39, 1991). k-means then refines the colours.
struct ColourClusters {
  private struct Point {
    let colour: SIMD4<Float>
    let weight: Float
    let cell: Int
  }

  private struct Group {
    let range: Range<Int>
    let mean: SIMD4<Float>
    let axis: SIMD4<Float>
    /// The weight times the variance along the main axis.
    let spread: Float
  }

  private let histogram: ColourHistogram
  private let hasAlpha: Bool
  private var points: [Point] = []
  private(set) var colours: [SIMD4<Float>] = []

  init(_ histogram: ColourHistogram, count: Int, hasAlpha: Bool) {
    self.histogram = histogram
    self.hasAlpha = hasAlpha
    points = histogram.cells.enumerated().map {
      Point(colour: $1.mean, weight: Float($1.count), cell: $0)
    }
    split(count)
    for _ in 0..<Self.rounds where move() {}
    snap()
  }

  static func byteCount(pixels: Int, _ hasAlpha: Bool) -> Int {
    ColourHistogram.mostCells(pixels: pixels, hasAlpha) * MemoryLayout<Point>.stride
  }

  /// The number of rounds of k-means; further rounds have little effect.
  private static let rounds = 8

  // MARK: Splitting

  private mutating func split(_ count: Int) {
    var groups = [group(points.indices)]
    while groups.count < count {
      var widest = 0
      for index in groups.indices where groups[index].spread > groups[widest].spread { widest = index }
      let group = groups[widest]
      guard group.spread > 0 else { break }
      // Rounding may put all colours on one side.
      let middle = partition(group)
      guard middle > group.range.lowerBound, middle < group.range.upperBound else {
        groups[widest] = Group(range: group.range, mean: group.mean, axis: group.axis, spread: 0)
        continue
      }
      groups[widest] = self.group(group.range.lowerBound..<middle)
      groups.append(self.group(middle..<group.range.upperBound))
    }
    colours = groups.map(\.mean)
  }

  /// Moves the points beyond a group's mean along its axis to the end of the group. Returns the index of the first
  /// moved point.
  private mutating func partition(_ group: Group) -> Int {
    let limit = (group.mean * group.axis).sum()
    var (low, high) = (group.range.lowerBound, group.range.upperBound)
    while low < high {
      if (points[low].colour * group.axis).sum() <= limit {
        low += 1
      } else {
        high -= 1
        points.swapAt(low, high)
      }
    }
    return low
  }

  private func group(_ range: Range<Int>) -> Group {
    let scale = Quantiser.scale
    var (sum, total) = (SIMD4<Double>(), 0.0)
    for point in points[range] {
      sum += SIMD4<Double>(point.colour) * Double(point.weight)
      total += Double(point.weight)
    }
    let mean = SIMD4<Float>(sum / total)
    // The columns of the covariance matrix.
    var (x, y, z, w) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
    for point in points[range] {
      let d = (point.colour - mean) * scale
      let weighted = d * point.weight
      x += weighted * d.x
      y += weighted * d.y
      z += weighted * d.z
      w += weighted * d.w
    }
    var axis = SIMD4<Float>(x.x, y.y, z.z, w.w)
    var length: Float = 0
    for _ in 0..<12 {
      let largest = axis.max()
      guard largest > 0 || axis.min() < 0 else { return Group(range: range, mean: mean, axis: axis, spread: 0) }
      axis /= (axis * axis).sum().squareRoot()
      axis = x * axis.x + y * axis.y + z * axis.z + w * axis.w
      length = (axis * axis).sum().squareRoot()
    }
    return Group(range: range, mean: mean, axis: axis * scale / max(length, .leastNormalMagnitude), spread: length)
  }

  // MARK: Moving

  /// Moves every colour to the mean of the points nearest to it, which is one round of k-means.
  ///
  /// - Returns: whether a colour changed after rounding.
  private mutating func move() -> Bool {
    var nearest = NearestColour(colours.map(Self.whole), hasAlpha: hasAlpha)
    var sums = [SIMD4<Float>](repeating: SIMD4(), count: colours.count)
    var weights = [Float](repeating: 0, count: colours.count)
    for point in points {
      let index = nearest.index(of: Self.fine(point.colour))
      sums[index] += point.colour * point.weight
      weights[index] += point.weight
    }
    var moved = false
    for index in colours.indices where weights[index] > 0 {
      let mean = sums[index] / weights[index]
      if Self.whole(mean) != Self.whole(colours[index]) { moved = true }
      colours[index] = mean
    }
    return moved
  }

  /// Replaces a palette colour with an exact colour of the picture, such as that of a flat area, if most of the pixels
  /// nearest to the palette colour have the exact one.
  private mutating func snap() {
    var nearest = NearestColour(colours.map(Self.whole), hasAlpha: hasAlpha)
    var weights = [Float](repeating: 0, count: colours.count)
    var heaviest = [Int](repeating: -1, count: colours.count)
    for (index, point) in points.enumerated() {
      let colour = nearest.index(of: Self.fine(point.colour))
      weights[colour] += point.weight
      if heaviest[colour] < 0 || points[heaviest[colour]].weight < point.weight { heaviest[colour] = index }
    }
    for index in colours.indices where heaviest[index] >= 0 {
      let cell = histogram.cells[points[heaviest[index]].cell]
      if Float(cell.votes) * 2 > weights[index] { colours[index] = SIMD4<Float>(cell.candidate) }
    }
  }

  static func whole(_ colour: SIMD4<Float>) -> SIMD4<Int32> { integers(colour + 0.5, 255) }
  private static func fine(_ colour: SIMD4<Float>) -> SIMD4<Int32> { integers(colour * 16 + 0.5, 255 * 16) }

  private static func integers(_ colour: SIMD4<Float>, _ most: Int32) -> SIMD4<Int32> {
    SIMD4(
      min(most, max(0, Int32(colour.x))), min(most, max(0, Int32(colour.y))),
      min(most, max(0, Int32(colour.z))), min(most, max(0, Int32(colour.w))))
  }
}
