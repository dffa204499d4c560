import CKernels
import Platform

/// Loops over rows of pixels that are tone-mapped from high dynamic range to the range of ordinary screens. Alpha is
/// copied.
///
/// A pixel is decoded to light, converted to the primaries of the result, and clipped to their gamut. All its bands are
/// multiplied by the same factor, which maps the largest of them according to `HDRTransfer.mapped`, so that hues are
/// kept. The result is encoded with the sRGB curve.
///
/// Only additions and multiplications in a fixed order are used, so that all processors give the same bytes.
package enum ToneKernels {
  /// A transfer function, primaries and a peak.
  package struct Mapping: Sendable {
    fileprivate let tables: Tables
    /// The contributions of one unit of each source band to the red, green and blue of the result, and to the
    /// luminance.
    fileprivate let columns: [Float]
    fileprivate let isScene: Bool

    /// - Parameters:
    ///   - matrix: nine numbers from the source's light to the result's, row by row.
    ///   - luminance: the share of each band of the source in the luminance; they add up to 1.
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

  /// A function of light from 0 to 1, tabulated at 512 points of each octave down to 2⁻²⁴ and indexed by the high bits
  /// of the float. So dark and bright light have the same relative precision, and no root is needed.
  enum Curve {
    private static let lowest: UInt32 = 0x3380_0000
    private static let shift: UInt32 = 14
    /// The number of entries: one more than there are indices, for interpolation.
    static let count = Int((0x3f80_0000 - lowest) >> shift) + 2

    static func samples(_ value: (Double) -> Double) -> [Float] {
      (0..<count).map { Float(value(min(1, Double(Float(bitPattern: lowest + UInt32($0) << shift))))) }
    }
  }

  /// Tables for a transfer function and a peak in one block: light, in units of 1,000 cd/m², at equal steps of the
  /// encoded value; then the curves of factors, of encoded values, and of powers of the scene's luminance.
  final class Tables: Sendable {
    fileprivate let numbers: [Float]

    private static let pq = Tables(.pq, peak: HDRTransfer.nominalPeak)
    private static let hlg = Tables(.hlg, peak: HDRTransfer.nominalPeak)

    /// Returns the tables for a transfer function and a peak. Unless the peak is the nominal one, they are computed,
    /// which takes some milliseconds.
    static func of(_ transfer: HDRTransfer, peak: Double) -> Tables {
      guard peak == HDRTransfer.nominalPeak else { return Tables(transfer, peak: peak) }
      return transfer == .hlg ? hlg : pq
    }

    static let steps = 4096
    /// The index where the factors start, after light. Light has two more entries than steps, so that interpolation may
    /// read one beyond full intensity.
    static let gainStart = steps + 2
    static let encodedStart = gainStart + Curve.count
    static let sceneStart = encodedStart + Curve.count
    /// The largest light in the table of factors, in units of 1,000 cd/m²: PQ reaches 10, and the matrix may exceed it.
    static let range = 16.0

    private init(_ transfer: HDRTransfer, peak: Double) {
      let (nominal, white) = (HDRTransfer.nominalPeak, HDRTransfer.white)
      let unit = transfer == .hlg ? 1 : nominal
      let light = (0..<Self.gainStart).map { Float(transfer.light(min(1, Double($0) / Double(Self.steps))) / unit) }
      let gain = Curve.samples { place in
        let light = place * Self.range * nominal
        // Light above the peak becomes white.
        return (light < peak ? HDRTransfer.mapped(light, peak: peak) : white) / white / (place * Self.range)
      }
      let encoded = Curve.samples(SRGBTransfer.encode)
      let scene = Curve.samples { pow($0, HDRTransfer.systemGamma - 1) }
      numbers = light + gain + encoded + scene
    }
  }

  /// Maps pixels of 1 or 3 colour bands, with or without alpha, in place.
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

/// Curves of red, green and blue, each at 4,096 equal steps from 0 to 1.
struct BandCurves {
  static let steps = 4096

  private let samples: [Float]

  init(_ samples: [Float]) {
    precondition(samples.count == 3 * Self.steps)
    self.samples = samples
  }

  /// Returns the value at a position, interpolated between steps.
  func value(_ position: Double, _ band: Int) -> Double {
    let low = min(Int(position), Self.steps - 2)
    let entry = band * Self.steps + low
    return Double(samples[entry]) + Double(samples[entry + 1] - samples[entry]) * (position - Double(low))
  }

  /// Makes a table for each band. Bands with the same curve share one.
  func tables<Entry>(_ make: (_ band: Int) -> UnsafePointer<Entry>) -> Tables<Entry> {
    func curve(_ band: Int) -> ArraySlice<Float> { samples[band * Self.steps..<(band + 1) * Self.steps] }
    var tables: [UnsafePointer<Entry>] = []
    for band in 0..<3 {
      let twin = (0..<band).first { curve($0).elementsEqual(curve(band)) }
      tables.append(twin.map { tables[$0] } ?? make(band))
    }
    return (tables[0], tables[1], tables[2])
  }

  typealias Tables<Entry> = (UnsafePointer<Entry>, UnsafePointer<Entry>, UnsafePointer<Entry>)

  /// Frees tables, some of which may be shared.
  static func free<Entry>(_ tables: Tables<Entry>) {
    for table in Set([tables.0, tables.1, tables.2]) { table.deallocate() }
  }
}

/// Returns a table of the values of a function for 0 to `count` - 1. The caller owns its memory.
func makeTable<Entry>(_ count: Int, _ value: (Int) -> Entry) -> UnsafePointer<Entry> {
  let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
  for index in 0..<count { (entries + index).initialize(to: value(index)) }
  return UnsafePointer(entries)
}
