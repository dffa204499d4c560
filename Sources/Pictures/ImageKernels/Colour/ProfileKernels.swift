/// Loops over rows of pixels that are converted between colour profiles. Alpha is copied.
///
/// Samples are of one byte or two. Results are rounded to the nearest level, and those outside the target's range are
/// cut off. Only additions and multiplications in a fixed order are used, so that all processors give the same bytes.
public enum ProfileKernels {
  /// Tables of a conversion between two matrix profiles, laid out for one width of samples.
  ///
  /// `@unchecked Sendable`: nothing changes after `init`.
  public final class Matrix: @unchecked Sendable {
    /// The light that each value of red, of green, then of blue adds to the target, in the first three lanes: of 256
    /// values (one byte), or of 4,096 steps and one more (two bytes).
    fileprivate let parts: UnsafePointer<SIMD4<Float>>
    fileprivate let stride: Int
    /// The level at each `Light.value`, for red, green and blue: bytes for one, numbers from 0 to 65,535 for two.
    fileprivate let levels: UnsafePointer<UInt8>
    fileprivate let wide: UnsafePointer<Float>

    /// - Parameters:
    ///   - light: linear light at 4,096 equal steps of the encoded value, of red, green and blue.
    ///   - matrix: nine numbers, row by row.
    ///   - encoded: the encoded value, 0 to 1, at the squares of 4,096 equal steps.
    public init(light: [Float], matrix: [Float], encoded: [Float], sampleBytes: Int) {
      precondition(light.count == 3 * steps && encoded.count == 3 * steps && matrix.count == 9)
      let count = sampleBytes == 1 ? 256 : steps + 1
      stride = count
      func value(_ band: Int, _ step: Int) -> Float {
        guard sampleBytes == 1 else { return light[band * steps + min(step, steps - 1)] }
        let position = Float(step) / 255 * Float(steps - 1)
        let low = min(Int(position), steps - 2)
        let (from, to) = (light[band * steps + low], light[band * steps + low + 1])
        return from + (to - from) * (position - Float(low))
      }
      parts = Self.table(3 * count) { index in
        let band = index / count
        return SIMD4(matrix[band], matrix[3 + band], matrix[6 + band], 0) * value(band, index % count)
      }
      func level(_ index: Int) -> Float {
        let root = Light.value(index % Light.count).squareRoot() * Float(steps - 1)
        let low = min(Int(root), steps - 2)
        let entry = index / Light.count * steps + low
        return encoded[entry] + (encoded[entry + 1] - encoded[entry]) * (root - Float(low))
      }
      wide = Self.table(sampleBytes == 1 ? 1 : 3 * Light.count) { level($0) * 65_535 }
      levels = Self.table(sampleBytes == 1 ? 3 * Light.count : 1) { UInt8((level($0) * 255).rounded()) }
    }

    deinit {
      parts.deallocate()
      levels.deallocate()
      wide.deallocate()
    }

    private static func table<Entry>(_ count: Int, _ value: (Int) -> Entry) -> UnsafePointer<Entry> {
      let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
      for index in 0..<count { entries[index] = value(index) }
      return UnsafePointer(entries)
    }
  }

  static let steps = 4096

  /// The entries of tables of light: 512 for each halving from 1 down to 2⁻²⁴, by the high bits of the number. Dark
  /// light has as many as bright light, and an index costs no root.
  private enum Light {
    static let lowest: UInt32 = 0x3380_0000
    static let shift: UInt32 = 14
    /// One entry more than indices, which interpolation reads.
    static let count = Int((0x3f80_0000 - lowest) >> shift) + 2

    static func value(_ index: Int) -> Float { min(1, Float(bitPattern: lowest + UInt32(index) << shift)) }
  }

  /// The bits of light beyond the lowest entry, from 0 on.
  @inline(__always)
  private static func bits(_ light: SIMD4<Float>) -> SIMD4<Int32> {
    let bits = unsafeBitCast(light.replacing(with: 1, where: light .> 1), to: SIMD4<Int32>.self)
    let lowest = SIMD4<Int32>(repeating: Int32(Light.lowest))
    // Negative numbers are negative as whole numbers, too.
    return bits.replacing(with: lowest, where: bits .< lowest) &- lowest
  }

  /// Converts pixels of `bands` bands, 3 or 4 with alpha, in place.
  public static func convert(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by matrix: Matrix
  ) {
    if sampleBytes == 1 {
      convert8(row.assumingMemoryBound(to: UInt8.self), width, bands, matrix)
    } else {
      convert16(row.assumingMemoryBound(to: UInt16.self), width, bands, matrix)
    }
  }

  private static func convert8(_ row: UnsafeMutablePointer<UInt8>, _ width: Int, _ bands: Int, _ tables: Matrix) {
    let (red, green, blue) = (tables.parts, tables.parts + 256, tables.parts + 512)
    let levels = (tables.levels, tables.levels + Light.count, tables.levels + 2 * Light.count)
    var pixel = row
    for _ in 0..<width {
      let light = red[Int(pixel[0])] + green[Int(pixel[1])] + blue[Int(pixel[2])]
      // Indices have 14 bits.
      let index = unsafeBitCast(bits(light) &>> Int32(Light.shift), to: SIMD8<UInt16>.self)
      pixel[0] = levels.0[Int(index[0])]
      pixel[1] = levels.1[Int(index[2])]
      pixel[2] = levels.2[Int(index[4])]
      pixel += bands
    }
  }

  private static func convert16(_ row: UnsafeMutablePointer<UInt16>, _ width: Int, _ bands: Int, _ tables: Matrix) {
    let (red, green, blue) = (tables.parts, tables.parts + tables.stride, tables.parts + 2 * tables.stride)
    let wide = (tables.wide, tables.wide + Light.count, tables.wide + 2 * Light.count)
    let scale = Float(steps - 1) / 65_535
    var pixel = row
    for _ in 0..<width {
      @inline(__always) func part(_ band: Int, _ table: UnsafePointer<SIMD4<Float>>) -> SIMD4<Float> {
        let position = pixel[band].number * scale
        let whole = Int32(position)
        let entry = table + Int(whole)
        return entry[0] + (entry[1] - entry[0]) * (position - Float(whole))
      }
      let place = bits(part(0, red) + part(1, green) + part(2, blue))
      let index = place &>> Int32(Light.shift)
      let rest = SIMD4<Float>(place & ((1 << Int32(Light.shift)) - 1)) * (1 / Float(1 << Light.shift))
      @inline(__always) func level(_ lane: Int, _ table: UnsafePointer<Float>) -> UInt16 {
        let entry = table + Int(index[lane])
        let value = entry[0] + (entry[1] - entry[0]) * rest[lane]
        return UInt16(truncatingIfNeeded: (value + 8_388_608).bitPattern)
      }
      pixel[0] = level(0, wide.0)
      pixel[1] = level(1, wide.1)
      pixel[2] = level(2, wide.2)
      pixel += bands
    }
  }
}
