/// Loops over rows of pixels that are converted between colour profiles. Alpha is copied.
///
/// Samples are of one byte or two. Results are rounded to the nearest level, and those outside the target's range are
/// cut off. They are sums of whole numbers, the same on all processors. General registers do the work: compiled for AVX2,
/// the loop for bytes takes the same time.
public enum ProfileKernels {
  /// Tables of a conversion between two matrix profiles, laid out for one width of samples.
  ///
  /// The light of a pixel is a sum of three numbers of 64 bits, one for each band of the source. Each holds the parts of
  /// the target's red, green and blue, 21 bits from the lowest on. They cover all light that sums can have.
  ///
  /// `@unchecked Sendable`: nothing changes after `init`.
  public final class Matrix: @unchecked Sendable {
    /// The light of each value of red, of green, then of blue: 256 values (one byte) or 32,768 (two bytes, without the
    /// last bit: tables that stay in the second-level cache are worth an error of one level of 16 bits).
    fileprivate let parts: UnsafePointer<UInt64>
    /// The level at the highest bits of light, for one byte, and the number of bits that do not count.
    fileprivate let levels: [UnsafePointer<UInt8>]
    fileprivate let levelShift: Int
    /// The level at the highest 16 bits of light, and its increase to the next entry, for two bytes: 1,024ths in the
    /// upper half, 32ths in the lower half.
    fileprivate let wide: [UnsafePointer<UInt64>]

    static let laneBits = 21
    static let wideBits = 16

    /// - Parameters:
    ///   - light: linear light at 4,096 equal steps of the encoded value, of red, green and blue.
    ///   - matrix: nine numbers, row by row.
    ///   - encoded: the encoded value, 0 to 1, at the squares of 4,096 equal steps.
    public init(light: [Float], matrix: [Float], encoded: [Float], sampleBytes: Int) {
      precondition(light.count == 3 * steps && encoded.count == 3 * steps && matrix.count == 9)
      let values = sampleBytes == 1 ? 256 : 32_768
      let lights = (0..<3).map { band in
        (0..<values).map { at(Double($0) / Double(values - 1) * Double(steps - 1), band, light) }
      }
      let range = Self.range(lights, matrix)
      // Sums are at most 3 away from the exact light, by rounding.
      let one = Double((1 << Self.laneBits) - 16) / max(range.upperBound - range.lowerBound, 1e-3)
      let bias = 8 - range.lowerBound * one
      func lanes(_ value: (Int) -> Double) -> Int64 {
        (0..<3).reduce(0) { $0 &+ Int64(value($1).rounded()) << Int64(Self.laneBits * $1) }
      }
      let start = lanes { _ in bias }
      parts = Self.table(3 * values) { index in
        let band = index / values
        let part = lights[band][index % values] * one
        return UInt64(bitPattern: lanes { Double(matrix[3 * $0 + band]) * part } &+ (band == 0 ? start : 0))
      }
      func level(_ lane: Double, _ band: Int) -> Double {
        at(min(max((lane - bias) / one, 0), 1).squareRoot() * Double(steps - 1), band, encoded)
      }
      // Curves that are steep at black, as powers are, take more entries: each stands for hardly more than a level.
      let shift =
        (3...6).reversed().first { shift in
          (0..<3).allSatisfy { level(bias + Double(1 << shift), $0) < 1.5 / 255 }
        } ?? 3
      levelShift = shift
      levels = Self.tables(sampleBytes == 1, encoded) { band in
        Self.table(1 << (Self.laneBits - shift)) { index in
          let middle = (Double(index) + 0.5) * Double(1 << shift)
          return UInt8((level(middle, band) * 255).rounded())
        }
      }
      wide = Self.tables(sampleBytes == 2, encoded) { band in
        var next = UInt64((level(0, band) * 65_535 * 32).rounded())
        return Self.table(1 << Self.wideBits) { index in
          let own = next
          let end = Double((index + 1) << (Self.laneBits - Self.wideBits))
          next = max(own, UInt64((level(end, band) * 65_535 * 32).rounded()))
          return (own * 32 + 512) << 32 | (next - own)
        }
      }
    }

    deinit {
      parts.deallocate()
      for table in Set(levels) { table.deallocate() }
      for table in Set(wide) { table.deallocate() }
    }

    /// The least and the most light of all sums, and of 0 to 1.
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

    /// One table for each band; bands with the same curve share it.
    private static func tables<Entry>(
      _ isUsed: Bool, _ curves: [Float], _ make: (_ band: Int) -> UnsafePointer<Entry>
    ) -> [UnsafePointer<Entry>] {
      guard isUsed else { return [] }
      var tables: [UnsafePointer<Entry>] = []
      for band in 0..<3 {
        let twin = (0..<band).first {
          curves[$0 * steps..<($0 + 1) * steps].elementsEqual(curves[band * steps..<(band + 1) * steps])
        }
        tables.append(twin.map { tables[$0] } ?? make(band))
      }
      return tables
    }

    private static func table<Entry>(_ count: Int, _ value: (Int) -> Entry) -> UnsafePointer<Entry> {
      let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
      for index in 0..<count { entries[index] = value(index) }
      return UnsafePointer(entries)
    }
  }

  static let steps = 4096

  /// Interpolates a table of a band.
  private static func at(_ position: Double, _ band: Int, _ table: [Float]) -> Double {
    let low = min(Int(position), steps - 2)
    let entry = band * steps + low
    return Double(table[entry]) + Double(table[entry + 1] - table[entry]) * (position - Double(low))
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
    let levels = (tables.levels[0], tables.levels[1], tables.levels[2])
    let shift = UInt64(tables.levelShift)
    let mask: UInt64 = 0x1f_ffff &>> shift
    var pixel = row
    for _ in 0..<width {
      let light = red[Int(pixel[0])] &+ green[Int(pixel[1])] &+ blue[Int(pixel[2])]
      let index = light &>> shift
      pixel[0] = levels.0[Int(truncatingIfNeeded: index & mask)]
      pixel[1] = levels.1[Int(truncatingIfNeeded: (index &>> 21) & mask)]
      pixel[2] = levels.2[Int(truncatingIfNeeded: (index &>> 42) & mask)]
      pixel += bands
    }
  }

  private static func convert16(_ row: UnsafeMutablePointer<UInt16>, _ width: Int, _ bands: Int, _ tables: Matrix) {
    let (red, green, blue) = (tables.parts, tables.parts + 32_768, tables.parts + 65_536)
    let wide = (tables.wide[0], tables.wide[1], tables.wide[2])
    @inline(__always) func level(_ light: UInt64, _ table: UnsafePointer<UInt64>) -> UInt16 {
      let entry = table[Int(truncatingIfNeeded: (light &>> 5) & 0xffff)]
      return UInt16(truncatingIfNeeded: ((entry &>> 32) &+ (entry & 0xffff_ffff) &* (light & 31)) &>> 10)
    }
    var pixel = row
    for _ in 0..<width {
      let light = red[Int(pixel[0] &>> 1)] &+ green[Int(pixel[1] &>> 1)] &+ blue[Int(pixel[2] &>> 1)]
      pixel[0] = level(light, wide.0)
      pixel[1] = level(light &>> 21, wide.1)
      pixel[2] = level(light &>> 42, wide.2)
      pixel += bands
    }
  }
}
