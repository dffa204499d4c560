import CKernels
import Platform

/// Loops over rows of pixels that are mapped from high dynamic range to the range of ordinary screens. Alpha is copied.
///
/// A pixel is decoded to light, taken to the primaries of the result, and cut off where they cannot hold it. All its
/// bands are multiplied by one factor, which brings the largest of them to where `HDRTransfer.mapped` puts it, so that
/// hues stay. The curve of sRGB encodes the result.
///
/// Only additions and multiplications in a fixed order are used, so that all processors give the same bytes.
package enum ToneKernels {
  /// A transfer function, primaries and a peak.
  package struct Mapping: Sendable {
    fileprivate let tables: Tables
    /// Red, green and blue of the result, and luminance, for one unit of each band of the source.
    fileprivate let columns: [Float]
    fileprivate let isScene: Bool

    /// - Parameters:
    ///   - matrix: nine numbers from the source's light to the result's, row by row.
    ///   - luminance: the part that each band of the source has in the luminance; the sum is 1.
    ///   - peak: the light that becomes white, at least 203 cd/m².
    package init(
      _ transfer: HDRTransfer, matrix: [Double], luminance: [Double], peak: Double = HDRTransfer.nominalPeak
    ) {
      precondition(matrix.count == 9 && luminance.count == 3 && peak >= HDRTransfer.white)
      let rows = [matrix[0..<3], matrix[3..<6], matrix[6..<9], luminance[...]]
      columns = (0..<3).flatMap { band in rows.map { Float($0[$0.startIndex + band]) } }
      isScene = transfer == .hlg
      tables = Tables.of(transfer, peak: peak)
    }
  }

  /// A function of light from 0 to 1, at 512 places of each halving down to 2⁻²⁴, by the high bits of the number. Dark
  /// light has as many as bright light, and an index costs no root.
  enum Curve {
    private static let lowest: UInt32 = 0x3380_0000
    private static let shift: UInt32 = 14
    /// One entry more than indices, which interpolation reads.
    static let count = Int((0x3f80_0000 - lowest) >> shift) + 2

    static func samples(_ value: (Double) -> Double) -> [Float] {
      (0..<count).map { Float(value(min(1, Double(Float(bitPattern: lowest + UInt32($0) << shift))))) }
    }
  }

  /// Tables of a transfer function and a peak, one behind the other: light, in units of 1,000 cd/m², at equal steps of
  /// the encoded value; then curves.
  final class Tables: Sendable {
    fileprivate let numbers: [Float]

    private static let pq = Tables(.pq, peak: HDRTransfer.nominalPeak)
    private static let hlg = Tables(.hlg, peak: HDRTransfer.nominalPeak)

    /// Returns tables, which take some milliseconds to compute for another peak than the nominal one.
    static func of(_ transfer: HDRTransfer, peak: Double) -> Tables {
      guard peak == HDRTransfer.nominalPeak else { return Tables(transfer, peak: peak) }
      return transfer == .hlg ? hlg : pq
    }

    static let steps = 4096
    /// Two entries more than steps, so that interpolation may read one beyond full intensity.
    static let gainStart = steps + 2
    static let encodedStart = gainStart + Curve.count
    static let sceneStart = encodedStart + Curve.count
    /// The largest light of the table of factors, in units of 1,000 cd/m²: PQ goes to 10, and the matrix beyond.
    static let range = 16.0

    private init(_ transfer: HDRTransfer, peak: Double) {
      let (nominal, white) = (HDRTransfer.nominalPeak, HDRTransfer.white)
      let unit = transfer == .hlg ? 1 : nominal
      let light = (0..<Self.gainStart).map { Float(transfer.light(min(1, Double($0) / Double(Self.steps))) / unit) }
      let gain = Curve.samples { place in
        let light = place * Self.range * nominal
        // Beyond the peak all light becomes white.
        return (light < peak ? HDRTransfer.mapped(light, peak: peak) : white) / white / (place * Self.range)
      }
      let encoded = Curve.samples(SRGBTransfer.encode)
      let scene = Curve.samples { pow($0, HDRTransfer.systemGamma - 1) }
      numbers = light + gain + encoded + scene
    }
  }

  /// Maps pixels of `bands` bands in place: 1 or 3, and one more with alpha.
  package static func convert(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by mapping: Mapping,
    _ instructions: InstructionSet = .current
  ) {
    mapping.tables.numbers.withUnsafeBufferPointer { numbers in
      mapping.columns.withUnsafeBufferPointer { columns in
        guard let numbers = numbers.baseAddress, let columns = columns.baseAddress else { return }
        var pass = TonePass(
          row: row, count: width, bands: bands, colours: bands < 3 ? 1 : 3, sampleBytes: sampleBytes, light: numbers,
          columns: columns, scene: mapping.isScene ? numbers + Tables.sceneStart : nil,
          gain: numbers + Tables.gainStart, encoded: numbers + Tables.encodedStart)
        ResampleKernels(instructions).mapTones(&pass)
      }
    }
  }
}
