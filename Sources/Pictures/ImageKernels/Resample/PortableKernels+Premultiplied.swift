// 8-bit pixels of four bands, whose colours are weighted by their alpha, the last band, in integers.
extension PortableKernels {
  /// Multiplies the colours of pairs of rows by their alpha, and alpha by 255, halves the products, and interleaves
  /// the two rows of a pair for `weighPremultipliedPairs8`, four bytes a column, in an order of its own.
  ///
  /// - Parameters:
  ///   - rows: two for each pair.
  ///   - offset: bytes from their addresses to the first sample's.
  ///   - count: samples, a multiple of 64; `outputs` have room for 4 bytes each.
  ///   - ahead: how many bytes after what is read now will be needed next.
  ///   - outputs: of each pair.
  static func premultiplyPairs8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ pairs: Int, _ offset: Int, _ count: Int,
    _ ahead: Int, _ outputs: UnsafePointer<UnsafeRawPointer>
  ) {
    for pair in 0..<pairs {
      let products = UnsafeMutableRawPointer(mutating: outputs[pair])
        .assumingMemoryBound(to: UInt16.self)
      for i in stride(from: 0, to: count, by: 4) {
        for row in 0..<2 {
          let pixel = (rows[2 * pair + row] + offset + i).loadUnaligned(as: SIMD4<UInt8>.self)
          let alpha = UInt16(pixel[3])
          for band in 0..<4 {
            let factor = band < 3 ? alpha : 255
            products[2 * (i + band) + row] = UInt16(pixel[band]) * factor / 2
          }
        }
      }
    }
  }

  /// Weighs pairs of rows, as `premultiplyPairs8` makes them, into target rows of 16-bit samples, pixels two by
  /// two as `pairPixels` stores them:
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half - (16256 << shift)) >> shift`.
  ///
  /// - Parameters:
  ///   - pairs: their addresses.
  ///   - count: samples, a multiple of 64.
  ///   - ranges: of each target row the first of its pairs and the end; neither ever goes back.
  ///   - coefficients: of each target row two 16-bit numbers for each of its pairs, `stride` bytes from one row
  ///     to the next.
  ///   - shift: 1 to 16; results fit 16 bits.
  ///   - outputs: of each target row.
  static func weighPremultipliedPairs8(
    _ pairs: UnsafePointer<UnsafeRawPointer>, _ count: Int, _ ranges: UnsafePointer<Int32>,
    _ coefficients: UnsafeRawPointer, _ stride: Int, _ targets: Int, _ shift: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let shift = Int32(shift)
    let half = Int32(1) << (shift - 1) &- Int32(PremultipliedPlan.middle) << shift
    for target in 0..<targets {
      let (first, end) = (Int(ranges[2 * target]), Int(ranges[2 * target + 1]))
      for i in Swift.stride(from: 0, to: count, by: 4) {
        var sums = SIMD4<Int32>(repeating: half)
        for k in first..<end {
          let weights = (coefficients + target * stride + 4 * (k - first))
            .loadUnaligned(as: SIMD2<Int16>.self)
          let both = (pairs[k] + 4 * i).loadUnaligned(as: SIMD8<Int16>.self)
          sums &+= SIMD4<Int32>(truncatingIfNeeded: both.evenHalf) &* Int32(weights.x)
          sums &+= SIMD4<Int32>(truncatingIfNeeded: both.oddHalf) &* Int32(weights.y)
        }
        let samples = SIMD4<Int16>(truncatingIfNeeded: sums &>> shift)
        let pixel = outputs[target] + i / 8 * 16 + i / 4 % 2 * 2
        for band in 0..<4 {
          pixel.storeBytes(of: samples[band], toByteOffset: 4 * band, as: Int16.self)
        }
      }
    }
  }

  /// `weighPixels8` into floats: `output[x] = scale × Σ + offset`, product and sum rounded apart, four floats
  /// for each target pixel.
  static func weighPixelsIntoLanes(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ scale: Float, _ offset: Float, _ output: UnsafeMutableRawPointer
  ) {
    let lanes = output.assumingMemoryBound(to: SIMD4<Float>.self)
    for x in 0..<count {
      let sums = weighedPixel(row + Int(starts[x]) * 8, weights + x * taps, taps)
      lanes[x] = SIMD4<Float>(sums) * scale + offset
    }
  }

  /// `weighPixelsIntoLanes` for four rows. `rows` and `outputs` hold four addresses each.
  static func weighPixelsOfFourRowsIntoLanes(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ scale: Float, _ offset: Float,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    for row in 0..<4 {
      weighPixelsIntoLanes(rows[row], starts, weights, taps, count, scale, offset, outputs[row])
    }
  }

  /// Whether any pixel's last lane is at least `least` and less than `most`, both above 0.
  ///
  /// - Parameters:
  ///   - lanes: floats, four a pixel.
  ///   - count: pixels, a multiple of 4.
  static func hasFaintPixels(
    _ lanes: UnsafeRawPointer, _ count: Int, _ least: Float, _ most: Float
  ) -> Bool {
    (0..<count).contains {
      (least..<most).contains(lanes.load(fromByteOffset: 16 * $0 + 12, as: Float.self))
    }
  }
}
