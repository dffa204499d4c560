/// 8-bit resampling in plain loops: what every other variant must equal, and the one that runs where
/// there is no other.
enum PortableKernels {
  /// Source rows that `weighRowsTogether8` takes at once.
  static let rowsTogether8 = 2

  /// Weighs rows of 8-bit samples into target rows of 16-bit ones:
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half) >> shift`, saturated.
  ///
  /// - Parameters:
  ///   - rows: source rows, readable for `count` samples from `offset` on; an even number.
  ///   - offset: bytes from their addresses to the first sample's.
  ///   - ranges: of each target row the first pair of `rows` and the end; neither ever goes back.
  ///   - coefficients: of each target row two 16-bit numbers for each pair, `stride` bytes from one target row
  ///     to the next.
  ///   - targets: 1 to 4.
  ///   - count: samples, a multiple of 128; outputs have room for as many 16-bit samples.
  ///   - shift: 1 to 16.
  ///   - bands: of four, pixels are stored two by two, as `pairPixels` does it.
  ///   - outputs: of each target row.
  ///   - ahead: addresses of `aheadCount` rows, of which `count` bytes from `aheadOffset` on are soon needed.
  static func weighRowsTogether8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ ranges: UnsafePointer<Int32>,
    _ coefficients: UnsafeRawPointer, _ stride: Int, _ targets: Int, _ count: Int, _ shift: Int,
    _ bands: Int, _ outputs: UnsafePointer<UnsafeMutableRawPointer>,
    _ ahead: UnsafePointer<UnsafeRawPointer>, _ aheadCount: Int, _ aheadOffset: Int
  ) {
    for target in 0..<targets {
      let (first, end) = (Int(ranges[2 * target]), Int(ranges[2 * target + 1]))
      weighRows(
        rows + 2 * first, offset, coefficients + target * stride, 2 * (end - first), count, shift,
        bands, outputs[target])
    }
  }

  /// One target row.
  private static func weighRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ coefficients: UnsafeRawPointer,
    _ rowCount: Int, _ count: Int, _ shift: Int, _ bands: Int, _ output: UnsafeMutableRawPointer
  ) {
    let half = SIMD16<Int32>(repeating: Int32(1) << Int32(shift - 1))
    for i in stride(from: 0, to: count, by: 16) {
      var sums = half
      for k in 0..<rowCount {
        let weight = coefficients.loadUnaligned(fromByteOffset: 2 * k, as: Int16.self)
        let samples = (rows[k] + offset + i).loadUnaligned(as: SIMD16<UInt8>.self)
        sums &+= SIMD16<Int32>(truncatingIfNeeded: samples) &* Int32(weight)
      }
      let words = (sums &>> Int32(shift)).clamped(
        lowerBound: SIMD16(repeating: -32768), upperBound: SIMD16(repeating: 32767))
      let samples = SIMD16<Int16>(truncatingIfNeeded: words)
      var ordered = samples
      if bands == 4 {
        for pixel in 0..<4 {
          for band in 0..<4 {
            ordered[pixel / 2 * 8 + band * 2 + pixel % 2] = samples[4 * pixel + band]
          }
        }
      }
      (output + 2 * i).storeBytes(of: ordered, as: SIMD16<Int16>.self)
    }
  }

  /// Target pixels that had best begin with the same source pixel.
  static let pixelsTogether = 1

  /// Interleaves the pixels of `rows` two by two for `weighPixels8`: 16-bit samples as
  /// `r0 r1 g0 g1 b0 b1 x x`, 16 bytes a pair.
  ///
  /// Four lanes are filled whatever the bands: with 3 or 4 bands from one row, with 2 bands from two
  /// rows, with 1 band from four rows.
  ///
  /// - Parameters:
  ///   - rows: 1, 2 or 4 rows of interleaved 16-bit samples, readable 16 bytes past the last pair.
  ///   - pairs: how many pairs of pixels, even; `output` has room for 16 bytes each.
  static func pairPixels(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ bands: Int, _ pairs: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    let rowCount = max(1, 4 / bands)
    for index in 0..<pairs {
      for row in 0..<rowCount {
        for band in 0..<bands {
          let from = rows[row] + (2 * index * bands + band) * 2
          let to = output + index * 16 + (row * bands + band) * 4
          to.storeBytes(of: from.loadUnaligned(as: Int16.self), as: Int16.self)
          to.storeBytes(
            of: from.loadUnaligned(fromByteOffset: 2 * bands, as: Int16.self), toByteOffset: 2,
            as: Int16.self)
        }
      }
    }
  }

  /// Weighs pixels of one pair-interleaved row into 8-bit pixels of four bands:
  /// `output[step x + band] = clamp((Σ c[x taps + k] row[starts[x] + k][band] + half) >> shift)`.
  ///
  /// - Parameters:
  ///   - starts: `count` even pixel indices; `row` is readable for `taps` pixels from each.
  ///   - taps: a multiple of 4.
  ///   - step: bytes from one target pixel to the next; four are written for each, from left to right.
  static func weighPixels8(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer, _ step: Int
  ) {
    for x in 0..<count {
      let sums = weighedPixel(row + Int(starts[x]) * 8, weights + x * taps, taps, shift)
      let bytes = sums.clamped(
        lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
      (output + step * x).storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: bytes), as: SIMD4<UInt8>.self)
    }
  }

  /// `weighPixels8` for four rows. `rows` and `outputs` hold four addresses each.
  static func weighPixelsOfFourRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ shift: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>, _ step: Int
  ) {
    for row in 0..<4 {
      weighPixels8(rows[row], starts, weights, taps, count, shift, outputs[row], step)
    }
  }

  /// Weighs rows of 16-bit samples into one row of 8-bit ones:
  /// `output[i] = clamp((Σ coefficients[k] rows[k][i] + half) >> shift)`.
  ///
  /// - Parameters:
  ///   - rows: `taps` rows of at least `count` samples.
  ///   - taps: even.
  ///   - count: samples, a multiple of 64.
  ///   - shift: at least 1.
  static func weighRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ coefficients: UnsafePointer<Int16>, _ taps: Int,
    _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer
  ) {
    let half = SIMD16<Int32>(repeating: Int32(1) << Int32(shift - 1))
    for i in stride(from: 0, to: count, by: 16) {
      var sums = half
      for k in 0..<taps {
        let samples = (rows[k] + 2 * i).loadUnaligned(as: SIMD16<Int16>.self)
        sums &+= SIMD16<Int32>(truncatingIfNeeded: samples) &* Int32(coefficients[k])
      }
      let bytes = (sums &>> Int32(shift)).clamped(
        lowerBound: SIMD16(repeating: 0), upperBound: SIMD16(repeating: 255))
      (output + i).storeBytes(
        of: SIMD16<UInt8>(truncatingIfNeeded: bytes), as: SIMD16<UInt8>.self)
    }
  }

  /// Weighs sums of two rows each into one row of 16-bit samples:
  /// `output[i] = (Σ coefficients[k] (rows[2k][i] + rows[2k + 1][i]) + half) >> shift`, saturated.
  ///
  /// - Parameters:
  ///   - rows: `2 * terms` rows of at least `count` 16-bit samples; sums of two fit 16 bits.
  ///   - terms: even.
  ///   - count: samples, a multiple of 64.
  ///   - shift: at least 1.
  static func weighRowSums16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ coefficients: UnsafePointer<Int16>, _ terms: Int,
    _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer
  ) {
    for i in stride(from: 0, to: count, by: 16) {
      var sums = SIMD16<Int32>(repeating: Int32(1) << Int32(shift - 1))
      for k in 0..<terms {
        let upper = (rows[2 * k] + 2 * i).loadUnaligned(as: SIMD16<Int16>.self)
        let lower = (rows[2 * k + 1] + 2 * i).loadUnaligned(as: SIMD16<Int16>.self)
        sums &+= SIMD16<Int32>(truncatingIfNeeded: upper &+ lower) &* Int32(coefficients[k])
      }
      let words = (sums &>> Int32(shift)).clamped(
        lowerBound: SIMD16(repeating: -32768), upperBound: SIMD16(repeating: 32767))
      (output + 2 * i).storeBytes(
        of: SIMD16<Int16>(truncatingIfNeeded: words), as: SIMD16<Int16>.self)
    }
  }

  /// `weighRows16` for two target rows that are made of the same rows.
  static func weighRowsOfTwo16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ first: UnsafePointer<Int16>,
    _ second: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ shift: Int,
    _ output: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer
  ) {
    weighRows16(rows, first, taps, count, shift, output)
    weighRows16(rows, second, taps, count, shift, other)
  }

  /// `weighPixels8` into 16-bit samples, saturated, eight bytes for each target pixel.
  static func weighPixels16(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer, _ step: Int
  ) {
    for x in 0..<count {
      let sums = weighedPixel(row + Int(starts[x]) * 8, weights + x * taps, taps, shift)
      let words = sums.clamped(
        lowerBound: SIMD4(repeating: -32768), upperBound: SIMD4(repeating: 32767))
      (output + step * x).storeBytes(
        of: SIMD4<Int16>(truncatingIfNeeded: words), as: SIMD4<Int16>.self)
    }
  }

  /// `weighPixels16` for four rows. `rows` and `outputs` hold four addresses each.
  static func weighPixelsOfFourRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ shift: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>, _ step: Int
  ) {
    for row in 0..<4 {
      weighPixels16(rows[row], starts, weights, taps, count, shift, outputs[row], step)
    }
  }

  /// The rounded, shifted sums of four lanes over `taps` pixels, which lie two by two.
  @inline(__always)
  private static func weighedPixel(
    _ pixel: UnsafeRawPointer, _ weights: UnsafePointer<Int16>, _ taps: Int, _ shift: Int
  ) -> SIMD4<Int32> {
    (weighedPixel(pixel, weights, taps) &+ Int32(1) << Int32(shift - 1)) &>> Int32(shift)
  }

  /// The sums of four lanes over `taps` pixels, which lie two by two.
  @inline(__always)
  static func weighedPixel(
    _ pixel: UnsafeRawPointer, _ weights: UnsafePointer<Int16>, _ taps: Int
  ) -> SIMD4<Int32> {
    var sums = SIMD4<Int32>(repeating: 0)
    for k in stride(from: 0, to: taps, by: 2) {
      let pair = (pixel + k * 8).loadUnaligned(as: SIMD8<Int16>.self)
      sums &+= SIMD4<Int32>(truncatingIfNeeded: pair.evenHalf) &* Int32(weights[k])
      sums &+= SIMD4<Int32>(truncatingIfNeeded: pair.oddHalf) &* Int32(weights[k + 1])
    }
    return sums
  }
}
