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

  /// Reads 8-bit pixels of three colours and alpha into four floats each, colours times alpha / 255.
  static func premultiply8(
    _ input: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let output = output.assumingMemoryBound(to: SIMD4<Float>.self)
    for x in 0..<count {
      let lanes = SIMD4<Float>((input + 4 * x).loadUnaligned(as: SIMD4<UInt8>.self))
      var factor = SIMD4<Float>(repeating: lanes.w * (1 / 255))
      factor.w = 1
      output[x] = lanes * factor
    }
  }

  /// Turns four floats a pixel, colours times alpha, into 8-bit pixels of straight alpha, rounded to
  /// nearest and clamped. Where alpha rounds to 0 the pixel is all 0.
  static func unpremultiply8(
    _ lanes: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let lanes = lanes.assumingMemoryBound(to: SIMD4<Float>.self)
    for x in 0..<count {
      var bytes = SIMD4<UInt8>(repeating: 0)
      let alpha = lanes[x].w
      if alpha >= 0.5 {
        var factor = SIMD4<Float>(repeating: 255 / alpha)
        factor.w = 1
        let straight = (lanes[x] * factor).clamped(
          lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
        bytes = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(straight + 0.5))
      }
      (output + 4 * x).storeBytes(of: bytes, as: SIMD4<UInt8>.self)
    }
  }

  /// Samples a picture of four 16-bit lanes a pixel at points `(x, y)`, given as whole pixel and phase:
  /// `output[i] = Σj down[phaseY[i], j] Σk across[phaseX[i], k] pixel(x[i] + k, y[i] + j)`, even and odd
  /// `k` summed apart.
  ///
  /// - Parameters:
  ///   - offsets: for each of `count` points, bytes from `frame` to its first tap.
  ///   - phases: for each point, the phase across and the phase down.
  ///   - across: `taps` weights for each phase; `down`: likewise.
  ///   - stride: bytes from one row of `frame` to the next.
  ///   - taps: 2, 4 or 6.
  ///   - output: four floats a point.
  static func samplePoints(
    _ frame: UnsafeRawPointer, _ stride: Int, _ offsets: UnsafePointer<Int>,
    _ phases: UnsafePointer<Int32>, _ across: UnsafePointer<Float>, _ down: UnsafePointer<Float>,
    _ taps: Int, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let output = output.assumingMemoryBound(to: SIMD4<Float>.self)
    for i in 0..<count {
      let weights = across + Int(phases[2 * i]) * taps
      let rowWeights = down + Int(phases[2 * i + 1]) * taps
      var (even, odd) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
      for j in 0..<taps {
        let row = (frame + offsets[i] + j * stride).assumingMemoryBound(to: SIMD4<UInt16>.self)
        var (rowEven, rowOdd) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
        for k in Swift.stride(from: 0, to: taps, by: 2) {
          rowEven += SIMD4<Float>(row[k]) * weights[k]
          rowOdd += SIMD4<Float>(row[k + 1]) * weights[k + 1]
        }
        even += rowEven * rowWeights[j]
        odd += rowOdd * rowWeights[j]
      }
      output[i] = even + odd
    }
  }
}
