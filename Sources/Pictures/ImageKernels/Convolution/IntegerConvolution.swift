import CKernels

/// The weights of a separable smoothing of 8-bit samples in 16-bit integers: the horizontal pass converts bytes to
/// 16-bit samples with 6 fraction bits, and the vertical pass converts these back to bytes. The result has the same
/// bytes on every machine.
///
/// The result differs by at most 1 level from a `Double` reference with the same weights, nearly always only because of
/// rounding. Immutable; may be used from any thread.
package struct IntegerConvolution: Sendable {
  /// The number of neighbours on each side.
  package let radius: Int
  /// Horizontal weights by distance, padded with zero to an even number, because the loops take two at a time.
  private let across: [Int16]
  private let acrossShift: Int
  /// The vertical weights of a target row, from its uppermost source row on, followed by a zero.
  private let down: [Int16]
  /// The vertical weights of the next target row for the same source rows, so they begin with a zero.
  private let downNext: [Int16]
  private let downShift: Int
  private let kernels: ResampleKernels

  /// The block size in samples. Rows are read and written in whole blocks: see `paddedCount`.
  package static let block = 64

  /// - Parameter weights: `radius + 1` weights, the centre's first, none below 0. Their sum is 1 if all except the
  ///   centre's are counted twice.
  package init(_ weights: [Double], instructions: InstructionSet = .current) {
    precondition(!weights.isEmpty && weights.allSatisfy { $0 >= 0 })
    radius = weights.count - 1
    let largest = weights.max() ?? 1
    // Sums have 32 bits. At most 22 of them can be fraction bits for 8-bit samples, and 17 for samples with 6 more
    // bits.
    acrossShift = IntegerWeights.shift(largestWeight: largest, atMost: 22)
    downShift = IntegerWeights.shift(largestWeight: largest, atMost: 17)
    let across = Self.rounded(weights, shift: acrossShift)
    self.across = across + (across.count % 2 == 0 ? [] : [0])
    let half = Self.rounded(weights, shift: downShift)
    down = half.dropFirst().reversed() + half + [0]
    downNext = [0] + down.dropLast()
    kernels = ResampleKernels(instructions)
  }

  /// Returns the weights as integers. The weights are rounded from the outermost to the centre. Rounding the running
  /// sum carries each error into the next weight, and the centre's weight is the rest of `1 << shift`.
  private static func rounded(_ weights: [Double], shift: Int) -> [Int16] {
    var result = [Int16](repeating: 0, count: weights.count)
    var exact = 0.0
    var sum = 0
    for index in weights.indices.dropFirst().reversed() {
      exact += weights[index] * Double(1 << shift)
      let total = Int(exact.rounded(.toNearestOrEven))
      result[index] = Int16(total - sum)
      sum = total
    }
    result[0] = Int16((1 << shift) - 2 * sum)
    return result
  }

  /// Returns the number of samples to allocate for the `scratch` of `smoothAcross`.
  package func scratchCount(width: Int, bands: Int) -> Int {
    (width + 2 * radius) * bands + Self.paddedCount(width * bands)
  }

  /// Returns the number of samples to allocate for a smoothed row of `count` samples.
  package static func paddedCount(_ count: Int) -> Int { (count + block - 1) / block * block }

  /// Smooths a row horizontally; its first and last pixels are repeated beyond its ends.
  ///
  /// - Parameters:
  ///   - row: `width * bands` samples.
  ///   - scratch: room for `scratchCount` samples.
  ///   - destination: room for `paddedCount(width * bands)` samples.
  package func smoothAcross(
    _ row: UnsafeRawPointer, width: Int, bands: Int, scratch: UnsafeMutablePointer<Int16>,
    into destination: UnsafeMutablePointer<Int16>
  ) {
    let count = width * bands
    let inner = scratch + radius * bands
    Widening.widen(row, count: count, into: inner)
    for index in 0..<radius * bands {
      scratch[index] = inner[index % bands]
      inner[count + index] = inner[count - bands + index % bands]
    }
    // Every distance needs a left and a right neighbour. Zeros are used for the right one at distance 0, for both at
    // the padded distance, and for samples after the last one.
    let zeros = inner + count + radius * bands
    zeros.update(repeating: 0, count: Self.paddedCount(count))
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: 2 * across.count) { rows in
      for distance in across.indices {
        let offset = distance * bands
        let isBeyond = distance > radius
        let left = isBeyond ? zeros : inner - offset
        let right = isBeyond || distance == 0 ? zeros : inner + offset
        rows.initializeElement(at: 2 * distance, to: UnsafeRawPointer(left))
        rows.initializeElement(at: 2 * distance + 1, to: UnsafeRawPointer(right))
      }
      across.withUnsafeBufferPointer { coefficients in
        guard let rows = rows.baseAddress, let base = coefficients.baseAddress else { return }
        var pass = VerticalPass16(
          rows: rows, coefficients: base, taps: across.count, count: Self.paddedCount(count),
          shift: acrossShift - IntegerPlan.fractionBits, output: destination, nextCoefficients: nil, nextOutput: nil)
        kernels.filterRowSums16(&pass)
      }
    }
  }

  /// Smooths the results of `smoothAcross` vertically, into one row or two adjacent ones.
  ///
  /// - Parameters:
  ///   - rows: source rows from `radius` above the first to `radius` below the last, each with `paddedCount(count)`
  ///     samples.
  ///   - destination: room for `count` samples.
  ///   - below: room for `count` samples of the second row, if there is one.
  package func smoothDown(
    _ rows: UnsafeMutableBufferPointer<UnsafeRawPointer>, count: Int, into destination: UnsafeMutableRawPointer,
    and below: UnsafeMutableRawPointer? = nil
  ) {
    precondition(rows.count == down.count - (below == nil ? 1 : 0))
    let whole = count / Self.block * Self.block
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: down.count) { sources in
      _ = sources.initialize(from: rows)
      // The last weight is 0 if there is only one row.
      if below == nil { sources.initializeElement(at: down.count - 1, to: rows[0]) }
      smoothBlocks(sources, count: whole, into: destination, and: below)
      guard whole < count else { return }
      for tap in sources.indices { sources[tap] += 2 * whole }
      withUnsafeTemporaryAllocation(byteCount: 2 * Self.block, alignment: 64) { last in
        let other = below.map { _ in last.baseAddress! + Self.block }
        smoothBlocks(sources, count: Self.block, into: last.baseAddress!, and: other)
        (destination + whole).copyMemory(from: last.baseAddress!, byteCount: count - whole)
        if let below, let other { (below + whole).copyMemory(from: other, byteCount: count - whole) }
      }
    }
  }

  /// - Parameter count: a multiple of `block`.
  private func smoothBlocks(
    _ sources: UnsafeMutableBufferPointer<UnsafeRawPointer>, count: Int,
    into destination: UnsafeMutableRawPointer, and below: UnsafeMutableRawPointer?
  ) {
    guard let rows = sources.baseAddress else { return }
    down.withUnsafeBufferPointer { down in
      downNext.withUnsafeBufferPointer { next in
        guard let coefficients = down.baseAddress else { return }
        var pass = VerticalPass16(
          rows: rows, coefficients: coefficients, taps: down.count, count: count,
          shift: downShift + IntegerPlan.fractionBits, output: destination,
          nextCoefficients: next.baseAddress, nextOutput: below)
        kernels.filterRows16(&pass)
      }
    }
  }
}
