import CKernels

/// Loops over rows of pixels that are converted between colour profiles. Alpha is copied.
///
/// Samples have one or two bytes. Results are rounded to the nearest level, and clipped to the target's range. They are
/// the same on all processors: bytes are computed with integer sums, and two-byte samples with floats that are added
/// and multiplied in a fixed order.
package enum ProfileKernels {
  /// Tables of a conversion between two matrix profiles, for one size of samples.
  package final class Matrix: Sendable {
    private enum Tables {
      case bytes(ByteMatrix)
      case words(WordMatrix)
    }

    private let tables: Tables

    /// - Parameters:
    ///   - light: linear light at 4,096 equal steps of the encoded value, of red, green and blue.
    ///   - matrix: nine numbers, row by row.
    ///   - encoded: the encoded value, 0 to 1, at the squares of 4,096 equal steps of light.
    package init(light: [Float], matrix: [Float], encoded: [Float], sampleBytes: Int) {
      precondition(matrix.count == 9)
      let (light, encoded) = (BandCurves(light), BandCurves(encoded))
      tables =
        sampleBytes == 1
        ? .bytes(ByteMatrix(light, matrix, encoded)) : .words(WordMatrix(light, matrix, encoded))
    }

    fileprivate func convert(
      _ row: UnsafeMutableRawPointer, _ width: Int, _ bands: Int, _ sampleBytes: Int, _ kernels: ResampleKernels
    ) {
      switch tables {
      case .bytes(let matrix):
        precondition(sampleBytes == 1)
        var pass = matrix.pass(row, width, bands)
        kernels.convertMatrix8(&pass)
      case .words(let matrix):
        precondition(sampleBytes == 2)
        var pass = matrix.pass(row, width, bands)
        kernels.convertMatrix16(&pass)
      }
    }
  }

  /// Converts pixels with 3 bands, or 4 with alpha, in place.
  package static func convert(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by matrix: Matrix,
    _ instructions: InstructionSet = .current
  ) {
    matrix.convert(row, width, bands, sampleBytes, ResampleKernels(instructions))
  }
}

/// Tables of a conversion between two matrix profiles for two-byte samples. They take 384 KB if all bands share a
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
      BandCurves.table(65_536) { Float(light.value(Double($0) * step, band)) }
    }
    columns = BandCurves.table(12) { $0 % 4 == 3 ? 0 : matrix[3 * ($0 % 4) + $0 / 4] }
    levels = encoded.tables { band in
      BandCurves.table(65_536) { UInt16((encoded.value(Double($0) * step, band) * 65_535).rounded()) }
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
