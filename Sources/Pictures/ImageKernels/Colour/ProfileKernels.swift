/// Loops over rows of pixels that are converted between colour profiles. Alpha is copied.
///
/// Samples are of one byte or two. Results are rounded to the nearest level, and those outside the target's range are
/// cut off. Only additions, multiplications and square roots in a fixed order are used, so that all processors give the
/// same bytes.
public enum ProfileKernels {
  /// Tables of a conversion between two matrix profiles, laid out for one width of samples.
  ///
  /// `@unchecked Sendable`: nothing changes after `init`.
  public final class Matrix: @unchecked Sendable {
    /// Light of each sample value (one byte), or of 4,096 steps and one more (two bytes); for red, green and blue.
    fileprivate let light: UnsafePointer<Float>
    fileprivate let matrix: [SIMD4<Float>]
    /// The level at each step of the square root of light.
    fileprivate let levels: UnsafePointer<UInt8>
    /// The same as numbers from 0 to 65,535, and one step more.
    fileprivate let wide: UnsafePointer<Float>

    /// - Parameters:
    ///   - light: linear light at 4,096 equal steps of the encoded value, of red, green and blue.
    ///   - matrix: nine numbers, row by row.
    ///   - encoded: the encoded value, 0 to 1, at the squares of 4,096 equal steps.
    public init(light: [Float], matrix: [Float], encoded: [Float], sampleBytes: Int) {
      precondition(light.count == 3 * steps && encoded.count == 3 * steps && matrix.count == 9)
      self.matrix = matrix.map { SIMD4(repeating: $0) }
      self.light = Self.table(3 * stride) { index in
        let (band, step) = (index / stride, index % stride)
        guard sampleBytes == 1 else { return light[band * steps + min(step, steps - 1)] }
        let position = min(Float(step) / 255, 1) * Float(steps - 1)
        let low = min(Int(position), steps - 2)
        let (from, to) = (light[band * steps + low], light[band * steps + low + 1])
        return from + (to - from) * (position - Float(low))
      }
      wide = Self.table(3 * stride) { encoded[$0 / stride * steps + min($0 % stride, steps - 1)] * 65_535 }
      levels = Self.table(3 * stride) {
        UInt8((encoded[$0 / stride * steps + min($0 % stride, steps - 1)] * 255).rounded())
      }
    }

    deinit {
      light.deallocate()
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
  /// One entry more than steps, which interpolation reads.
  private static let stride = steps + 1

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
    let (red, green, blue) = (tables.light, tables.light + stride, tables.light + 2 * stride)
    let (m, levels) = (coefficients(tables.matrix), tables.levels)
    var pixel = row
    var left = width
    while left > 0 {
      // Four at a time, the last ones as often as it takes.
      let (b, c, d) = (min(1, left - 1) * bands, min(2, left - 1) * bands, min(3, left - 1) * bands)
      let r = SIMD4(red[Int(pixel[0])], red[Int(pixel[b])], red[Int(pixel[c])], red[Int(pixel[d])])
      let g = SIMD4(
        green[Int(pixel[1])], green[Int(pixel[b + 1])], green[Int(pixel[c + 1])], green[Int(pixel[d + 1])])
      let u = SIMD4(blue[Int(pixel[2])], blue[Int(pixel[b + 2])], blue[Int(pixel[c + 2])], blue[Int(pixel[d + 2])])
      let x = position(m.0 * r + m.1 * g + m.2 * u)
      let y = position(m.3 * r + m.4 * g + m.5 * u)
      let z = position(m.6 * r + m.7 * g + m.8 * u)
      @inline(__always) func put(_ place: Int, _ lane: Int) {
        pixel[place] = levels[Int(x[lane])]
        pixel[place + 1] = levels[stride + Int(y[lane])]
        pixel[place + 2] = levels[2 * stride + Int(z[lane])]
      }
      put(0, 0)
      if left > 1 { put(b, 1) }
      if left > 2 { put(c, 2) }
      if left > 3 { put(d, 3) }
      pixel += 4 * bands
      left -= 4
    }
  }

  private typealias Nine = (
    SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>,
    SIMD4<Float>
  )

  @inline(__always)
  private static func coefficients(_ m: [SIMD4<Float>]) -> Nine {
    (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
  }

  /// The nearest step of the square root of light.
  @inline(__always)
  private static func position(_ light: SIMD4<Float>) -> SIMD4<UInt32> {
    let root = limited(light, to: 1).squareRoot() * Float(steps - 1)
    // Adding 2²³ rounds to the nearest whole number and leaves it in the low bits.
    return unsafeBitCast(root + 8_388_608, to: SIMD4<UInt32>.self) & 0x7f_ffff
  }

  private static func convert16(_ row: UnsafeMutablePointer<UInt16>, _ width: Int, _ bands: Int, _ tables: Matrix) {
    let (red, green, blue) = (tables.light, tables.light + stride, tables.light + 2 * stride)
    let (m, wide) = (coefficients(tables.matrix), tables.wide)
    var pixel = row
    var left = width
    while left > 0 {
      let (b, c, d) = (min(1, left - 1) * bands, min(2, left - 1) * bands, min(3, left - 1) * bands)
      @inline(__always) func samples(_ band: Int) -> SIMD4<Float> {
        SIMD4<Float>(
          SIMD4<UInt32>(
            UInt32(pixel[band]), UInt32(pixel[b + band]), UInt32(pixel[c + band]), UInt32(pixel[d + band])))
      }
      let r = between(samples(0) * (Float(steps - 1) / 65_535), red)
      let g = between(samples(1) * (Float(steps - 1) / 65_535), green)
      let u = between(samples(2) * (Float(steps - 1) / 65_535), blue)
      @inline(__always) func encode(_ light: SIMD4<Float>, _ band: Int) -> SIMD4<UInt32> {
        let level = between(limited(light, to: 1).squareRoot() * Float(steps - 1), wide + band * stride)
        return unsafeBitCast(level + 8_388_608, to: SIMD4<UInt32>.self) & 0x7f_ffff
      }
      let x = encode(m.0 * r + m.1 * g + m.2 * u, 0)
      let y = encode(m.3 * r + m.4 * g + m.5 * u, 1)
      let z = encode(m.6 * r + m.7 * g + m.8 * u, 2)
      @inline(__always) func put(_ place: Int, _ lane: Int) {
        pixel[place] = UInt16(truncatingIfNeeded: x[lane])
        pixel[place + 1] = UInt16(truncatingIfNeeded: y[lane])
        pixel[place + 2] = UInt16(truncatingIfNeeded: z[lane])
      }
      put(0, 0)
      if left > 1 { put(b, 1) }
      if left > 2 { put(c, 2) }
      if left > 3 { put(d, 3) }
      pixel += 4 * bands
      left -= 4
    }
  }

  /// Interpolates between two entries of a table.
  @inline(__always)
  private static func between(_ position: SIMD4<Float>, _ table: UnsafePointer<Float>) -> SIMD4<Float> {
    let nearest = (position + 8_388_608) - 8_388_608
    let whole = nearest.replacing(with: nearest - 1, where: nearest .> position)
    let index = unsafeBitCast(whole + 8_388_608, to: SIMD4<UInt32>.self) & 0x7f_ffff
    let (i, j, k, l) = (Int(index[0]), Int(index[1]), Int(index[2]), Int(index[3]))
    let low = SIMD4(table[i], table[j], table[k], table[l])
    let high = SIMD4(table[i + 1], table[j + 1], table[k + 1], table[l + 1])
    return low + (high - low) * (position - whole)
  }
}
