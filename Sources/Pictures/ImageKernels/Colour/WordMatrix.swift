import CKernels

/// Tables of a conversion between two matrix profiles for samples of two bytes: 384 KB where all bands share a curve, so
/// that they stay in the second-level cache.
///
/// `@unchecked Sendable`: nothing changes after `init`.
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
