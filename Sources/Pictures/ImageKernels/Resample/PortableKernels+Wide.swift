import CKernels

/// 16-bit samples without alpha.
extension PortableKernels {
  static func filterWideRows(_ pass: UnsafePointer<VerticalPassIntoFloats>) {
    let pass = pass.pointee
    guard let lanes = pass.interleaved?.assumingMemoryBound(to: Float.self) else { return }
    for target in 0..<8 {
      let (first, end) =
        target < pass.targets
        ? (Int(pass.ranges[2 * target]), Int(pass.ranges[2 * target + 1])) : (0, 0)
      let weights = pass.weights + target * pass.taps - first
      for i in 0..<pass.count {
        var sum: Float = -32_768
        for k in first..<end {
          let at = pass.offset + 2 * i
          let sample = pass.rows[k].loadUnaligned(fromByteOffset: at, as: UInt16.self)
          sum.addProduct(Float(sample), weights[k])
        }
        // The last bit of a number from 131,072 to 262,143 is a 64th.
        lanes[8 * i + target] = (sum + 196_608) - 196_608
      }
    }
  }

  static func filterEightRows16(_ pass: UnsafePointer<HorizontalPassOfEight>) {
    let pass = pass.pointee
    let lanes = pass.lanes.assumingMemoryBound(to: SIMD8<Float>.self)
    let output = pass.output.assumingMemoryBound(to: SIMD8<UInt16>.self)
    let bands = pass.bands
    for x in pass.first..<pass.first + pass.count {
      let pixel = lanes + (Int(pass.starts[x]) - pass.origin) * bands
      let weights = pass.weights + x * pass.taps
      for band in 0..<bands {
        var even = SIMD8<Float>(repeating: 32_768.5)
        var odd = SIMD8<Float>(repeating: 0)
        for k in stride(from: 0, to: pass.taps, by: 2) {
          even.addProduct(pixel[k * bands + band], SIMD8(repeating: weights[k]))
          odd.addProduct(pixel[(k + 1) * bands + band], SIMD8(repeating: weights[k + 1]))
        }
        let sums = (even + odd).clamped(lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: 65_535))
        output[x * bands + band] = SIMD8<UInt16>(truncatingIfNeeded: SIMD8<Int32>(sums))
      }
    }
  }

  static func splitEightRows16(_ samples: UnsafeRawPointer, _ first: Int, _ count: Int, _ outputs: OutputAddresses) {
    for i in first..<first + count {
      for row in 0..<8 {
        let sample = samples.loadUnaligned(fromByteOffset: 16 * i + 2 * row, as: UInt16.self)
        outputs[row].storeBytes(of: sample, toByteOffset: 2 * i, as: UInt16.self)
      }
    }
  }
}
