import CKernels

/// Medians, minima and maxima of neighbouring samples in rows of samples of 1 or 2 bytes.
package enum RankKernels {
  package enum Extreme: Sendable { case least, greatest }

  /// Writes, for each sample of a row, the median of the square around it.
  ///
  /// - Parameters:
  ///   - rows: the rows of the squares, 3 or 5, each from the leftmost neighbour of the first sample. They must be
  ///     readable for 64 bytes beyond the last neighbour.
  ///   - count: the number of samples.
  ///   - bands: the distance in samples from one horizontal neighbour to the next.
  package static func median(
    of rows: [UnsafeRawPointer], count: Int, bands: Int, sampleBytes: Int, into output: UnsafeMutableRawPointer,
    _ instructions: InstructionSet = .current
  ) {
    precondition(rows.count == 3 || rows.count == 5)
    withUnsafeTemporaryAllocation(byteCount: 12 << 10, alignment: 64) { scratch in
      rows.withUnsafeBufferPointer { rows in
        var pass = MedianPass(
          rows: rows.baseAddress!, side: rows.count, sampleBytes: sampleBytes, pixelBytes: bands * sampleBytes,
          byteCount: count * sampleBytes, scratch: scratch.baseAddress!, output: output)
        ResampleKernels(instructions).median(&pass)
      }
    }
  }

  /// Replaces each sample with the extreme of itself and the sample at the same index of `other`.
  package static func combine(
    _ row: UnsafeMutableRawPointer, with other: UnsafeRawPointer, count: Int, sampleBytes: Int, _ extreme: Extreme
  ) {
    if sampleBytes == 1 {
      combine(UInt8.self, row, other, count, extreme)
    } else {
      combine(UInt16.self, row, other, count, extreme)
    }
  }

  private static func combine<Sample: FixedWidthInteger>(
    _ type: Sample.Type, _ row: UnsafeMutableRawPointer, _ other: UnsafeRawPointer, _ count: Int, _ extreme: Extreme
  ) {
    let (row, other) = (row.assumingMemoryBound(to: Sample.self), other.assumingMemoryBound(to: Sample.self))
    switch extreme {
    case .least: for index in 0..<count { row[index] = min(row[index], other[index]) }
    case .greatest: for index in 0..<count { row[index] = max(row[index], other[index]) }
    }
  }

  /// Replaces each sample of a row with the extreme of itself and the corresponding samples of the next `side - 1`
  /// pixels.
  ///
  /// Each pass doubles the number of pixels considered. The last `side - 1` pixels become undefined.
  ///
  /// - Parameter width: the number of pixels in the row.
  package static func slide(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, side: Int, _ extreme: Extreme
  ) {
    var reach = 1
    while reach < side {
      let step = min(reach, side - reach)
      // Samples are changed from left to right, so those that a pass reads ahead are still unchanged.
      combine(
        row, with: UnsafeRawPointer(row + step * bands * sampleBytes), count: (width - step) * bands,
        sampleBytes: sampleBytes, extreme)
      reach += step
    }
  }
}
