import CKernels

// `filterPixelsFloat` has four partial sums, over taps 0 4 8…, 1 5 9…, 2 6 10… and 3 7 11…. They are added as (0 + 2) +
// (1 + 3). Products and sums are rounded separately. With this order, all vector widths give the same bits.
extension PortableKernels {
  static func filterPixelsFloat(_ pass: UnsafePointer<HorizontalPassFloat>) {
    let pass = pass.pointee
    for row in 0..<pass.rowCount {
      let lanes = pass.rows[row].assumingMemoryBound(to: SIMD4<Float>.self)
      let output = pass.outputs[row].assumingMemoryBound(to: SIMD4<Float>.self)
      for x in 0..<pass.count {
        let pixel = lanes + Int(pass.starts[x])
        let weight = pass.weights + x * pass.taps
        var (sum0, sum1) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
        var (sum2, sum3) = (sum0, sum1)
        for k in stride(from: 0, to: pass.taps, by: 4) {
          sum0 += pixel[k] * weight[k]
          sum1 += pixel[k + 1] * weight[k + 1]
          sum2 += pixel[k + 2] * weight[k + 2]
          sum3 += pixel[k + 3] * weight[k + 3]
        }
        output[x] = (sum0 + sum2) + (sum1 + sum3)
      }
    }
  }

  static func filterRowsFloat(_ pass: UnsafePointer<VerticalPassFloat>) {
    let pass = pass.pointee
    for at in stride(from: 0, to: pass.count * 4, by: 32) {
      var sum = SIMD8<Float>(repeating: 0)
      for k in 0..<pass.taps {
        sum += (pass.rows[k] + at).loadUnaligned(as: SIMD8<Float>.self) * pass.weights[k]
      }
      (pass.output + at).storeBytes(of: sum, as: SIMD8<Float>.self)
    }
  }

  static func floatSamples8(_ input: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    let samples = input.assumingMemoryBound(to: UInt8.self)
    let floats = output.assumingMemoryBound(to: Float.self)
    for i in 0..<count { floats[i] = Float(Int32(samples[i])) }
    premultiply(floats, count, bands, 255)
  }

  static func floatSamples16(_ input: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    let samples = input.assumingMemoryBound(to: UInt16.self)
    let floats = output.assumingMemoryBound(to: Float.self)
    for i in 0..<count { floats[i] = Float(Int32(samples[i])) }
    premultiply(floats, count, bands, 65_535)
  }

  private static func premultiply(_ floats: UnsafeMutablePointer<Float>, _ count: Int, _ bands: Int, _ top: Float) {
    guard bands > 0 else { return }
    for pixel in stride(from: 0, to: count, by: bands) {
      let factor = floats[pixel + bands - 1] * (1 / top)
      for band in 0..<bands - 1 { floats[pixel + band] *= factor }
    }
  }

  static func filterPremultipliedRows8(_ pass: UnsafePointer<VerticalPassIntoFloats>) {
    let pass = pass.pointee
    let unit = SIMD4<Float>(1 / 255, 1 / 255, 1 / 255, 1)
    for target in 0..<pass.targets {
      let (first, end) = (Int(pass.ranges[2 * target]), Int(pass.ranges[2 * target + 1]))
      let weights = pass.weights + target * pass.taps - first
      for i in stride(from: 0, to: pass.count, by: 4) {
        var sum = SIMD4<Float>(repeating: 0)
        for k in first..<end {
          let pixel = (pass.rows[k] + pass.offset + i).loadUnaligned(as: SIMD4<UInt8>.self)
          let lanes = SIMD4<Float>(pixel)
          let alpha = lanes.w
          sum += lanes * SIMD4(alpha, alpha, alpha, 1) * weights[k]
        }
        let to = pass.output + target * pass.stride + i * 4
        to.storeBytes(of: sum * unit, as: SIMD4<Float>.self)
      }
    }
  }

  static func spreadLanes(
    _ rows: RowAddresses, _ bands: Int, _ first: Int, _ count: Int, _ output: UnsafeMutableRawPointer
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

  static func storeLanes8(_ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    for x in 0..<count {
      let numbers = rounded((lanes + 16 * x).loadUnaligned(as: SIMD4<Float>.self), bands, 255)
      (output + 4 * x).storeBytes(of: SIMD4<UInt8>(truncatingIfNeeded: numbers), as: SIMD4<UInt8>.self)
    }
  }

  static func storeLanes16(_ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    for x in 0..<count {
      let numbers = rounded((lanes + 16 * x).loadUnaligned(as: SIMD4<Float>.self), bands, 65_535)
      (output + 8 * x).storeBytes(of: SIMD4<UInt16>(truncatingIfNeeded: numbers), as: SIMD4<UInt16>.self)
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

  static func samplePoints(_ points: UnsafePointer<PointSampling>) {
    let points = points.pointee
    let (taps, laneBytes) = (points.taps, points.laneBytes)
    let output = points.output.assumingMemoryBound(to: SIMD4<Float>.self)
    func lanes(_ pixel: UnsafeRawPointer) -> SIMD4<Float> {
      laneBytes == 1
        ? SIMD4<Float>(pixel.loadUnaligned(as: SIMD4<UInt8>.self))
        : SIMD4<Float>(pixel.loadUnaligned(as: SIMD4<UInt16>.self))
    }
    for i in 0..<points.count {
      let weights = points.across + Int(points.phases[2 * i]) * taps
      let rowWeights = points.down + Int(points.phases[2 * i + 1]) * taps
      var (even, odd) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
      for j in 0..<taps {
        let row = points.frame + points.offsets[i] + j * points.stride
        var (rowEven, rowOdd) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
        for k in stride(from: 0, to: taps, by: 2) {
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
