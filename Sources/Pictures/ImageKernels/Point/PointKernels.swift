/// Loops over one row in which each result depends only on the pixel at the same place.
///
/// Rows are interleaved samples of `sampleBytes` bytes, 1 or 2, aligned to their size. All functions work in place
/// unless they have a source and a destination, which must not overlap.
package enum PointKernels {
  /// Replaces samples through tables.
  ///
  /// - Parameters:
  ///   - tables: tables of 256 or 65,536 samples, one after another.
  ///   - offsets: for each band, the offset of its table in samples from `tables`, or -1 for a band that is unchanged.
  package static func lookUp(
    _ row: UnsafeMutableRawPointer, width: Int, sampleBytes: Int, tables: UnsafeRawPointer, offsets: [Int]
  ) {
    if sampleBytes == 1 {
      lookUp(row.assumingMemoryBound(to: UInt8.self), width, tables, offsets)
    } else {
      lookUp(row.assumingMemoryBound(to: UInt16.self), width, tables, offsets)
    }
  }

  private static func lookUp<Sample: StoredSample>(
    _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ tables: UnsafeRawPointer, _ offsets: [Int]
  ) {
    let tables = tables.assumingMemoryBound(to: Sample.self)
    let bands = offsets.count
    if offsets.allSatisfy({ $0 == offsets[0] }), offsets[0] >= 0 {
      let table = tables + offsets[0]
      for index in 0..<width * bands { row[index] = table[Int(row[index])] }
      return
    }
    for band in 0..<bands where offsets[band] >= 0 {
      let table = tables + offsets[band]
      var index = band
      for _ in 0..<width {
        row[index] = table[Int(row[index])]
        index += bands
      }
    }
  }

  /// Inverts samples, eight bytes at a time.
  ///
  /// - Parameters:
  ///   - bands: 1 to 4.
  ///   - keepsLast: whether the last band is alpha, which is not inverted; only with 2 or 4 bands.
  package static func complement(
    _ row: UnsafeMutableRawPointer, width: Int, sampleBytes: Int, bands: Int, keepsLast: Bool
  ) {
    precondition(!keepsLast || bands == 2 || bands == 4, "a row of \(bands) bands has no alpha")
    var mask = UInt64.max
    if keepsLast {
      // Eight bytes are one or more whole pixels. The last band of each is in its highest bytes.
      let bits = 8 * sampleBytes
      for last in stride(from: (bands - 1) * bits, to: 64, by: bands * bits) {
        mask &= ~(((1 << UInt64(bits)) - 1) << UInt64(last))
      }
    }
    let count = width * bands * sampleBytes
    for offset in stride(from: 0, to: count & ~7, by: 8) {
      let word = row.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      row.storeBytes(of: word ^ mask.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
    for offset in count & ~7..<count {
      let part = UInt8(truncatingIfNeeded: mask >> UInt64(8 * (offset & 7)))
      row.storeBytes(of: row.load(fromByteOffset: offset, as: UInt8.self) ^ part, toByteOffset: offset, as: UInt8.self)
    }
  }

  /// Maps one band to three through a table for each; alpha is copied.
  ///
  /// - Parameters:
  ///   - source: pixels with 1 band, or 2 with alpha.
  ///   - destination: pixels with 3 bands, or 4 with alpha.
  ///   - tables: three tables of 256 or 65,536 samples, one after another.
  package static func lookUpColours(
    from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, sampleBytes: Int,
    hasAlpha: Bool, tables: UnsafeRawPointer
  ) {
    if sampleBytes == 1 {
      lookUpColours(UInt8.self, source, destination, width, hasAlpha, tables)
    } else {
      lookUpColours(UInt16.self, source, destination, width, hasAlpha, tables)
    }
  }

  private static func lookUpColours<Sample: StoredSample>(
    _ type: Sample.Type, _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ width: Int,
    _ hasAlpha: Bool, _ tables: UnsafeRawPointer
  ) {
    var from = source.assumingMemoryBound(to: Sample.self)
    var to = destination.assumingMemoryBound(to: Sample.self)
    let tables = tables.assumingMemoryBound(to: Sample.self)
    let count = Int(Sample.max) + 1
    for _ in 0..<width {
      let value = Int(from[0])
      to[0] = tables[value]
      to[1] = tables[count + value]
      to[2] = tables[2 * count + value]
      if hasAlpha { to[3] = from[1] }
      from += hasAlpha ? 2 : 1
      to += hasAlpha ? 4 : 3
    }
  }

  /// Builds pixels from selected bands.
  ///
  /// - Parameters:
  ///   - bands: for each band of the result, the source band that is copied, or -1 for full intensity (opaque alpha).
  package static func selectBands(
    from source: UnsafeRawPointer, sourceBands: Int, to destination: UnsafeMutableRawPointer, width: Int,
    sampleBytes: Int, bands: [Int]
  ) {
    if sampleBytes == 1 {
      selectBands(UInt8.self, source, sourceBands, destination, width, bands)
    } else {
      selectBands(UInt16.self, source, sourceBands, destination, width, bands)
    }
  }

  private static func selectBands<Sample: StoredSample>(
    _ type: Sample.Type, _ source: UnsafeRawPointer, _ sourceBands: Int,
    _ destination: UnsafeMutableRawPointer, _ width: Int, _ bands: [Int]
  ) {
    let step = bands.count
    for (band, chosen) in bands.enumerated() {
      let to = destination.assumingMemoryBound(to: Sample.self) + band
      guard chosen >= 0 else {
        for x in 0..<width { to[x * step] = .max }
        continue
      }
      let from = source.assumingMemoryBound(to: Sample.self) + chosen
      for x in 0..<width { to[x * step] = from[x * sourceBands] }
    }
  }

  /// Converts samples from 8 bits to 16, or from 16 to 8, rounded to nearest; 255 corresponds to 65,535.
  package static func convertSamples(
    from source: UnsafeRawPointer, sourceBytes: Int, to destination: UnsafeMutableRawPointer, count: Int
  ) {
    if sourceBytes == 1 {
      let from = source.assumingMemoryBound(to: UInt8.self)
      let to = destination.assumingMemoryBound(to: UInt16.self)
      for index in 0..<count { to[index] = UInt16(from[index]) * 257 }
    } else {
      let from = source.assumingMemoryBound(to: UInt16.self)
      let to = destination.assumingMemoryBound(to: UInt8.self)
      for index in 0..<count {
        to[index] = UInt8(truncatingIfNeeded: (UInt32(from[index]) * 255 + 32_767) / 65_535)
      }
    }
  }

  /// Composites pixels with straight alpha onto a background and removes the alpha. The result is
  /// `background + (colour - background) * alpha`, rounded to the nearest sample.
  ///
  /// - Parameters:
  ///   - bands: the number of colour bands, 1 or 3; `source` has one more.
  ///   - background: a sample for each colour band.
  package static func flatten(
    from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int,
    background: [Int]
  ) {
    if sampleBytes == 1 {
      flatten(UInt8.self, source, destination, width, bands, background)
    } else {
      flatten(UInt16.self, source, destination, width, bands, background)
    }
  }

  private static func flatten<Sample: StoredSample>(
    _ type: Sample.Type, _ source: UnsafeRawPointer, _ destination: UnsafeMutableRawPointer, _ width: Int, _ bands: Int,
    _ background: [Int]
  ) {
    let from = source.assumingMemoryBound(to: Sample.self)
    let top = UInt32(Sample.max)
    for band in 0..<bands {
      let to = destination.assumingMemoryBound(to: Sample.self) + band
      let behind = UInt32(background[band])
      for x in 0..<width {
        let alpha = UInt32(from[x * (bands + 1) + bands])
        let colour = UInt32(from[x * (bands + 1) + band])
        // The sum is at most 65,535² + 32,767, which fits into 32 bits.
        let sum = colour &* alpha &+ behind &* (top &- alpha) &+ top / 2
        to[x * bands] = Sample(truncatingIfNeeded: sum / top)
      }
    }
  }
}

/// Loops that count samples by their value.
package enum CountKernels {
  /// Adds the samples of a row to a histogram for each band, with 256 or 65,536 counts; the histograms follow each
  /// other.
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
