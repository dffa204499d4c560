/// The source samples of each target sample along one axis, and their weights.
///
/// Target sample `i` has its centre at `start + (i + 0.5) length / count` of the source, where
/// sample `x` has its centre at `x + 0.5`. When shrinking, the kernel is widened by the factor, so that
/// it is antialiased (as Pillow's and libvips' are). Samples outside the source do not exist: weights
/// of those inside are scaled to a sum of 1.
struct ResampleAxis: Sendable {
  /// The number of target samples.
  let count: Int
  /// The first source sample of each target sample.
  let starts: [Int]
  /// The number of source samples of each target sample.
  let tapCounts: [Int]
  /// The largest of `tapCounts`.
  let taps: Int
  /// `count` rows of `taps` weights, zeros at the end.
  let weights: [Double]
  /// For each target sample the nearest earlier one that has the same weights, as it has the same place among source
  /// samples; itself where there is none.
  private let twins: [Int]
  /// The largest sum of absolute weights of any target sample: how far it can overshoot.
  let gain: Double
  let largestWeight: Double

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
    var twins = starts
    var (gain, largestWeight) = (0.0, 0.0)
    let repetition = Repetition(start: start, length: length, count: count)
    let row = KernelRow(kernel, step: 1 / scale, taps: copies ? 0 : taps)
    weights = [Double](unsafeUninitializedCapacity: count * taps) { weights, initialized in
      initialized = count * taps
      guard let first = weights.baseAddress else { return }
      for index in 0..<count {
        let own = first + index * taps
        twins[index] = index
        if let earlier = repetition.earlier(index), tapCounts[earlier] > 1 {
          let source = starts[earlier] + repetition.sources
          let isWhole = starts[earlier] > 0 && source + tapCounts[earlier] < sourceCount
          if isWhole {
            starts[index] = source
            tapCounts[index] = tapCounts[earlier]
            twins[index] = earlier
            own.initialize(from: first + earlier * taps, count: taps)
            continue
          }
        }
        let centre = start + (Double(index) + 0.5) * step
        if copies {
          starts[index] = min(max(Int(centre.rounded(.down)), 0), sourceCount - 1)
          tapCounts[index] = 1
          own.initialize(to: 1)
        } else {
          let source = max(0, Int((centre - reach - 0.5).rounded(.up)))
          let last = min(sourceCount - 1, Int((centre + reach - 0.5).rounded(.down)))
          starts[index] = source
          tapCounts[index] = last - source + 1
          row.write(from: (Double(source) + 0.5 - centre) / scale, count: last - source + 1, into: own)
        }
        (own + tapCounts[index]).initialize(repeating: 0, count: taps - tapCounts[index])
        var sum = 0.0
        for k in 0..<tapCounts[index] {
          sum += own[k].magnitude
          largestWeight = max(largestWeight, own[k].magnitude)
        }
        gain = max(gain, sum)
      }
    }
    self.count = count
    self.starts = starts
    self.tapCounts = tapCounts
    self.taps = taps
    self.twins = twins
    self.gain = gain
    self.largestWeight = largestWeight
  }

  /// The nearest target sample before `index` that has the same weights and is `suitable`, of the last few.
  func twin(of index: Int, where suitable: (Int) -> Bool = { _ in true }) -> Int? {
    var (twin, last) = (twins[index], index)
    for _ in 0..<4 where twin < last {
      if suitable(twin) { return twin }
      (twin, last) = (twins[twin], twin)
    }
    return nil
  }

  /// The source samples that target samples `range`, at least one, are made of. First and last samples
  /// never go back from one target sample to the next.
  func sources(of range: Range<Int>) -> Range<Int> {
    let last = range.upperBound - 1
    return starts[range.lowerBound]..<starts[last] + tapCounts[last]
  }
}

/// The period after which the weights of an axis repeat: three target samples for 10 source samples to 3, as the places
/// of the two grids then differ by whole samples only.
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
  func earlier(_ index: Int) -> Int? { targets > 0 && index >= targets ? index - targets : nil }
}
