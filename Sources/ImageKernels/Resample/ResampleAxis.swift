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
    // Samples that fall on samples are copies: all kernels but Mitchell's are 0 at whole distances.
    let aligned = step == 1 && start == start.rounded() && kernel != .mitchell
    let copies = kernel == .nearest || aligned
    let reach = copies ? 0 : kernel.radius * scale
    let taps = min(sourceCount, Int((2 * reach).rounded(.up)) + 1)
    var starts = [Int](repeating: 0, count: count)
    var tapCounts = starts
    var weights = [Double](repeating: 0, count: count * taps)
    var window: [Double] = []
    let repetition = Repetition(start: start, length: length, count: count)
    for index in 0..<count {
      if let earlier = repetition.earlier(index), tapCounts[earlier] > 1 {
        let first = starts[earlier] + repetition.sources
        let isWhole = starts[earlier] > 0 && first + tapCounts[earlier] < sourceCount
        if isWhole {
          starts[index] = first
          tapCounts[index] = tapCounts[earlier]
          for k in 0..<tapCounts[index] {
            weights[index * taps + k] = weights[earlier * taps + k]
          }
          continue
        }
      }
      let centre = start + (Double(index) + 0.5) * step
      var first = min(max(Int(centre.rounded(.down)), 0), sourceCount - 1)
      window.removeAll(keepingCapacity: true)
      if copies {
        window.append(1)
      } else {
        first = max(0, Int((centre - reach - 0.5).rounded(.up)))
        let last = min(sourceCount - 1, Int((centre + reach - 0.5).rounded(.down)))
        for x in first...last {
          window.append(kernel.weight((Double(x) + 0.5 - centre) / scale))
        }
      }
      let sum = window.reduce(0, +)
      starts[index] = first
      tapCounts[index] = window.count
      for (k, weight) in window.enumerated() { weights[index * taps + k] = weight / sum }
    }
    self.count = count
    self.starts = starts
    self.tapCounts = tapCounts
    self.taps = taps
    self.weights = weights
  }

  /// The source samples that target samples `range`, at least one, are made of. First and last samples
  /// never go back from one target sample to the next.
  func sources(of range: Range<Int>) -> Range<Int> {
    let last = range.upperBound - 1
    return starts[range.lowerBound]..<starts[last] + tapCounts[last]
  }

  /// The largest sum of absolute weights of any target sample: how far it can overshoot.
  var gain: Double {
    (0..<count).reduce(0) { most, index in
      max(most, weights[index * taps..<(index + 1) * taps].reduce(0) { $0 + $1.magnitude })
    }
  }

  var largestWeight: Double { weights.reduce(0) { max($0, $1.magnitude) } }
}

/// After how many target samples the weights of an axis come round again: every third one for 10 source
/// samples to 3, as the places of the two grids then differ by whole samples only.
private struct Repetition {
  /// Target samples from one sample to the next of the same weights; 0 where there is none.
  let targets: Int
  /// Source samples between their windows.
  let sources: Int

  init(start: Double, length: Double, count: Int) {
    guard length == length.rounded(), length < 1e9 else {
      (targets, sources) = (0, 0)
      return
    }
    var (a, b) = (Int(length), count)
    while b > 0 { (a, b) = (b, a % b) }
    (targets, sources) = (count / a, Int(length) / a)
  }

  /// The sample before `index` with the same place among source samples.
  func earlier(_ index: Int) -> Int? {
    targets > 0 && index >= targets ? index - targets : nil
  }
}
