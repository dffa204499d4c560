import CKernels

/// Tables of a conversion between two matrix profiles for 8-bit samples.
///
/// The light of a pixel is the sum of three 64-bit numbers, one for each band of the source. Each number packs
/// contributions to the target's red, green and blue into 21 bits each, red in the lowest. No possible sum overflows
/// its 21 bits.
///
/// `@unchecked Sendable`: its memory is written only in `init`.
final class ByteMatrix: @unchecked Sendable {
  /// The packed light of 256 values of red, followed by that of green and of blue.
  private let parts: UnsafePointer<UInt64>
  /// The levels, indexed by the high bits of light, and the number of low bits that are dropped.
  private let levels: BandCurves.Tables<UInt8>
  private let levelShift: Int

  private static let laneBits = 21

  init(_ light: BandCurves, _ matrix: [Float], _ encoded: BandCurves) {
    let lights = (0..<3).map { band in
      (0..<256).map { light.value(Double($0) / 255 * Double(BandCurves.steps - 1), band) }
    }
    let range = Self.range(lights, matrix)
    // Because of rounding, sums deviate by at most 3 from the exact light.
    let one = Double((1 << Self.laneBits) - 16) / max(range.upperBound - range.lowerBound, 1e-3)
    let bias = 8 - range.lowerBound * one
    func lanes(_ value: (Int) -> Double) -> Int64 {
      (0..<3).reduce(0) { $0 &+ Int64(value($1).rounded()) << Int64(Self.laneBits * $1) }
    }
    let start = lanes { _ in bias }
    parts = makeTable(3 * 256) { index in
      let band = index / 256
      let part = lights[band][index % 256] * one
      return UInt64(bitPattern: lanes { Double(matrix[3 * $0 + band]) * part } &+ (band == 0 ? start : 0))
    }
    func level(_ lane: Double, _ band: Int) -> Double {
      encoded.value(min(max((lane - bias) / one, 0), 1).squareRoot() * Double(BandCurves.steps - 1), band)
    }
    // Curves that are steep near black, such as powers, need more entries, so that adjacent entries differ by about one
    // level at most.
    let shift =
      (3...6).reversed().first { shift in
        (0..<3).allSatisfy { level(bias + Double(1 << shift), $0) < 1.5 / 255 }
      } ?? 3
    levelShift = shift
    levels = encoded.tables { band in
      makeTable(1 << (Self.laneBits - shift)) { index in
        let middle = (Double(index) + 0.5) * Double(1 << shift)
        return UInt8((level(middle, band) * 255).rounded())
      }
    }
  }

  deinit {
    parts.deallocate()
    BandCurves.free(levels)
  }

  /// Returns the smallest range that contains 0, 1, and every sum of light that the matrix can produce.
  private static func range(_ lights: [[Double]], _ matrix: [Float]) -> ClosedRange<Double> {
    var (low, high) = (0.0, 1.0)
    for row in 0..<3 {
      let ends = (0..<3).map { band in
        let factor = Double(matrix[3 * row + band])
        let ends = [lights[band].min()! * factor, lights[band].max()! * factor]
        return (low: ends.min()!, high: ends.max()!)
      }
      low = min(low, ends.reduce(0) { $0 + $1.low })
      high = max(high, ends.reduce(0) { $0 + $1.high })
    }
    return low...high
  }

  func pass(_ row: UnsafeMutableRawPointer, _ width: Int, _ bands: Int) -> MatrixPass8 {
    MatrixPass8(row: row, count: width, bands: bands, parts: parts, levels: levels, levelShift: levelShift)
  }
}
