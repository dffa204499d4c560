import CKernels

/// Loops over rows of pixels that are converted between colour profiles. Alpha is copied.
///
/// Samples are of one byte or two. Results are rounded to the nearest level, and those outside the target's range are
/// cut off. They are the same on all processors: sums of whole numbers for bytes, and for two bytes floats that are
/// added and multiplied in a fixed order.
package enum ProfileKernels {
  /// Tables of a conversion between two matrix profiles, laid out for one width of samples.
  package final class Matrix: Sendable {
    private enum Tables {
      case bytes(ByteMatrix)
      case words(WordMatrix)
    }

    private let tables: Tables

    /// - Parameters:
    ///   - light: linear light at 4,096 equal steps of the encoded value, of red, green and blue.
    ///   - matrix: nine numbers, row by row.
    ///   - encoded: the encoded value, 0 to 1, at the squares of 4,096 equal steps.
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

  /// Converts pixels of `bands` bands, 3 or 4 with alpha, in place.
  package static func convert(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by matrix: Matrix,
    _ instructions: InstructionSet = .current
  ) {
    matrix.convert(row, width, bands, sampleBytes, ResampleKernels(instructions))
  }
}
