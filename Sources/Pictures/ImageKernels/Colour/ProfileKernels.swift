import CKernels

/// Loops over rows of pixels that are converted between colour profiles. Alpha is copied.
///
/// Samples have one or two bytes. Results are rounded to the nearest level, and clipped to the target's range. They are
/// the same on all processors: bytes are computed with integer sums, and two-byte samples with floats that are added
/// and multiplied in a fixed order.
package enum ProfileKernels {
  /// The tables for a conversion between two matrix profiles, either for one-byte or for two-byte samples.
  package final class Matrix: Sendable {
    fileprivate enum Tables {
      case bytes(ByteMatrix)
      case words(WordMatrix)
    }

    fileprivate let tables: Tables

    /// - Parameters:
    ///   - light: linear light at 4,096 equal steps of the encoded value: of red, then of green, then of blue.
    ///   - matrix: nine numbers, row by row.
    ///   - encoded: the encoded value, 0 to 1, of the light `(i / 4,095)²` at index i: red, then green, then blue.
    package init(light: [Float], matrix: [Float], encoded: [Float], sampleBytes: Int) {
      precondition(matrix.count == 9)
      let (light, encoded) = (BandCurves(light), BandCurves(encoded))
      tables =
        sampleBytes == 1
        ? .bytes(ByteMatrix(light, matrix, encoded)) : .words(WordMatrix(light, matrix, encoded))
    }
  }

  /// Converts pixels with 3 bands, or 4 with alpha, in place.
  package static func convert(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by matrix: Matrix,
    _ instructions: InstructionSet = .current
  ) {
    switch matrix.tables {
    case .bytes(let tables):
      precondition(sampleBytes == 1)
      var pass = tables.pass(row, width, bands)
      ResampleKernels(instructions).convertMatrix8(&pass)
    case .words(let tables):
      precondition(sampleBytes == 2)
      var pass = tables.pass(row, width, bands)
      ResampleKernels(instructions).convertMatrix16(&pass)
    }
  }
}

/// Tables of a conversion between two matrix profiles for two-byte samples. They take 384 KiB if all bands share a
/// curve, and so fit into the second-level cache.
///
/// `@unchecked Sendable`: its memory is written only in `init`.
final class WordMatrix: @unchecked Sendable {
  private let light: BandCurves.Tables<Float>
  private let columns: UnsafePointer<Float>
  private let levels: BandCurves.Tables<UInt16>

  init(_ light: BandCurves, _ matrix: [Float], _ encoded: BandCurves) {
    let step = Double(BandCurves.steps - 1) / 65_535
    self.light = light.tables { band in
      makeTable(65_536) { Float(light.value(Double($0) * step, band)) }
    }
    columns = makeTable(12) { $0 % 4 == 3 ? 0 : matrix[3 * ($0 % 4) + $0 / 4] }
    levels = encoded.tables { band in
      makeTable(65_536) { UInt16((encoded.value(Double($0) * step, band) * 65_535).rounded()) }
    }
  }

  deinit {
    BandCurves.free(light)
    columns.deallocate()
    BandCurves.free(levels)
  }

  func pass(_ row: UnsafeMutableRawPointer, _ width: Int, _ bands: Int) -> MatrixPass16 {
    MatrixPass16(row: row, count: width, bands: bands, light: light, columns: columns, levels: levels)
  }
}

/// Converts CMYK to linear light through a grid, and encodes the light through curves. Created once for all pictures;
/// may be used from any thread.
///
/// Light is interpolated, not encoded values, because the mean of the light at two grid points is close to the light of
/// the mean amount of ink. With 25 steps, compared with Little CMS in floating point, the largest error of a photograph
/// that is converted from FOGRA39 to sRGB falls from 21 levels to 3.
package final class LightGrid: Sendable {
  /// The grid of light in 16 bits, because 8 bits are too coarse for light.
  private let grid: SampledKernels.Grid
  /// The encoded level for each of 65,536 lights and each band: `small` for 1-byte samples, `large` for 2-byte samples.
  /// The other array is empty.
  private let small: [UInt8]
  private let large: [UInt16]

  /// - Parameters:
  ///   - samples: the light of three bands at each grid point, from 0 to 1 in the scale of `value`; cyan changes
  ///     fastest.
  ///   - value: returns the encoded value, 0 to 1, of a light from 0 to 1, for a band.
  ///   - sampleBytes: the bytes per sample of the rows, 1 or 2.
  package init(_ samples: [Float], steps: Int, sampleBytes: Int, value: (Float, Int) -> Float) {
    grid = SampledKernels.Grid(samples, steps: steps, sourceBands: 4, targetBands: 3, sampleBytes: 2)
    let top: Float = sampleBytes == 1 ? 255 : 65_535
    let levels = (0..<3).flatMap { band in
      (0...65_535).map { UInt16(value(Float($0) / 65_535, band) * top + 0.5) }
    }
    small = sampleBytes == 1 ? levels.map { UInt8($0) } : []
    large = sampleBytes == 1 ? [] : levels
  }

  /// Converts a row. Alpha follows the colours in both source and destination if `hasAlpha` is true.
  package func convert(
    _ source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, hasAlpha: Bool
  ) {
    // The pieces are small enough for the first-level cache.
    let (piece, sampleBytes) = (1024, small.isEmpty ? 2 : 1)
    let (inkBands, lightBands) = hasAlpha ? (5, 4) : (4, 3)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: piece * (inkBands + lightBands)) { memory in
      let inks = memory.baseAddress!
      let lights = inks + piece * inkBands
      for start in stride(from: 0, to: width, by: piece) {
        let count = min(piece, width - start)
        var pixels = source + start * inkBands * sampleBytes
        if sampleBytes == 1 {
          let bytes = pixels.assumingMemoryBound(to: UInt8.self)
          for index in 0..<count * inkBands { inks[index] = UInt16(bytes[index]) &* 257 }
          pixels = UnsafeRawPointer(inks)
        }
        SampledKernels.convert(pixels, to: lights, width: count, hasAlpha: hasAlpha, sampleBytes: 2, by: grid)
        let output = destination + start * lightBands * sampleBytes
        if sampleBytes == 1 {
          encode(lights, output.assumingMemoryBound(to: UInt8.self), count, hasAlpha, small) { UInt8($0 / 257) }
        } else {
          encode(lights, output.assumingMemoryBound(to: UInt16.self), count, hasAlpha, large) { $0 }
        }
      }
    }
  }

  @inline(__always)
  private func encode<Sample>(
    _ lights: UnsafePointer<UInt16>, _ output: UnsafeMutablePointer<Sample>, _ count: Int, _ hasAlpha: Bool,
    _ levels: [Sample], alpha: (UInt16) -> Sample
  ) {
    levels.withUnsafeBufferPointer { levels in
      let first = levels.baseAddress!
      let bands = hasAlpha ? 4 : 3
      var (from, to) = (lights, output)
      for _ in 0..<count {
        to[0] = first[Int(from[0])]
        to[1] = first[65_536 + Int(from[1])]
        to[2] = first[131_072 + Int(from[2])]
        if hasAlpha { to[3] = alpha(from[3]) }
        from += bands
        to += bands
      }
    }
  }
}
