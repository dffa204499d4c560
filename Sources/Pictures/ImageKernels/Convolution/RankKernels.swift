/// Medians, minima and maxima of neighbouring samples in rows of 1 or 2 bytes a sample.
public enum RankKernels {
  public enum Extreme: Sendable { case least, greatest }

  /// Samples at a time: 25 blocks of 16 bits stay in the first-level cache.
  private static let block = 512

  /// Writes the median of the samples at the same index of each source.
  ///
  /// Forgetful selection: the least and the greatest of just over half the samples cannot be the median and make room
  /// for the next one, until one is left. Each step compares whole blocks.
  ///
  /// - Parameters:
  ///   - sources: an odd number of rows, at least 3.
  ///   - count: samples.
  public static func median(
    of sources: [UnsafeRawPointer], count: Int, sampleBytes: Int, into output: UnsafeMutableRawPointer
  ) {
    if sampleBytes == 1 {
      median(UInt8.self, sources, count, output)
    } else {
      median(UInt16.self, sources, count, output)
    }
  }

  private static func median<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ sources: [UnsafeRawPointer], _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let kept = sources.count / 2 + 2
    withUnsafeTemporaryAllocation(of: Sample.self, capacity: kept * block) { memory in
      let slots = memory.baseAddress!
      for first in stride(from: 0, to: count, by: block) {
        let length = min(block, count - first)
        func fill(_ slot: Int, _ source: Int) {
          UnsafeMutableRawPointer(slots + slot * block).copyMemory(
            from: sources[source] + first * MemoryLayout<Sample>.size, byteCount: length * MemoryLayout<Sample>.size)
        }
        for slot in 0..<kept { fill(slot, slot) }
        var (candidates, next) = (kept, kept)
        while candidates > 3 {
          separateExtremes(slots, candidates, length)
          fill(0, next)
          next += 1
          candidates -= 1
        }
        separateExtremes(slots, 3, length)
        (output + first * MemoryLayout<Sample>.size).copyMemory(
          from: slots + block, byteCount: length * MemoryLayout<Sample>.size)
      }
    }
  }

  /// Moves the least sample to the first slot and the greatest one to the last.
  private static func separateExtremes<Sample: FixedWidthInteger>(
    _ slots: UnsafeMutablePointer<Sample>, _ candidates: Int, _ length: Int
  ) {
    for slot in 0..<candidates / 2 {
      order(slots + slot * block, slots + (candidates - 1 - slot) * block, length)
    }
    for slot in 1..<(candidates + 1) / 2 { order(slots, slots + slot * block, length) }
    let last = slots + (candidates - 1) * block
    for slot in candidates / 2..<candidates - 1 { order(slots + slot * block, last, length) }
  }

  @inline(__always)
  private static func order<Sample: FixedWidthInteger>(
    _ lower: UnsafeMutablePointer<Sample>, _ upper: UnsafeMutablePointer<Sample>, _ length: Int
  ) {
    for index in 0..<length {
      let (left, right) = (lower[index], upper[index])
      lower[index] = min(left, right)
      upper[index] = max(left, right)
    }
  }

  /// Replaces each sample by the extreme of itself and the sample at the same index of `other`.
  public static func combine(
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

  /// Replaces each sample of a row by the extreme of it and the samples of the next `side - 1` pixels.
  ///
  /// Doubles the pixels looked at in each pass. The last `side - 1` pixels become undefined.
  ///
  /// - Parameter width: pixels of the row.
  public static func slide(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, side: Int, _ extreme: Extreme
  ) {
    var reach = 1
    while reach < side {
      let step = min(reach, side - reach)
      // Each sample is read before the pass changes it: it lies behind the one that is written.
      combine(
        row, with: UnsafeRawPointer(row + step * bands * sampleBytes), count: (width - step) * bands,
        sampleBytes: sampleBytes, extreme)
      reach += step
    }
  }
}
