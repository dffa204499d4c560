/// Counts of samples by their value.
package enum CountKernels {
  /// Adds the samples of a row to counts: 256 or 65,536 (`levels`) for each band, one band after another.
  package static func countSamples(
    _ row: UnsafeRawPointer, width: Int, bands: Int, sampleBytes: Int, into counts: UnsafeMutablePointer<Int>
  ) {
    if sampleBytes == 1 {
      countSamples(row.assumingMemoryBound(to: UInt8.self), width, bands, counts)
    } else {
      countSamples(row.assumingMemoryBound(to: UInt16.self), width, bands, counts)
    }
  }

  private static func countSamples<Sample: StoredSample>(
    _ row: UnsafePointer<Sample>, _ width: Int, _ bands: Int, _ counts: UnsafeMutablePointer<Int>
  ) {
    for band in 0..<bands {
      let counts = counts + band * (Int(Sample.max) + 1)
      for x in 0..<width { counts[Int(row[x * bands + band])] += 1 }
    }
  }
}
