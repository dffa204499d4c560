import Platform

/// A plain resampling of RGB with Lanczos 3 in 64-bit floating point, independent of `ImageKernels`. Thumbnails and
/// pages are compared with it.
///
/// Each target pixel is the weighted mean of the source pixels under the kernel. To shrink a picture, the kernel is
/// stretched. Rows are computed one by one, and nothing is rounded.
struct ReferenceResampling {
  private let targetWidth: Int
  private let vertical: [Weights]
  /// The source's rows at the target's width.
  private let rows: [Double]

  private struct Weights {
    let first: Int
    let values: [Double]
  }

  init(_ source: DecodedJPEG, width: Int, height: Int) {
    targetWidth = width
    vertical = Self.weights(from: source.height, to: height)
    let horizontal = Self.weights(from: source.width, to: width)
    rows = [Double](unsafeUninitializedCapacity: width * 3 * source.height) { rows, count in
      for y in 0..<source.height {
        let row = source.samples[y * source.width * 3..<(y + 1) * source.width * 3]
        for (x, weights) in horizontal.enumerated() {
          for band in 0..<3 {
            var (sum, index) = (0.0, row.startIndex + weights.first * 3 + band)
            for weight in weights.values {
              sum += weight * Double(row[index])
              index += 3
            }
            rows[(y * width + x) * 3 + band] = sum
          }
        }
      }
      count = width * 3 * source.height
    }
  }

  /// Returns a row of the target, with samples from 0 to 255.
  func row(_ y: Int) -> [Double] {
    let samples = targetWidth * 3
    var result = [Double](repeating: 0, count: samples)
    rows.withUnsafeBufferPointer { rows in
      for (k, weight) in vertical[y].values.enumerated() {
        let base = (vertical[y].first + k) * samples
        for i in 0..<samples { result[i] += weight * rows[base + i] }
      }
    }
    return result.map { min(max($0, 0), 255) }
  }

  private static func weights(from source: Int, to target: Int) -> [Weights] {
    let step = Double(source) / Double(target)
    let stretch = max(1, step)
    return (0..<target).map { index in
      let centre = (Double(index) + 0.5) * step
      let first = max(0, Int((centre - 3 * stretch - 0.5).rounded(.up)))
      let last = min(source - 1, Int((centre + 3 * stretch - 0.5).rounded(.down)))
      let values = (first...last).map { lanczos(((Double($0) + 0.5 - centre) / stretch).magnitude) }
      let sum = values.reduce(0, +)
      return Weights(first: first, values: values.map { $0 / sum })
    }
  }

  /// The Lanczos 3 kernel. Duchon, "Lanczos Filtering in One and Two Dimensions", 1979.
  private static func lanczos(_ x: Double) -> Double {
    if x == 0 { return 1 }
    return x >= 3 ? 0 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }
}
