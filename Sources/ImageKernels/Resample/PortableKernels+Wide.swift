/// Resampling of 16-bit samples without alpha.
extension PortableKernels {
  /// Weighs rows of 16-bit samples into two rows of floats. Coefficients come in two parts of 16 bits, and
  /// 32,768 is taken from each sample to make it signed:
  /// `output[i] = highUnit Σ high[k] (rows[k][i] - 32768) + lowUnit Σ low[k] (rows[k][i] - 32768) + 32768`.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows, two for each pair.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - first: the first target row's coefficients: two high parts, two low ones for each pair.
  ///   - firstEnd: how many pairs of rows make it.
  ///   - second: the same for the second one, which is made of the pairs of `secondStart..<secondEnd`, all
  ///     counted from the first one's first; it begins and ends no earlier than that one.
  ///   - count: samples, a multiple of 64; `output0` and `output1` have room for as many floats.
  static func weighWideRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ first: UnsafePointer<Int16>,
    _ firstEnd: Int, _ second: UnsafePointer<Int16>, _ secondStart: Int, _ secondEnd: Int,
    _ highUnit: Float, _ lowUnit: Float, _ count: Int, _ output0: UnsafeMutableRawPointer,
    _ output1: UnsafeMutableRawPointer
  ) {
    for (weights, pairs, output) in [
      (first, 0..<firstEnd, output0), (second, secondStart..<secondEnd, output1),
    ] {
      let output = output.assumingMemoryBound(to: Float.self)
      for i in 0..<count {
        var (highSum, lowSum) = (Int32(0), Int32(0))
        for k in 0..<2 * pairs.count {
          let sample = rows[2 * pairs.lowerBound + k].loadUnaligned(
            fromByteOffset: offset + 2 * i, as: UInt16.self)
          let signed = Int32(Int16(bitPattern: sample ^ 0x8000))
          let weight = weights + k / 2 * 4 + k % 2
          highSum &+= signed &* Int32(weight[0])
          lowSum &+= signed &* Int32(weight[2])
        }
        output[i] = (Float(highSum) * highUnit + Float(lowSum) * lowUnit) + 32_768
      }
    }
  }

  /// Two rows of pixels of three floats into 16-bit samples:
  /// `output[x] = clamp(round(Σ weights[x taps + k] row[starts[x] + k]))`.
  ///
  /// - Parameters:
  ///   - rows: two addresses, as `outputs`.
  ///   - taps: a multiple of 5; rows are readable for as many pixels from each start.
  static func weighTriples16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    for row in 0..<2 {
      let samples = rows[row].assumingMemoryBound(to: Float.self)
      for x in 0..<count {
        let (pixel, weight) = (samples + Int(starts[x]) * 3, weights + x * taps)
        for band in 0..<3 {
          var parts = (Float(0), Float(0), Float(0), Float(0), Float(0))
          for k in stride(from: 0, to: taps, by: 5) {
            parts.0 += pixel[3 * k + band] * weight[k]
            parts.1 += pixel[3 * k + 3 + band] * weight[k + 1]
            parts.2 += pixel[3 * k + 6 + band] * weight[k + 2]
            parts.3 += pixel[3 * k + 9 + band] * weight[k + 3]
            parts.4 += pixel[3 * k + 12 + band] * weight[k + 4]
          }
          let sum = ((parts.0 + parts.2) + parts.4) + (parts.1 + parts.3)
          outputs[row].storeBytes(of: sample(sum), toByteOffset: 6 * x + 2 * band, as: UInt16.self)
        }
      }
    }
  }

  /// Two rows of pixels of four floats into 16-bit samples; otherwise as `weighTriples16`.
  ///
  /// - Parameter taps: a multiple of 4.
  static func weighQuads16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    for row in 0..<2 {
      for x in 0..<count {
        let sums = weighedPixel(rows[row] + Int(starts[x]) * 16, weights + x * taps, taps)
        for band in 0..<4 {
          outputs[row].storeBytes(
            of: sample(sums[band]), toByteOffset: 8 * x + 2 * band, as: UInt16.self)
        }
      }
    }
  }

  /// Four rows of single floats, interleaved to pixels of four, into four rows of 16-bit samples; otherwise as
  /// `weighQuads16`.
  ///
  /// - Parameter outputs: four addresses.
  static func weighSingles16(
    _ lanes: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
    _ taps: Int, _ count: Int, _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    for x in 0..<count {
      let sums = weighedPixel(lanes + Int(starts[x]) * 16, weights + x * taps, taps)
      for row in 0..<4 {
        outputs[row].storeBytes(of: sample(sums[row]), toByteOffset: 2 * x, as: UInt16.self)
      }
    }
  }

  /// Four lanes over `taps` pixels, summed in the order of `weighPixelsFloat`.
  private static func weighedPixel(
    _ pixel: UnsafeRawPointer, _ weight: UnsafePointer<Float>, _ taps: Int
  ) -> SIMD4<Float> {
    let pixel = pixel.assumingMemoryBound(to: SIMD4<Float>.self)
    var (sum0, sum1) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
    var (sum2, sum3) = (sum0, sum1)
    for k in stride(from: 0, to: taps, by: 4) {
      sum0 += pixel[k] * weight[k]
      sum1 += pixel[k + 1] * weight[k + 1]
      sum2 += pixel[k + 2] * weight[k + 2]
      sum3 += pixel[k + 3] * weight[k + 3]
    }
    return (sum0 + sum2) + (sum1 + sum3)
  }

  private static func sample(_ value: Float) -> UInt16 {
    UInt16((value > 0 ? value < 65_535 ? value : 65_535 : 0) + 0.5)
  }
}
