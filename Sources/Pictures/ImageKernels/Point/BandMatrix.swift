/// A matrix that makes each of three colour bands a weighted sum of all three.
package struct BandMatrix: Sendable {
  /// The factors of red, green and blue for the bands of the result; the last lane is 0.
  private let red: SIMD4<Float>
  private let green: SIMD4<Float>
  private let blue: SIMD4<Float>

  /// - Parameter rows: nine factors: three rows, one for each band of the result.
  package init(rows: [Float]) {
    precondition(rows.count == 9, "a matrix of \(rows.count) factors")
    func column(_ index: Int) -> SIMD4<Float> { SIMD4(rows[index], rows[3 + index], rows[6 + index], 0) }
    red = column(0)
    green = column(1)
    blue = column(2)
  }

  /// Changes a row of 3 bands, or 4 with alpha, in place. Results are rounded to nearest and clipped.
  package func apply(_ row: UnsafeMutableRawPointer, width: Int, sampleBytes: Int, hasAlpha: Bool) {
    if sampleBytes == 1 {
      applyByTables(row.assumingMemoryBound(to: UInt8.self), width, hasAlpha)
    } else {
      apply(row.assumingMemoryBound(to: UInt16.self), width, hasAlpha)
    }
  }

  /// Changes a row of 8-bit samples through tables of the products for each level, which saves conversions to floats.
  /// The result is bit-identical to that of `apply`.
  private func applyByTables(_ row: UnsafeMutablePointer<UInt8>, _ width: Int, _ hasAlpha: Bool) {
    withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: 768) { memory in
      let products = memory.baseAddress!
      for level in 0..<256 {
        (products + level).initialize(to: red * Float(level))
        (products + 256 + level).initialize(to: green * Float(level))
        (products + 512 + level).initialize(to: blue * Float(level))
      }
      if hasAlpha {
        Self.add(products, row, width, step: 4)
      } else {
        Self.add(products, row, width, step: 3)
      }
    }
  }

  @inline(__always)
  private static func add(
    _ products: UnsafePointer<SIMD4<Float>>, _ row: UnsafeMutablePointer<UInt8>, _ width: Int, step: Int
  ) {
    var pixel = row
    for _ in 0..<width {
      let sum = products[Int(pixel[0])] + products[256 + Int(pixel[1])] + products[512 + Int(pixel[2])]
      let samples = UInt8.lowBits(nearest: sum)
      pixel[0] = UInt8(lowBits: samples[0])
      pixel[1] = UInt8(lowBits: samples[1])
      pixel[2] = UInt8(lowBits: samples[2])
      pixel += step
    }
  }

  private func apply<Sample: StoredSample>(_ row: UnsafeMutablePointer<Sample>, _ width: Int, _ hasAlpha: Bool) {
    var pixel = row
    let step = hasAlpha ? 4 : 3
    for _ in 0..<width {
      let sum = red * pixel[0].number + green * pixel[1].number + blue * pixel[2].number
      let samples = Sample.lowBits(nearest: sum)
      pixel[0] = Sample(lowBits: samples[0])
      pixel[1] = Sample(lowBits: samples[1])
      pixel[2] = Sample(lowBits: samples[2])
      pixel += step
    }
  }
}
