import Platform

/// A plain resampling in 64-bit floating point, against which everyone is judged; independent of
/// `ImageKernels`.
///
/// Each target pixel is the normalised sum of the source pixels under the kernel, which is stretched when
/// shrinking. Colours are weighted by alpha where there is one. Rows are made one by one; nothing is
/// rounded.
struct ReferenceResampling {
  let job: KernelJob
  private let vertical: [Weights]
  /// The source's rows at the target's width, colours multiplied by alpha.
  private let rows: [Double]

  /// The pixels for which the kernel stays inside the picture.
  let innerColumns: Range<Int>
  let innerRows: Range<Int>

  struct Weights {
    let first: Int
    let values: [Double]
    /// Whether the whole kernel is inside.
    let isWhole: Bool
  }

  init(_ job: KernelJob, source: UnsafeRawPointer) {
    self.job = job
    vertical = Self.weights(from: job.height, to: job.targetHeight, job.kernel)
    let horizontal = Self.weights(from: job.width, to: job.targetWidth, job.kernel)
    innerColumns = Self.inner(horizontal)
    innerRows = Self.inner(vertical)
    let samples = job.targetWidth * job.bands
    rows = [Double](unsafeUninitializedCapacity: samples * job.height) { rows, count in
      var light = [Double](repeating: 0, count: job.width * job.bands)
      for y in 0..<job.height {
        Self.read(source + y * job.rowBytes, job, into: &light)
        light.withUnsafeBufferPointer { light in
          for (x, weights) in horizontal.enumerated() {
            for band in 0..<job.bands {
              var sum = 0.0
              for (k, weight) in weights.values.enumerated() {
                sum += weight * light[(weights.first + k) * job.bands + band]
              }
              rows[y * samples + x * job.bands + band] = sum
            }
          }
        }
      }
      count = samples * job.height
    }
  }

  /// A target row, from 0 to the samples' largest value.
  func row(_ y: Int, into result: inout [Double]) {
    let samples = job.targetWidth * job.bands
    result = [Double](repeating: 0, count: samples)
    let weights = vertical[y]
    rows.withUnsafeBufferPointer { rows in
      for (k, weight) in weights.values.enumerated() {
        let base = (weights.first + k) * samples
        for i in 0..<samples { result[i] += weight * rows[base + i] }
      }
    }
    let largest = Double((1 << job.bits) - 1)
    if job.hasAlpha { divideByAlpha(&result, largest) }
    for i in 0..<samples { result[i] = min(max(result[i], 0), largest) }
  }

  private func divideByAlpha(_ row: inout [Double], _ largest: Double) {
    for x in stride(from: 0, to: row.count, by: job.bands) {
      let alpha = row[x + job.bands - 1]
      for band in 0..<job.bands - 1 { row[x + band] = alpha > 0 ? row[x + band] * largest / alpha : 0 }
    }
  }

  private static func read(_ address: UnsafeRawPointer, _ job: KernelJob, into light: inout [Double]) {
    for i in 0..<light.count {
      light[i] =
        job.bits == 8
        ? Double(address.load(fromByteOffset: i, as: UInt8.self))
        : Double(address.load(fromByteOffset: 2 * i, as: UInt16.self))
    }
    guard job.hasAlpha else { return }
    let largest = Double((1 << job.bits) - 1)
    for x in stride(from: 0, to: light.count, by: job.bands) {
      let alpha = light[x + job.bands - 1] / largest
      for band in 0..<job.bands - 1 { light[x + band] *= alpha }
    }
  }

  static func weights(from source: Int, to target: Int, _ kernel: KernelJob.Kernel) -> [Weights] {
    let step = Double(source) / Double(target)
    let stretch = max(1, step)
    let reach = (kernel == .lanczos3 ? 3.0 : 2.0) * stretch
    return (0..<target).map { index in
      let centre = (Double(index) + 0.5) * step
      let begin = Int((centre - reach - 0.5).rounded(.up))
      let end = Int((centre + reach - 0.5).rounded(.down))
      let (first, last) = (max(0, begin), min(source - 1, end))
      let values = (first...last).map {
        value(kernel, at: ((Double($0) + 0.5 - centre) / stretch).magnitude)
      }
      let sum = values.reduce(0, +)
      return Weights(first: first, values: values.map { $0 / sum }, isWhole: begin >= 0 && end < source)
    }
  }

  private static func inner(_ weights: [Weights]) -> Range<Int> {
    guard let first = weights.firstIndex(where: \.isWhole), let last = weights.lastIndex(where: \.isWhole)
    else { return 0..<0 }
    return first..<last + 1
  }

  /// Lanczos after Duchon, "Lanczos Filtering in One and Two Dimensions", 1979; the cubic is
  /// Catmull-Rom, after Keys, "Cubic Convolution Interpolation", 1981, with a = -1/2.
  private static func value(_ kernel: KernelJob.Kernel, at x: Double) -> Double {
    switch kernel {
    case .lanczos3:
      if x == 0 { return 1 }
      if x >= 3 { return 0 }
      return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
    case .cubic:
      if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
      return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    }
  }
}
