/// Resampling of 16-bit samples without alpha.
extension PortableKernels {
  /// Weighs a block of columns of 16-bit rows into up to eight target rows of floats, less 32,768 and rounded
  /// to 64ths, and interleaves these: eight floats for each sample, one of each target row.
  ///
  /// Each sum begins at -32,768 and adds the products in the order of the rows, each by one fused step.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - count: samples, a multiple of 64; rows are readable for as many.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - weights: of each target row `taps` weights, whole multiples of 2^-24 up to 1.
  ///   - targets: 1 to 8; what is written for other target rows are any finite numbers.
  ///   - sums: room for `8 count` floats, which hold finite numbers.
  ///   - output: room for `8 count` floats.
  ///   - ahead: addresses of `aheadCount` rows, of which bytes `aheadFirst..<aheadEnd` are soon needed.
  static func weighWideRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ count: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ sums: UnsafeMutableRawPointer, _ output: UnsafeMutableRawPointer,
    _ ahead: UnsafePointer<UnsafeRawPointer>, _ aheadCount: Int, _ aheadFirst: Int, _ aheadEnd: Int
  ) {
    let lanes = output.assumingMemoryBound(to: Float.self)
    for target in 0..<8 {
      let (first, end) =
        target < targets ? (Int(ranges[2 * target]), Int(ranges[2 * target + 1])) : (0, 0)
      for i in 0..<count {
        var sum: Float = -32_768
        for k in first..<end {
          let sample = rows[k].loadUnaligned(fromByteOffset: offset + 2 * i, as: UInt16.self)
          sum.addProduct(Float(sample), weights[target * taps + k - first])
        }
        // The last bit of a number from 131,072 to 262,143 is a 64th.
        lanes[8 * i + target] = (sum + 196_608) - 196_608
      }
    }
  }

  /// Weighs pixels of eight interleaved rows, as `weighWideRows` makes them, into 16-bit samples:
  /// `output[x] = clamp(round(32768 + Σ weights[x taps + k] lanes[starts[x] - origin + k]))`, eight of each
  /// sample, one of each row.
  ///
  /// Sums run over the even taps, from 32,768.5 on, and over the odd ones, from 0 on, by fused steps; both are
  /// added at the end, and truncated.
  ///
  /// - Parameters:
  ///   - origin: the pixel that `lanes` begins with.
  ///   - weights: whole multiples of 2^-24 up to 1.
  ///   - taps: a multiple of 4; `lanes` is readable, and holds finite numbers, for as many pixels from each start.
  ///   - output: of pixel 0; pixels `first..<first + count` are written.
  static func weighEightRows16(
    _ lanes: UnsafeRawPointer, _ bands: Int, _ origin: Int, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Float>, _ taps: Int, _ first: Int, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    let lanes = lanes.assumingMemoryBound(to: SIMD8<Float>.self)
    let output = output.assumingMemoryBound(to: SIMD8<UInt16>.self)
    for x in first..<first + count {
      let pixel = lanes + (Int(starts[x]) - origin) * bands
      for band in 0..<bands {
        var even = SIMD8<Float>(repeating: 32_768.5)
        var odd = SIMD8<Float>(repeating: 0)
        for k in stride(from: 0, to: taps, by: 2) {
          even.addProduct(pixel[k * bands + band], SIMD8(repeating: weights[x * taps + k]))
          odd.addProduct(pixel[(k + 1) * bands + band], SIMD8(repeating: weights[x * taps + k + 1]))
        }
        let sums = (even + odd).clamped(
          lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: 65_535))
        output[x * bands + band] = SIMD8<UInt16>(truncatingIfNeeded: SIMD8<Int32>(sums))
      }
    }
  }

  /// Splits eight interleaved rows of 16-bit samples.
  ///
  /// - Parameters:
  ///   - samples: eight of each sample, one of each row.
  ///   - first: the first sample, and where it goes in the outputs.
  ///   - count: samples; nothing else is written.
  ///   - outputs: eight addresses.
  static func splitEightRows16(
    _ samples: UnsafeRawPointer, _ first: Int, _ count: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    for i in first..<first + count {
      for row in 0..<8 {
        let sample = samples.loadUnaligned(fromByteOffset: 16 * i + 2 * row, as: UInt16.self)
        outputs[row].storeBytes(of: sample, toByteOffset: 2 * i, as: UInt16.self)
      }
    }
  }
}
