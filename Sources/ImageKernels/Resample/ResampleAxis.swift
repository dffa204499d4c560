/// Which source samples make each target sample along one axis, and how much each counts.
///
/// Target sample `i` has its centre at `box.start + (i + 0.5) box.length / count` of the source, where
/// sample `x` has its centre at `x + 0.5`. When shrinking, the kernel is widened by the factor, so that
/// it is antialiased (as Pillow's and libvips' are). Samples outside the source do not exist: weights
/// of those inside are scaled to a sum of 1.
struct ResampleAxis: Sendable {
  /// Target samples.
  let count: Int
  /// The first source sample of each target sample.
  let starts: [Int]
  /// How many source samples each target sample has.
  let tapCounts: [Int]
  /// The most of those.
  let taps: Int
  /// `count` rows of `taps` weights, zeros at the end.
  let weights: [Double]

  /// - Parameters:
  ///   - sourceCount: samples there are.
  ///   - start: where the part that is to be resampled begins, in samples, fractions allowed.
  ///   - length: its length, above 0.
  ///   - count: target samples it becomes.
  init(sourceCount: Int, start: Double, length: Double, count: Int, kernel: ResampleKernel) {
    precondition(sourceCount > 0 && count > 0 && length > 0)
    let step = length / Double(count)
    let scale = max(1, step)
    let reach = kernel == .nearest ? 0 : kernel.radius * scale
    let taps = min(sourceCount, Int((2 * reach).rounded(.up)) + 1)
    var starts = [Int](repeating: 0, count: count)
    var tapCounts = starts
    var weights = [Double](repeating: 0, count: count * taps)
    var window: [Double] = []
    for index in 0..<count {
      let centre = start + (Double(index) + 0.5) * step
      let nearest = min(max(Int(centre.rounded(.down)), 0), sourceCount - 1)
      var first = nearest
      window.removeAll(keepingCapacity: true)
      if kernel == .nearest {
        window.append(1)
      } else {
        first = max(0, Int((centre - reach - 0.5).rounded(.up)))
        let last = min(sourceCount - 1, Int((centre + reach - 0.5).rounded(.down)))
        for x in stride(from: first, through: last, by: 1) {
          window.append(kernel.weight((Double(x) + 0.5 - centre) / scale))
        }
      }
      first += Self.trim(&window)
      let sum = window.reduce(0, +)
      if window.isEmpty || sum <= 0 {
        first = nearest
        window = [1]
      } else {
        for k in window.indices { window[k] /= sum }
      }
      starts[index] = first
      tapCounts[index] = window.count
      for (k, weight) in window.enumerated() { weights[index * taps + k] = weight }
    }
    self.count = count
    self.starts = starts
    self.tapCounts = tapCounts
    self.taps = taps
    self.weights = weights
  }

  /// Drops zeros at both ends and returns how many there were at the front.
  private static func trim(_ window: inout [Double]) -> Int {
    while window.last == 0 { window.removeLast() }
    let front = window.firstIndex { $0 != 0 } ?? 0
    window.removeFirst(front)
    return front
  }

  /// The source samples that target samples `range` are made of.
  func sources(of range: Range<Int>) -> Range<Int> {
    var lower = Int.max
    var upper = 0
    for index in range {
      lower = min(lower, starts[index])
      upper = max(upper, starts[index] + tapCounts[index])
    }
    return lower..<max(lower, upper)
  }

  /// The largest sum of absolute weights of any target sample: how far it can overshoot.
  var gain: Double {
    (0..<count).reduce(0) { most, index in
      max(most, weights[index * taps..<(index + 1) * taps].reduce(0) { $0 + $1.magnitude })
    }
  }

  var largestWeight: Double { weights.reduce(0) { max($0, $1.magnitude) } }
}
