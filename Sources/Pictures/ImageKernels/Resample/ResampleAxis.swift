/// The source samples of each target sample along one axis, and their weights.
///
/// Target sample `i` has its centre at `start + (i + 0.5) length / count` in the source, where sample `x` has its
/// centre at `x + 0.5`. For shrinking, the kernel is widened by the shrinking factor to prevent aliasing (as in Pillow
/// and libvips). Samples outside the source are not used: the weights of those inside are scaled to a sum of 1.
struct ResampleAxis: Sendable {
  /// The number of target samples.
  let count: Int
  /// The first source sample of each target sample.
  let starts: [Int]
  /// The number of source samples of each target sample.
  let tapCounts: [Int]
  /// The length of a row of `weights`, an upper limit of `tapCounts`.
  let taps: Int
  /// `count` rows of `taps` weights, with zeros at the end.
  let weights: [Double]
  /// For each target sample, the nearest earlier sample with the same weights, which has the same position relative to
  /// source samples; the sample itself if there is none.
  private let twins: [Int]
  /// The largest sum of absolute weights of any target sample, which limits how far results can overshoot.
  let gain: Double
  let largestWeight: Double

  /// - Parameters:
  ///   - sourceCount: the number of source samples.
  ///   - start: the start of the part to be resampled, in samples; may be fractional.
  ///   - length: the length of that part, in samples; greater than 0.
  ///   - count: the number of target samples.
  init(sourceCount: Int, start: Double, length: Double, count: Int, kernel: ResampleKernel) {
    precondition(sourceCount > 0 && count > 0 && length > 0)
    let step = length / Double(count)
    let scale = max(1, step)
    // If target and source samples coincide, they are copied: all kernels except Mitchell's are 0 at integer distances
    // other than 0.
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

  /// Returns the nearest target sample before `index` that has the same weights and is `suitable`. Only the four
  /// nearest samples with the same weights are tried.
  func twin(of index: Int, where suitable: (Int) -> Bool = { _ in true }) -> Int? {
    var (twin, last) = (twins[index], index)
    for _ in 0..<4 where twin < last {
      if suitable(twin) { return twin }
      (twin, last) = (twins[twin], twin)
    }
    return nil
  }

  /// Returns the source samples of target samples `range`, which must not be empty.
  ///
  /// The first and the last target sample determine the result, because source samples never decrease from one target
  /// sample to the next.
  func sources(of range: Range<Int>) -> Range<Int> {
    let last = range.upperBound - 1
    return starts[range.lowerBound]..<starts[last] + tapCounts[last]
  }
}

/// The period after which the weights of an axis repeat. If 10 source samples become 3 target samples, the period is 3
/// target samples: after that, the same positions relative to source samples recur.
private struct Repetition {
  /// The number of target samples in a period; 0 if there is none.
  let targets: Int
  /// The number of source samples in a period.
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

  /// Returns the sample before `index` with the same position relative to source samples.
  func earlier(_ index: Int) -> Int? { targets > 0 && index >= targets ? index - targets : nil }
}
