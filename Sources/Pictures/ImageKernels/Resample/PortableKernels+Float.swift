// Sums run over the taps in four interleaved parts, 0 4 8…, 1 5 9…, 2 6 10…, 3 7 11…, which are added as
// (0 + 2) + (1 + 3); products and sums are rounded apart. All widths of vectors give the same bits so.
extension PortableKernels {
  /// The horizontal pass: `output[x] = Σ weights[x taps + k] lanes[starts[x] + k]`, four floats a pixel.
  ///
  /// - Parameters:
  ///   - taps: a multiple of 4; `lanes` is readable, and finite, for as many pixels from each start.
  static func weighPixelsFloat(
    _ lanes: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
    _ taps: Int, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let lanes = lanes.assumingMemoryBound(to: SIMD4<Float>.self)
    let output = output.assumingMemoryBound(to: SIMD4<Float>.self)
    for x in 0..<count {
      let pixel = lanes + Int(starts[x])
      let weight = weights + x * taps
      var (sum0, sum1) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
      var (sum2, sum3) = (sum0, sum1)
      for k in stride(from: 0, to: taps, by: 4) {
        sum0 += pixel[k] * weight[k]
        sum1 += pixel[k + 1] * weight[k + 1]
        sum2 += pixel[k + 2] * weight[k + 2]
        sum3 += pixel[k + 3] * weight[k + 3]
      }
      output[x] = (sum0 + sum2) + (sum1 + sum3)
    }
  }

  /// The vertical pass: `output[i] = Σ weights[k] rows[k][i]`, summed in the order of `k`.
  ///
  /// - Parameter count: floats, a multiple of 32.
  static func weighRowsFloat(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Float>, _ taps: Int,
    _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    for at in stride(from: 0, to: count * 4, by: 32) {
      var sum = SIMD8<Float>(repeating: 0)
      for k in 0..<taps {
        sum += (rows[k] + at).loadUnaligned(as: SIMD8<Float>.self) * weights[k]
      }
      (output + at).storeBytes(of: sum, as: SIMD8<Float>.self)
    }
  }

  /// `weighPixelsFloat` for four rows. `rows` and `outputs` hold four addresses each.
  static func weighPixelsOfFourRowsFloat(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    for row in 0..<4 { weighPixelsFloat(rows[row], starts, weights, taps, count, outputs[row]) }
  }

  /// Turns 8-bit samples into floats of the same value, colours weighted by alpha:
  /// `colour × (alpha × (1 / 255))`.
  ///
  /// - Parameters:
  ///   - count: samples, a multiple of 64; `input` is readable for as many.
  ///   - bands: 4 or 2 where the last of as many bands is alpha, else 0.
  static func floatSamples8(
    _ input: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer
  ) {
    let samples = input.assumingMemoryBound(to: UInt8.self)
    let floats = output.assumingMemoryBound(to: Float.self)
    for i in 0..<count { floats[i] = Float(Int32(samples[i])) }
    weighByAlpha(floats, count, bands, 255)
  }

  /// `floatSamples8` for 16-bit samples, full alpha being 65,535.
  static func floatSamples16(
    _ input: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer
  ) {
    let samples = input.assumingMemoryBound(to: UInt16.self)
    let floats = output.assumingMemoryBound(to: Float.self)
    for i in 0..<count { floats[i] = Float(Int32(samples[i])) }
    weighByAlpha(floats, count, bands, 65_535)
  }

  private static func weighByAlpha(
    _ floats: UnsafeMutablePointer<Float>, _ count: Int, _ bands: Int, _ top: Float
  ) {
    guard bands > 0 else { return }
    for pixel in stride(from: 0, to: count, by: bands) {
      let factor = floats[pixel + bands - 1] * (1 / top)
      for band in 0..<bands - 1 { floats[pixel + band] *= factor }
    }
  }

