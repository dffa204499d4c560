import ImageKernels
import TestSupport
import Testing

/// Medians of every instruction set against a sort.
@Suite struct MedianKernelTests {
  @Test(arguments: InstructionSet.supported, [3, 5])
  func equalsASort(_ instructions: InstructionSet, _ side: Int) {
    for bands in 1...4 {
      // Around vectors and blocks of 2,048 bytes, where tails go wrong.
      for width in [1, 7, 16, 33, 511, 513, 1_100] {
        check(UInt8.self, width: width, bands: bands, side: side, instructions)
        check(UInt16.self, width: width, bands: bands, side: side, instructions)
      }
    }
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, width: Int, bands: Int, side: Int, _ instructions: InstructionSet
  ) {
    var random = SplitMix(width * 16 + bands)
    let sampleBytes = MemoryLayout<Sample>.size
    // Few values, so that many are equal, and the ends.
    let values: [Sample] = [0, 1, 2, Sample.max / 2, Sample.max / 2 + 1, Sample.max - 1, .max]
    let count = width * bands
    let rows = (0..<side).map { _ in
      (0..<count + side * bands + 128).map { _ in values[random.below(values.count)] }
    }
    var result = [Sample](repeating: 77, count: count + 3)
    result.withUnsafeMutableBytes { result in
      let addresses = rows.map { row in
        let copy = UnsafeMutableRawPointer.allocate(byteCount: row.count * sampleBytes, alignment: 64)
        row.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        return UnsafeRawPointer(copy)
      }
      RankKernels.median(
        of: addresses, count: count, bands: bands, sampleBytes: sampleBytes, into: result.baseAddress!, instructions)
      addresses.forEach { $0.deallocate() }
    }
    let expected = (0..<count).map { index in
      rows.flatMap { row in (0..<side).map { row[index + $0 * bands] } }.sorted()[side * side / 2]
    }
    #expect(Array(result[..<count]) == expected, "\(instructions) \(side) \(type) \(width)x\(bands)")
    #expect(result[count...].allSatisfy { $0 == 77 })
  }
}
