import CKernels

/// Resampling in plain loops: what every other variant must equal, and the one that runs where there is no other.
/// Contracts are those of `ResampleKernels`.
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

  /// The sums of the four bands of a target pixel; source pixels lie two by two.
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