  /// Weighs a block of columns of 8-bit rows of four bands, the last of which is alpha, into up to four target
  /// rows of floats, colours weighted by alpha: `Σ weight × (colour × alpha)`, times 1 / 255, and
  /// `Σ weight × alpha`, products and sums rounded apart, in the order of the rows.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - count: samples, a multiple of 64; rows are readable for as many.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - weights: of each target row `taps` weights.
  ///   - targets: 1 to 4.
  ///   - output: room for `count` floats of each target row, `stride` bytes apart.
  static func weighPremultipliedRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _: Int, _ offset: Int, _ count: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int, _: Int, _: Int
  ) {
    let unit = SIMD4<Float>(1 / 255, 1 / 255, 1 / 255, 1)
    for target in 0..<targets {
      let (first, end) = (Int(ranges[2 * target]), Int(ranges[2 * target + 1]))
      for i in Swift.stride(from: 0, to: count, by: 4) {
        var sum = SIMD4<Float>(repeating: 0)
        for k in first..<end {
          let pixel = (rows[k] + offset + i).loadUnaligned(as: SIMD4<UInt8>.self)
          let lanes = SIMD4<Float>(pixel)
          let alpha = lanes.w
          sum += lanes * SIMD4(alpha, alpha, alpha, 1) * weights[target * taps + k - first]
        }
        let to = output + target * stride + i * 4
        to.storeBytes(of: sum * unit, as: SIMD4<Float>.self)
      }
    }
  }

  /// Spreads floats over four lanes a pixel: pixels of 3 bands from one row, whose fourth lane is what
  /// follows them, of 2 bands from two rows, of 1 band from four rows.
  ///
  /// - Parameters:
  ///   - rows: 1, 2 or 4 rows, readable for `count` pixels rounded up to 4, and 16 bytes more.
  ///   - first: the first pixel, of the rows and of `output`.
  ///   - count: pixels; `output` has room for as many rounded up to 4, four floats each.
  static func spreadLanes(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ bands: Int, _ first: Int, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    for x in first..<first + count {
      for lane in 0..<4 {
        let band = bands == 3 ? 3 * x + lane : bands * x + lane % bands
        let row = rows[bands == 3 ? 0 : lane / bands]
        let value = row.loadUnaligned(fromByteOffset: 4 * band, as: Float.self)
        output.storeBytes(of: value, toByteOffset: 16 * x + 4 * lane, as: Float.self)
      }
    }
  }

  /// Turns lanes into 8-bit samples: divides colours by alpha, rounds to nearest and clamps. Where alpha
  /// rounds to 0 all samples of the pixel are 0.
  ///
  /// - Parameters:
  ///   - lanes: floats, four a pixel.
  ///   - count: pixels, a multiple of 4.
  ///   - bands: 4 or 2 where the last of as many lanes is alpha, else 0.
  static func storeLanes8(
    _ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer
  ) {
    for x in 0..<count {
      let numbers = rounded((lanes + 16 * x).loadUnaligned(as: SIMD4<Float>.self), bands, 255)
      (output + 4 * x).storeBytes(
        of: SIMD4<UInt8>(truncatingIfNeeded: numbers), as: SIMD4<UInt8>.self)
    }
  }

  /// `storeLanes8` for 16-bit samples.
  static func storeLanes16(
    _ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer
  ) {
    for x in 0..<count {
      let numbers = rounded((lanes + 16 * x).loadUnaligned(as: SIMD4<Float>.self), bands, 65_535)
      (output + 8 * x).storeBytes(
        of: SIMD4<UInt16>(truncatingIfNeeded: numbers), as: SIMD4<UInt16>.self)
    }
  }

  private static func rounded(_ lanes: SIMD4<Float>, _ bands: Int, _ top: Float) -> SIMD4<Int32> {
    var lanes = lanes
    if bands > 0 {
      for first in stride(from: 0, to: 4, by: bands) {
        let alpha = lanes[first + bands - 1]
        for band in first..<first + bands - 1 { lanes[band] *= top / alpha }
        if alpha < 0.5 { for band in first..<first + bands { lanes[band] = 0 } }
      }
    }
    var numbers = SIMD4<Int32>(repeating: 0)
    for lane in 0..<4 {
      let value = lanes[lane]
      numbers[lane] = Int32((value > 0 ? value < top ? value : top : 0) + 0.5)
    }
    return numbers
  }

  /// Samples a picture of four lanes a pixel, of 8 or 16 bits, at points `(x, y)`, given as whole pixel and phase:
  /// `output[i] = Σj down[phaseY[i], j] Σk across[phaseX[i], k] pixel(x[i] + k, y[i] + j)`, even and odd
  /// `k` summed apart.
  ///
  /// - Parameters:
  ///   - laneBytes: 1 or 2.
  ///   - offsets: for each of `count` points, bytes from `frame` to its first tap.
  ///   - phases: for each point, the phase across and the phase down.
  ///   - across: `taps` weights for each phase; `down`: likewise.
  ///   - stride: bytes from one row of `frame` to the next.
  ///   - taps: 2, 4 or 6.
  ///   - output: four floats a point.
  static func samplePoints(
    _ frame: UnsafeRawPointer, _ laneBytes: Int, _ stride: Int, _ offsets: UnsafePointer<Int>,
    _ phases: UnsafePointer<Int32>, _ across: UnsafePointer<Float>, _ down: UnsafePointer<Float>,
    _ taps: Int, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let output = output.assumingMemoryBound(to: SIMD4<Float>.self)
    func lanes(_ pixel: UnsafeRawPointer) -> SIMD4<Float> {
      laneBytes == 1
        ? SIMD4<Float>(pixel.loadUnaligned(as: SIMD4<UInt8>.self))
        : SIMD4<Float>(pixel.loadUnaligned(as: SIMD4<UInt16>.self))
    }
    for i in 0..<count {
      let weights = across + Int(phases[2 * i]) * taps
      let rowWeights = down + Int(phases[2 * i + 1]) * taps
      var (even, odd) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
      for j in 0..<taps {
        let row = frame + offsets[i] + j * stride
        var (rowEven, rowOdd) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
        for k in Swift.stride(from: 0, to: taps, by: 2) {
          rowEven += lanes(row + 4 * laneBytes * k) * weights[k]
          rowOdd += lanes(row + 4 * laneBytes * (k + 1)) * weights[k + 1]
        }
        even += rowEven * rowWeights[j]
        odd += rowOdd * rowWeights[j]
      }
      output[i] = even + odd
    }
  }
}
