import Testing

@testable import ImageKernels

/// One axis: source samples, the part of them, and target samples.
private struct AxisCase: CustomTestStringConvertible {
  let source: Int
  var start = 0.0
  let length: Double
  let count: Int

  var testDescription: String { "\(source), \(length) from \(start), to \(count)" }

  func axis(_ kernel: ResampleKernel) -> ResampleAxis {
    ResampleAxis(
      sourceCount: source, start: start, length: length, count: count, kernel: kernel)
  }

  /// The kernel's weight of each source sample of target sample `index`, with a sum of 1.
  func expected(_ index: Int, _ axis: ResampleAxis, _ kernel: ResampleKernel) -> [Double] {
    let step = length / Double(count)
    let centre = start + (Double(index) + 0.5) * step
    let row = (0..<axis.tapCounts[index]).map {
      kernel.weight((Double(axis.starts[index] + $0) + 0.5 - centre) / max(1, step))
    }
    let sum = row.reduce(0, +)
    return row.map { $0 / sum }
  }
}

@Suite("An axis' weights") struct ResampleAxisTests {
  private static let cases = [
    AxisCase(source: 4_000, length: 4_000, count: 1_200),
    AxisCase(source: 400, length: 400, count: 40), AxisCase(source: 301, length: 301, count: 67),
    AxisCase(source: 40, length: 40, count: 133), AxisCase(source: 5, length: 5, count: 1),
    AxisCase(source: 7, length: 7, count: 6), AxisCase(source: 1, length: 1, count: 3),
    AxisCase(source: 20_000, length: 20_000, count: 3),
    AxisCase(source: 100, start: 10.25, length: 62.5, count: 31),
    AxisCase(source: 50, start: 0, length: 0.001, count: 9),
    AxisCase(source: 90, start: 30, length: 40, count: 40),
  ]

  @Test("are the kernel's, divided by their sum", arguments: cases, ResampleKernel.allCases)
  private func agreeWithKernel(example: AxisCase, kernel: ResampleKernel) {
    let axis = example.axis(kernel)
    let aligned = example.length == Double(example.count)
    guard kernel != .nearest, !aligned || kernel == .mitchell else {
      // Copies.
      #expect(axis.taps == 1 && axis.weights.allSatisfy { $0 == 1 })
      return
    }
    var (gain, largest) = (0.0, 0.0)
    for index in 0..<axis.count {
      let own = axis.weights[index * axis.taps..<(index + 1) * axis.taps]
      let row = Array(own.prefix(axis.tapCounts[index]))
      let expected = example.expected(index, axis, kernel)
      let difference = zip(row, expected).map { ($0 - $1).magnitude }.max() ?? 0
      #expect(difference < 1e-13, "target \(index)")
      #expect(zip(row, expected).allSatisfy { $1.magnitude > 2e-15 || $0 == 0 })
      #expect(own.dropFirst(row.count).allSatisfy { $0 == 0 })
      gain = max(gain, row.reduce(0) { $0 + $1.magnitude })
      largest = row.reduce(largest) { max($0, $1.magnitude) }
    }
    #expect((axis.gain - gain).magnitude < 1e-12 && axis.largestWeight == largest)
  }

  @Test("twins have the same weights, at the same distance from their pixels", arguments: cases)
  private func twins(example: AxisCase) {
    let axis = example.axis(.lanczos3)
    func row(_ index: Int) -> [Double] { Array(axis.weights[index * axis.taps..<(index + 1) * axis.taps]) }
    for index in 0..<axis.count {
      guard let twin = axis.twin(of: index) else { continue }
      #expect(twin < index && row(twin) == row(index))
      let moved = Double(index - twin) * example.length / Double(example.count)
      #expect(Double(axis.starts[index] - axis.starts[twin]) == moved)
    }
    if example.count == 1_200 {
      #expect((9..<1_190).allSatisfy { axis.twin(of: $0) == $0 - 3 })
      #expect((18..<1_190).allSatisfy { axis.twin(of: $0) { $0 % 2 == 0 } != nil })
    }
  }

  @Test("whole numbers add up to exactly 1, of twins as of others")
  func integersAddUp() {
    for example in Self.cases {
      for kernel in [ResampleKernel.cubic, .lanczos3] {
        let axis = example.axis(kernel)
        for together in [1, 2] {
          let weights = IntegerWeights(axis, origin: 0, alignment: 2, multiple: 4, together: together, largestShift: 22)
          for index in 0..<axis.count {
            let own = weights.coefficients[index * weights.taps..<(index + 1) * weights.taps]
            #expect(own.reduce(0) { $0 + Int($1) } == 1 << weights.shift)
            // Each is its weight and the carried error, which is at most 1.
            let lead = axis.starts[index] - Int(weights.starts[index])
            for k in 0..<axis.tapCounts[index] {
              let exact = axis.weights[index * axis.taps + k] * Double(1 << weights.shift)
              #expect((Double(own[own.startIndex + lead + k]) - exact).magnitude <= 1)
            }
          }
        }
      }
    }
  }
}
