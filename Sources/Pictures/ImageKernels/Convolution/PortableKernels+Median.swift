import CKernels

extension PortableKernels {
  /// Samples at a time: 25 blocks of 16 bits stay in the first-level cache.
  private static var block: Int { 512 }

  /// Forgetful selection: the least and the greatest of just over half the samples cannot be the median and make room
  /// for the next one, until one is left. Each step compares whole blocks.
  static func median(_ pass: UnsafePointer<MedianPass>) {
    let pass = pass.pointee
    let sources = (0..<pass.side * pass.side).map { place in
      pass.rows[place / pass.side] + place % pass.side * pass.pixelBytes
    }
    if pass.sampleBytes == 1 {
      median(UInt8.self, sources, pass.byteCount, pass.output)
    } else {
      median(UInt16.self, sources, pass.byteCount / 2, pass.output)
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
}
