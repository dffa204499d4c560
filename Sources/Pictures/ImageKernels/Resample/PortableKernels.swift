import CKernels

/// The kernels in plain loops: the reference for all other variants, and the fallback for processors without a variant
/// of their own. `ResampleKernels` describes what each kernel does.
enum PortableKernels {
  static func filterRows8(_ pass: UnsafePointer<VerticalPass8>) {
    let pass = pass.pointee
    for target in 0..<pass.targets { filterRow8(pass, target) }
  }

  private static func filterRow8(_ pass: VerticalPass8, _ target: Int) {
    let (first, end) = (Int(pass.ranges[2 * target]), Int(pass.ranges[2 * target + 1]))
    let rows = pass.rows + 2 * first
    let coefficients = pass.coefficients + target * pass.stride
    let half = SIMD16<Int32>(repeating: Int32(1) << Int32(pass.shift - 1))
    for i in stride(from: 0, to: pass.count, by: 16) {
      var sums = half
      for k in 0..<2 * (end - first) {
        let weight = coefficients.loadUnaligned(fromByteOffset: 2 * k, as: Int16.self)
        let samples = (rows[k] + pass.offset + i).loadUnaligned(as: SIMD16<UInt8>.self)
        sums &+= SIMD16<Int32>(truncatingIfNeeded: samples) &* Int32(weight)
      }
      let words = (sums &>> Int32(pass.shift)).clamped(
        lowerBound: SIMD16(repeating: -32768), upperBound: SIMD16(repeating: 32767))
      let samples = SIMD16<Int16>(truncatingIfNeeded: words)
      var ordered = samples
      if pass.bands == 4 {
        for pixel in 0..<4 {
          for band in 0..<4 { ordered[pixel / 2 * 8 + band * 2 + pixel % 2] = samples[4 * pixel + band] }
        }
      }
      (pass.outputs[target] + 2 * i).storeBytes(of: ordered, as: SIMD16<Int16>.self)
    }
  }

  static func pairPixels(_ rows: RowAddresses, _ bands: Int, _ pairs: Int, _ output: UnsafeMutableRawPointer) {
    let rowCount = max(1, 4 / bands)
    for index in 0..<pairs {
      for row in 0..<rowCount {
        for band in 0..<bands {
          let from = rows[row] + (2 * index * bands + band) * 2
          let to = output + index * 16 + (row * bands + band) * 4
          to.storeBytes(of: from.loadUnaligned(as: Int16.self), as: Int16.self)
          to.storeBytes(
            of: from.loadUnaligned(fromByteOffset: 2 * bands, as: Int16.self), toByteOffset: 2, as: Int16.self)
        }
      }
    }
  }

  static func filterPixels8(_ pass: UnsafePointer<HorizontalPass>) {
    let pass = pass.pointee
    for row in 0..<pass.rowCount {
      for x in 0..<pass.count {
        let bytes = rounded(sums(pass, row, x), pass.shift).clamped(
          lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
        (pass.outputs[row] + pass.step * x).storeBytes(
          of: SIMD4<UInt8>(truncatingIfNeeded: bytes), as: SIMD4<UInt8>.self)
      }
    }
  }

  static func filterPixels16(_ pass: UnsafePointer<HorizontalPass>) {
    let pass = pass.pointee
    for row in 0..<pass.rowCount {
      for x in 0..<pass.count {
        let words = rounded(sums(pass, row, x), pass.shift).clamped(
          lowerBound: SIMD4(repeating: -32768), upperBound: SIMD4(repeating: 32767))
        (pass.outputs[row] + pass.step * x).storeBytes(
          of: SIMD4<Int16>(truncatingIfNeeded: words), as: SIMD4<Int16>.self)
      }
    }
  }

  static func filterPixelsIntoLanes(_ pass: UnsafePointer<HorizontalPass>) {
    let pass = pass.pointee
    for row in 0..<pass.rowCount {
      let lanes = pass.outputs[row].assumingMemoryBound(to: SIMD4<Float>.self)
      for x in 0..<pass.count { lanes[x] = SIMD4<Float>(sums(pass, row, x)) * pass.scale + pass.middle }
    }
  }

  /// Returns the sums of the four bands of a target pixel; source pixels are stored in pairs.
  @inline(__always)
  private static func sums(_ pass: HorizontalPass, _ row: Int, _ x: Int) -> SIMD4<Int32> {
    let pixel = pass.rows[row] + Int(pass.starts[x]) * 8
    let weights = pass.coefficients + x * pass.taps
    var sums = SIMD4<Int32>(repeating: 0)
    for k in stride(from: 0, to: pass.taps, by: 2) {
      let pair = (pixel + k * 8).loadUnaligned(as: SIMD8<Int16>.self)
      sums &+= SIMD4<Int32>(truncatingIfNeeded: pair.evenHalf) &* Int32(weights[k])
      sums &+= SIMD4<Int32>(truncatingIfNeeded: pair.oddHalf) &* Int32(weights[k + 1])
    }
    return sums
  }

  @inline(__always)
  private static func rounded(_ sums: SIMD4<Int32>, _ shift: Int) -> SIMD4<Int32> {
    (sums &+ Int32(1) << Int32(shift - 1)) &>> Int32(shift)
  }

  static func filterRows16(_ pass: UnsafePointer<VerticalPass16>) {
    let pass = pass.pointee
    filterRow16(pass, pass.coefficients, pass.output)
    if let next = pass.nextCoefficients, let output = pass.nextOutput { filterRow16(pass, next, output) }
  }

  private static func filterRow16(
    _ pass: VerticalPass16, _ coefficients: UnsafePointer<Int16>,
    _ output: UnsafeMutableRawPointer
  ) {
    let half = SIMD16<Int32>(repeating: Int32(1) << Int32(pass.shift - 1))
    for i in stride(from: 0, to: pass.count, by: 16) {
      var sums = half
      for k in 0..<pass.taps {
        let samples = (pass.rows[k] + 2 * i).loadUnaligned(as: SIMD16<Int16>.self)
        sums &+= SIMD16<Int32>(truncatingIfNeeded: samples) &* Int32(coefficients[k])
      }
      let bytes = (sums &>> Int32(pass.shift)).clamped(
        lowerBound: SIMD16(repeating: 0), upperBound: SIMD16(repeating: 255))
      (output + i).storeBytes(
        of: SIMD16<UInt8>(truncatingIfNeeded: bytes), as: SIMD16<UInt8>.self)
    }
  }

  static func filterRowSums16(_ pass: UnsafePointer<VerticalPass16>) {
    let pass = pass.pointee
    for i in stride(from: 0, to: pass.count, by: 16) {
      var sums = SIMD16<Int32>(repeating: Int32(1) << Int32(pass.shift - 1))
      for k in 0..<pass.taps {
        let upper = (pass.rows[2 * k] + 2 * i).loadUnaligned(as: SIMD16<Int16>.self)
        let lower = (pass.rows[2 * k + 1] + 2 * i).loadUnaligned(as: SIMD16<Int16>.self)
        sums &+=
          SIMD16<Int32>(truncatingIfNeeded: upper &+ lower) &* Int32(pass.coefficients[k])
      }
      let words = (sums &>> Int32(pass.shift)).clamped(
        lowerBound: SIMD16(repeating: -32768), upperBound: SIMD16(repeating: 32767))
      (pass.output + 2 * i).storeBytes(of: SIMD16<Int16>(truncatingIfNeeded: words), as: SIMD16<Int16>.self)
    }
  }
}

// MARK: - Premultiplied

/// The kernels for 8-bit pixels of four bands in integers, with colours multiplied by the last band, alpha.
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

// MARK: - Wide

/// The kernels for 16-bit samples without alpha.
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
        // The last bit of floats from 131,072 to 262,143 is 1/64, so adding and subtracting 196,608 rounds to 64ths.
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

// MARK: - Median

extension PortableKernels {
  /// The number of samples that are processed at a time. For squares of 5x5 samples, 14 blocks of 16-bit samples are
  /// kept, which fit into the first-level cache.
  private static var block: Int { 512 }

