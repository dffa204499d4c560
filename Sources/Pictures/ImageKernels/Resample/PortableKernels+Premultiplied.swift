import CKernels

/// 8-bit pixels of four bands in integers, colours multiplied by alpha, which is the last band.
extension PortableKernels {
  static func premultiplyPairs8(_ products: UnsafePointer<PairProducts>) {
    let (rows, offset) = (products.pointee.rows, products.pointee.offset)
    for pair in 0..<products.pointee.pairs {
      let output = UnsafeMutableRawPointer(mutating: products.pointee.outputs[pair])
        .assumingMemoryBound(to: UInt16.self)
      for i in stride(from: 0, to: products.pointee.count, by: 4) {
        for row in 0..<2 {
          let pixel = (rows[2 * pair + row] + offset + i).loadUnaligned(as: SIMD4<UInt8>.self)
          let alpha = UInt16(pixel[3])
          for band in 0..<4 {
            let factor = band < 3 ? alpha : 255
            output[2 * (i + band) + row] = UInt16(pixel[band]) * factor / 2
          }
        }
      }
    }
  }

  static func filterPremultipliedPairs8(_ pass: UnsafePointer<VerticalPass8>) {
    let pass = pass.pointee
    let shift = Int32(pass.shift)
    let half = Int32(1) << (shift - 1) &- Int32(PremultipliedPlan.middle) << shift
    for target in 0..<pass.targets {
      let (first, end) = (Int(pass.ranges[2 * target]), Int(pass.ranges[2 * target + 1]))
      let coefficients = pass.coefficients + target * pass.stride
      for i in stride(from: 0, to: pass.count, by: 4) {
        var sums = SIMD4<Int32>(repeating: half)
        for k in first..<end {
          let weights = (coefficients + 4 * (k - first)).loadUnaligned(as: SIMD2<Int16>.self)
          let both = (pass.rows[k] + 4 * i).loadUnaligned(as: SIMD8<Int16>.self)
          sums &+= SIMD4<Int32>(truncatingIfNeeded: both.evenHalf) &* Int32(weights.x)
          sums &+= SIMD4<Int32>(truncatingIfNeeded: both.oddHalf) &* Int32(weights.y)
        }
        let samples = SIMD4<Int16>(truncatingIfNeeded: sums &>> shift)
        let pixel = pass.outputs[target] + i / 8 * 16 + i / 4 % 2 * 2
        for band in 0..<4 { pixel.storeBytes(of: samples[band], toByteOffset: 4 * band, as: Int16.self) }
      }
    }
  }

  static func hasFaintPixels(_ lanes: UnsafeRawPointer, _ count: Int, _ least: Float, _ most: Float) -> Bool {
    (0..<count).contains {
      (least..<most).contains(lanes.load(fromByteOffset: 16 * $0 + 12, as: Float.self))
    }
  }
}
