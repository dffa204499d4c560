import ImageCore
import ImageKernels
import Platform

/// Statistics of a picture's samples, for `stats`.
package struct PictureStatistics: Sendable, Equatable {
  /// The statistics of each band, alpha last.
  package let bands: [BandStatistics]
  /// Whether every pixel is opaque; always true without alpha.
  package let isOpaque: Bool

  /// Reads a source to its end, and computes the statistics of its samples.
  ///
  /// All results are derived from integer counts of each sample value, so they do not depend on the number of workers.
  /// The counts take 8 bytes per value, band and worker: 2 MB per worker for 4 bands of 16 bits.
  ///
  /// - Throws: errors of the source, and `PictureError.cancelled`.
  package static func compute(_ source: any RowSource, _ context: OperationContext)
    throws(PictureError) -> PictureStatistics
  {
    let layout = source.layout
    let sampleBytes = layout.format.sample.byteCount
    let levels = layout.format.sample.maximum + 1
    let strip = PixelBuffer(layout.with(width: layout.width, height: min(64, layout.height)))
    let counts = RowCounts(
      bins: levels * layout.bands, rows: strip.layout.height, rowByteCount: layout.rowByteCount, context)
    var done = 0
    while done < layout.height {
      try context.checkCancellation()
      let rows = min(strip.layout.height, layout.height - done)
      try source.read(rows, into: strip.base, stride: strip.stride)
      counts.count(rows, context) { y, counts in
        CountKernels.countSamples(
          strip.row(y), width: layout.width, bands: layout.bands, sampleBytes: sampleBytes, into: counts)
      }
      done += rows
    }
    let total = counts.total
    let bands = (0..<layout.bands).map {
      BandStatistics(counts: total[$0 * levels..<($0 + 1) * levels])
    }
    let isOpaque = !layout.format.hasAlpha || bands[bands.count - 1].minimum == levels - 1
    return PictureStatistics(bands: bands, isOpaque: isOpaque)
  }
}

/// Statistics of the samples of one band, on the scale in which they are stored: 0 to 255 or to 65,535.
package struct BandStatistics: Sendable, Equatable {
  package let minimum: Int
  package let maximum: Int
  package let mean: Double
  /// The sample standard deviation (divisor n - 1), as in libvips; 0 for a single pixel.
  package let standardDeviation: Double
  /// Shannon entropy of `histogram` in bits, 0 to 8.
  package let entropy: Double
  /// The number of samples in each of 256 equal ranges.
  package let histogram: [Int]

  /// - Parameter counts: the number of samples with each value from 0: 256 or 65,536 numbers, not all 0.
  init(counts: ArraySlice<Int>) {
    let values = counts.enumerated().filter { $0.element > 0 }
    let total = values.reduce(0) { $0 + $1.element }
    let mean = Double(values.reduce(0) { $0 + $1.offset * $1.element }) / Double(total)
    let squares = values.reduce(0.0) {
      let distance = Double($1.offset) - mean
      return $0 + distance * distance * Double($1.element)
    }
    let perBin = counts.count / 256
    var histogram = [Int](repeating: 0, count: 256)
    for (value, count) in values { histogram[value / perBin] += count }

    minimum = values[0].offset
    maximum = values[values.count - 1].offset
    self.mean = mean
    standardDeviation = total > 1 ? (squares / Double(total - 1)).squareRoot() : 0
    self.histogram = histogram
    entropy = histogram.reduce(0.0) { sum, count in
      let share = Double(count) / Double(total)
      return count == 0 ? sum : sum - share * log2(share)
    }
  }
}

// MARK: - Definition

extension PictureStatistics {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "stats", family: "script",
      summary: "Compute numbers about all pixels: mean, deviation, minimum, maximum, entropy, histogram"),
    gives: .table("imghost.Stats")
  ) { source, _, _, context throws(PictureError) in
    .fields(try PictureStatistics.compute(source, context).fields(source.layout.format))
  }

  /// Returns the result of `picture:stats()`: lists with one number for each band, alpha last, and `is_opaque`.
  ///
  /// Sample values are on the scale of 0 to 255 at any depth, as in all options of operations.
  func fields(_ format: PixelFormat) -> [String: ParameterValue] {
    let scale = 255 / Double(format.sample.maximum)
    func list(_ value: (BandStatistics) -> Double) -> ParameterValue { .list(bands.map { .number(value($0)) }) }
    return [
      "minimum": list { Double($0.minimum) * scale },
      "maximum": list { Double($0.maximum) * scale },
      "mean": list { $0.mean * scale },
      "deviation": list { $0.standardDeviation * scale },
      "entropy": list(\.entropy),
      "histogram": .list(bands.map { .list($0.histogram.map { .integer($0) }) }),
      "is_opaque": .boolean(isOpaque),
    ]
  }
}
