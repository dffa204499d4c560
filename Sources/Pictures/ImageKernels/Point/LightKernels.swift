/// Loops that convert between samples encoded with the sRGB curve (IEC 61966-2-1) and linear light.
///
/// Rows are as in `PointKernels`. Alpha is neither decoded nor encoded, only converted to the bits of the result.
package enum LightKernels {
  /// Decodes 8-bit pixels to 16-bit light: 65,535 is full intensity.
  ///
  /// In 16-bit light, adjacent 8-bit levels are at least 19 apart, so the rounding error is at most 0.03 of an 8-bit
  /// level.
  package static func decode8(
    from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, bands: Int, hasAlpha: Bool
  ) {
    let from = source.assumingMemoryBound(to: UInt8.self)
    let to = destination.assumingMemoryBound(to: UInt16.self)
    let table = SRGBTransfer.lightTable8
    for index in 0..<width * bands { to[index] = table[Int(from[index])] }
    guard hasAlpha else { return }
    for index in stride(from: bands - 1, to: width * bands, by: bands) { to[index] = UInt16(from[index]) * 257 }
  }

  /// Encodes 16-bit light as 8-bit pixels, to the nearest sample.
  package static func encode8(
    from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, bands: Int, hasAlpha: Bool
  ) {
    let from = source.assumingMemoryBound(to: UInt16.self)
    let to = destination.assumingMemoryBound(to: UInt8.self)
    let table = SRGBTransfer.encodedTable8
    for index in 0..<width * bands { to[index] = table[Int(from[index])] }
    guard hasAlpha else { return }
    for index in stride(from: bands - 1, to: width * bands, by: bands) {
      to[index] = UInt8(truncatingIfNeeded: (UInt32(from[index]) * 255 + 32_767) / 65_535)
    }
  }

  /// Decodes samples to linear light as floats: full intensity is the greatest value of a sample.
  ///
  /// - Parameters:
  ///   - count: the number of samples; a multiple of `alphaBands` if that is not 0.
  ///   - alphaBands: the number of bands of a pixel with alpha, or 0 without alpha. Colours are multiplied by alpha, as
  ///     a fraction of full opacity.
  package static func widen(
    _ samples: UnsafeRawPointer, sampleBytes: Int, count: Int, alphaBands: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    if sampleBytes == 1 {
      widen(samples.assumingMemoryBound(to: UInt8.self), count, alphaBands, destination)
    } else {
      widen(samples.assumingMemoryBound(to: UInt16.self), count, alphaBands, destination)
    }
  }

  private static func widen<Sample: StoredSample>(
    _ samples: UnsafePointer<Sample>, _ count: Int, _ alphaBands: Int, _ destination: UnsafeMutablePointer<Float>
  ) {
    let table = SRGBTransfer.decodeTable(sampleBytes: MemoryLayout<Sample>.size)
    guard alphaBands > 0 else {
      for index in 0..<count { destination[index] = table[Int(samples[index])] * Sample.top }
      return
    }
    for pixel in stride(from: 0, to: count, by: alphaBands) {
      let alpha = samples[pixel + alphaBands - 1].number
      for band in pixel..<pixel + alphaBands - 1 { destination[band] = table[Int(samples[band])] * alpha }
      destination[pixel + alphaBands - 1] = alpha
    }
  }

  /// Encodes linear light in place, as floats that only need to be rounded to samples.
  ///
  /// - Parameters:
  ///   - sampleBytes: the bytes per sample. The greatest value of a sample is full intensity.
  ///   - count: the number of floats; a multiple of `alphaBands` if that is not 0.
  ///   - alphaBands: as in `widen`. Colours are divided by alpha, encoded, and multiplied by alpha again.
  package static func encode(
    _ light: UnsafeMutablePointer<Float>, sampleBytes: Int, count: Int, alphaBands: Int
  ) {
    let top = sampleBytes == 1 ? UInt8.top : UInt16.top
    let table = SRGBTransfer.encodeTable
    guard alphaBands > 0 else {
      let scale = 1 / top
      for index in 0..<count { light[index] = SRGBTransfer.encode(light[index] * scale, table) * top }
      return
    }
    for pixel in stride(from: 0, to: count, by: alphaBands) {
      let alpha = light[pixel + alphaBands - 1]
      let scale = alpha > 0 ? 1 / alpha : 0
      for band in pixel..<pixel + alphaBands - 1 {
        light[band] = SRGBTransfer.encode(light[band] * scale, table) * alpha
      }
    }
  }
}

/// The linear light of eight pixels, stored band by band.
struct LightBlock {
  static let width = 8
  /// Eight samples of red, then of green, then of blue. `withBlock` owns the memory.
  private let planes: UnsafeMutablePointer<Float>

  /// Calls `body` with a zeroed block.
  @inline(__always)
  static func withBlock(_ body: (LightBlock) -> Void) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * width) { planes in
      planes.initialize(repeating: 0)
      body(LightBlock(planes: planes.baseAddress!))
    }
  }

  @inline(__always)
  private init(planes: UnsafeMutablePointer<Float>) { self.planes = planes }

  subscript(band: Int) -> SIMD8<Float> {
    @inline(__always) get {
      UnsafeRawPointer(planes + band * Self.width).loadUnaligned(as: SIMD8<Float>.self)
    }
    @inline(__always) nonmutating set {
      UnsafeMutableRawPointer(planes + band * Self.width).storeBytes(of: newValue, as: SIMD8<Float>.self)
    }
  }

  /// Decodes up to eight pixels.
  ///
  /// - Parameters:
  ///   - bands: the number of samples from one pixel to the next.
  ///   - offsets: the positions of red, green and blue in a pixel; all 0 for gray.
  @inline(__always)
  func decode<Sample: StoredSample>(
    _ pixels: UnsafePointer<Sample>, count: Int, bands: Int, offsets: (Int, Int, Int), _ table: UnsafePointer<Float>
  ) {
    for lane in 0..<count {
      let pixel = pixels + lane * bands
      planes[lane] = table[Int(pixel[offsets.0])]
      planes[Self.width + lane] = table[Int(pixel[offsets.1])]
      planes[2 * Self.width + lane] = table[Int(pixel[offsets.2])]
    }
  }

  /// Encodes up to eight pixels into the first three bands of `pixels`.
  @inline(__always)
  func encode<Sample: StoredSample>(
    into pixels: UnsafeMutablePointer<Sample>, count: Int, bands: Int,
    _ table: UnsafePointer<Float>
  ) {
    for lane in 0..<count {
      for band in 0..<3 {
        let value = SRGBTransfer.encode(planes[band * Self.width + lane], table)
        pixels[lane * bands + band] = Sample(nearest: value * Sample.top)
      }
    }
  }
}