  /// Computes medians by forgetful selection.
  ///
  /// Among just over half of the samples, neither the least nor the greatest can be the median. Both are dropped, and
  /// the next sample is added, until one sample is left. Each step compares whole blocks.
  static func median(_ pass: UnsafePointer<MedianPass>) {
    let pass = pass.pointee
    let sources = (0..<pass.side * pass.side).map { place in
      pass.rows[place / pass.side] + place % pass.side * pass.pixelBytes
    }
    if pass.sampleBytes == 1 {
      median(UInt8.self, sources, pass.byteCount, pass.output)
    } else {
      median(UInt16.self, sources, pass.byteCount / 2, pass.output)
    }
  }

  private static func median<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ sources: [UnsafeRawPointer], _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let kept = sources.count / 2 + 2
    withUnsafeTemporaryAllocation(of: Sample.self, capacity: kept * block) { memory in
      let slots = memory.baseAddress!
      for first in stride(from: 0, to: count, by: block) {
        let length = min(block, count - first)
        func fill(_ slot: Int, _ source: Int) {
          UnsafeMutableRawPointer(slots + slot * block).copyMemory(
            from: sources[source] + first * MemoryLayout<Sample>.size, byteCount: length * MemoryLayout<Sample>.size)
        }
        for slot in 0..<kept { fill(slot, slot) }
        var (candidates, next) = (kept, kept)
        while candidates > 3 {
          separateExtremes(slots, candidates, length)
          fill(0, next)
          next += 1
          candidates -= 1
        }
        separateExtremes(slots, 3, length)
        (output + first * MemoryLayout<Sample>.size).copyMemory(
          from: slots + block, byteCount: length * MemoryLayout<Sample>.size)
      }
    }
  }

  /// Moves the least of the candidates to the first slot, and the greatest to the last, for each position of the block.
  private static func separateExtremes<Sample: FixedWidthInteger>(
    _ slots: UnsafeMutablePointer<Sample>, _ candidates: Int, _ length: Int
  ) {
    for slot in 0..<candidates / 2 {
      order(slots + slot * block, slots + (candidates - 1 - slot) * block, length)
    }
    for slot in 1..<(candidates + 1) / 2 { order(slots, slots + slot * block, length) }
    let last = slots + (candidates - 1) * block
    for slot in candidates / 2..<candidates - 1 { order(slots + slot * block, last, length) }
  }

  @inline(__always)
  private static func order<Sample: FixedWidthInteger>(
    _ lower: UnsafeMutablePointer<Sample>, _ upper: UnsafeMutablePointer<Sample>, _ length: Int
  ) {
    for index in 0..<length {
      let (left, right) = (lower[index], upper[index])
      lower[index] = min(left, right)
      upper[index] = max(left, right)
    }
  }
}
