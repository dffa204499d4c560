/// A matrix that makes each of three colour bands a sum of all three.
public struct BandMatrix: Sendable {
  /// The factors of red, green and blue for the bands of the result; the last lane is 0.
  private let red: SIMD4<Float>
  private let green: SIMD4<Float>
  private let blue: SIMD4<Float>

  /// - Parameter rows: nine factors: three rows, one for each band of the result.
  public init(rows: [Float]) {
    precondition(rows.count == 9, "a matrix of \(rows.count) factors")
    func column(_ index: Int) -> SIMD4<Float> { SIMD4(rows[index], rows[3 + index], rows[6 + index], 0) }
    red = column(0)
    green = column(1)
    blue = column(2)
  }

  /// Changes a row of 3 bands, or 4 with alpha, in place. Results are rounded to nearest and cut off at the limits.
  public func apply(_ row: UnsafeMutableRawPointer, width: Int, sampleBytes: Int, hasAlpha: Bool) {
    if sampleBytes == 1 {
      apply(row.assumingMemoryBound(to: UInt8.self), width, hasAlpha)
    } else {
      apply(row.assumingMemoryBound(to: UInt16.self), width, hasAlpha)
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
