import Platform

/// Loops over rows of pixels that are mapped from high dynamic range to the range of ordinary screens. Alpha is copied.
///
/// A pixel is decoded to light, taken to the primaries of the result, and cut off where they cannot hold it. All its
/// bands are multiplied by one factor, which brings the largest of them to where `HDRTransfer.mapped` puts it, so that
/// hues stay. The curve of sRGB encodes the result.
///
/// Only additions and multiplications in a fixed order are used, so that all processors give the same bytes.
public enum ToneKernels {
  /// A transfer function, primaries and a peak.
  public struct Mapping: Sendable {
    fileprivate let tables: Tables
    /// Red, green and blue of the result, and luminance, for one unit of each band of the source.
    fileprivate let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
    fileprivate let isScene: Bool

    /// - Parameters:
    ///   - matrix: nine numbers from the source's light to the result's, row by row.
    ///   - luminance: the part that each band of the source has in the luminance; the sum is 1.
    ///   - peak: the light that becomes white, at least 203 cd/m².
    public init(
      _ transfer: HDRTransfer, matrix: [Double], luminance: [Double], peak: Double = HDRTransfer.nominalPeak
    ) {
      precondition(matrix.count == 9 && luminance.count == 3 && peak >= HDRTransfer.white)
      func column(_ band: Int) -> SIMD4<Float> {
        SIMD4(Float(matrix[band]), Float(matrix[3 + band]), Float(matrix[6 + band]), Float(luminance[band]))
      }
      columns = (column(0), column(1), column(2))
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

    @inline(__always)
    static func value(_ light: Float, _ samples: UnsafePointer<Float>) -> Float {
      let cut = light > 1 ? 1 : light
      // Negative numbers are negative as whole numbers, too.
      let bits = UInt32(bitPattern: max(Int32(bitPattern: cut.bitPattern), Int32(lowest))) &- lowest
      let entry = samples + Int(bits >> shift)
      let rest = Float(Int32(truncatingIfNeeded: bits & ((1 << shift) - 1))) * (1 / Float(1 << shift))
      return entry[0] + (entry[1] - entry[0]) * rest
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
  public static func convert(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by mapping: Mapping
  ) {
    mapping.tables.numbers.withUnsafeBufferPointer { numbers in
      guard let numbers = numbers.baseAddress else { return }
      switch (sampleBytes, bands) {
      case (1, 1...2): gray(row.assumingMemoryBound(to: UInt8.self), width, bands, numbers, mapping.isScene)
      case (1, _): colour(row.assumingMemoryBound(to: UInt8.self), width, bands, numbers, mapping)
      case (_, 1...2): gray(row.assumingMemoryBound(to: UInt16.self), width, bands, numbers, mapping.isScene)
      default: colour(row.assumingMemoryBound(to: UInt16.self), width, bands, numbers, mapping)
      }
    }
  }

  @inline(__always)
  private static func light<Sample: StoredSample>(_ sample: Sample, _ numbers: UnsafePointer<Float>) -> Float {
    let position = sample.number * (Float(Tables.steps) / Sample.top)
    let whole = Int32(position)
    let entry = numbers + Int(whole)
    return entry[0] + (entry[1] - entry[0]) * (position - Float(whole))
  }

  @inline(__always)
  private static func gain(_ light: Float, _ numbers: UnsafePointer<Float>) -> Float {
    Curve.value(light * Float(1 / Tables.range), numbers + Tables.gainStart)
  }

  @inline(__always)
  private static func sample<Sample: StoredSample>(_ light: Float, _ numbers: UnsafePointer<Float>) -> Sample {
    // The table begins above 0.
    light < 0x1p-24 ? 0 : Sample(nearest: Curve.value(light, numbers + Tables.encodedStart) * Sample.top)
  }

  @inline(__always)
  private static func colour<Sample: StoredSample>(
    _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ bands: Int, _ numbers: UnsafePointer<Float>, _ mapping: Mapping
  ) {
    var pixel = row
    for _ in 0..<width {
      var colour = mapping.columns.0 * light(pixel[0], numbers)
      colour += mapping.columns.1 * light(pixel[1], numbers)
      colour += mapping.columns.2 * light(pixel[2], numbers)
      colour = colour.replacing(with: 0, where: colour .< 0)
      if mapping.isScene { colour *= Curve.value(colour[3], numbers + Tables.sceneStart) }
      colour *= gain(max(colour[0], max(colour[1], colour[2])), numbers)
      pixel[0] = sample(colour[0], numbers)
      pixel[1] = sample(colour[1], numbers)
      pixel[2] = sample(colour[2], numbers)
      pixel += bands
    }
  }

  @inline(__always)
  private static func gray<Sample: StoredSample>(
    _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ bands: Int, _ numbers: UnsafePointer<Float>, _ isScene: Bool
  ) {
    var pixel = row
    for _ in 0..<width {
      var gray = light(pixel[0], numbers)
      if isScene { gray *= Curve.value(gray, numbers + Tables.sceneStart) }
      pixel[0] = sample(gray * gain(gray, numbers), numbers)
      pixel += bands
    }
  }
}
