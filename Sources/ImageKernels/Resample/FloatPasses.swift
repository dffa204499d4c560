/// Resampling in floating point: for 16-bit samples, for pixels with alpha, and for extreme ratios.
///
/// Pixels are four lanes, unused ones zero, colours weighted by alpha. Sums run over the taps in order,
/// product and addition rounded apart, so that every processor gets the same bits. 8-bit samples and
/// opaque 16-bit ones use `Float`; 16-bit ones with alpha use `Double`, because dividing by a small
/// alpha magnifies errors up to 65,535 times.
enum FloatPasses {
  /// Reads `count` pixels into lanes and weighs colours by alpha.
  static func decode8(
    _ pixels: ResamplePixels, _ premultiplies: Bool, _ count: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    decode(UInt8.self, pixels, premultiplies, count, input, output)
  }
  static func decode16(
    _ pixels: ResamplePixels, _ premultiplies: Bool, _ count: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    decode(UInt16.self, pixels, premultiplies, count, input, output)
  }
  static func decode16(
    _ pixels: ResamplePixels, _ premultiplies: Bool, _ count: Int, _ input: UnsafeRawPointer,
    _ output: UnsafeMutablePointer<SIMD4<Double>>
  ) {
    decode(UInt16.self, pixels, premultiplies, count, input, output)
  }

  /// The horizontal pass: one row of lanes, `input[0]` being source column `origin`, to target columns.
  static func weighPixels(
    _ axis: ResampleAxis, _ weights: UnsafePointer<Float>, _ origin: Int,
    _ input: UnsafePointer<SIMD4<Float>>, _ output: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    weigh(axis, weights, origin, input, output)
  }
  static func weighPixels(
    _ axis: ResampleAxis, _ weights: UnsafePointer<Double>, _ origin: Int,
    _ input: UnsafePointer<SIMD4<Double>>, _ output: UnsafeMutablePointer<SIMD4<Double>>
  ) {
    weigh(axis, weights, origin, input, output)
  }

  /// The vertical pass: `taps` rows of `count` lanes to one row of pixels.
  static func weighRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Float>, _ taps: Int,
    _ pixels: ResamplePixels, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    combine(UInt8.self, rows, weights, taps, pixels, premultiplied, count, output)
  }
  static func weighRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Float>, _ taps: Int,
    _ pixels: ResamplePixels, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    combine(UInt16.self, rows, weights, taps, pixels, premultiplied, count, output)
  }
  static func weighRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Double>, _ taps: Int,
    _ pixels: ResamplePixels, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    combine(UInt16.self, rows, weights, taps, pixels, premultiplied, count, output)
  }

  // Generic bodies, specialised by the functions above: they stay in this file for that.

  @inline(__always)
  private static func decode<Sample, Lane>(
    _ type: Sample.Type, _ pixels: ResamplePixels, _ premultiplies: Bool, _ count: Int,
    _ input: UnsafeRawPointer, _ output: UnsafeMutablePointer<SIMD4<Lane>>
  )
  where
    Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar, Lane: BinaryFloatingPoint & SIMDScalar
  {
    let samples = input.assumingMemoryBound(to: Sample.self)
    let bands = pixels.bands
    let alpha = bands - 1
    let top = Lane(Sample.max)
    for x in 0..<count {
      var lanes = SIMD4<Lane>(repeating: 0)
      for band in 0..<bands { lanes[band] = Lane(samples[x * bands + band]) }
      if premultiplies {
        let opacity = lanes[alpha]
        lanes *= opacity / top
        lanes[alpha] = opacity
      }
      output[x] = lanes
    }
  }

  @inline(__always)
  private static func weigh<Lane: BinaryFloatingPoint & SIMDScalar>(
    _ axis: ResampleAxis, _ weights: UnsafePointer<Lane>, _ origin: Int,
    _ input: UnsafePointer<SIMD4<Lane>>, _ output: UnsafeMutablePointer<SIMD4<Lane>>
  ) {
    let taps = axis.taps
    axis.starts.withUnsafeBufferPointer { starts in
      axis.tapCounts.withUnsafeBufferPointer { counts in
        for x in 0..<axis.count {
          let pixel = input + (starts[x] - origin)
          let weight = weights + x * taps
          var sum = SIMD4<Lane>(repeating: 0)
          for k in 0..<counts[x] { sum += pixel[k] * weight[k] }
          output[x] = sum
        }
      }
    }
  }

  @inline(__always)
  private static func combine<Sample, Lane>(
    _ type: Sample.Type, _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Lane>,
    _ taps: Int, _ pixels: ResamplePixels, _ premultiplied: Bool, _ count: Int,
    _ output: UnsafeMutableRawPointer
  )
  where
    Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar, Lane: BinaryFloatingPoint & SIMDScalar
  {
    let samples = output.assumingMemoryBound(to: Sample.self)
    let bands = pixels.bands
    let size = MemoryLayout<SIMD4<Lane>>.size
    for x in 0..<count {
      var sum = SIMD4<Lane>(repeating: 0)
      for k in 0..<taps {
        sum += (rows[k] + x * size).loadUnaligned(as: SIMD4<Lane>.self) * weights[k]
      }
      store(sum, bands, premultiplied, samples + x * bands)
    }
  }

  /// Divides by alpha, rounds to nearest and clamps. Where alpha rounds to 0 the pixel is all 0.
  @inline(__always)
  private static func store<Sample, Lane>(
    _ sum: SIMD4<Lane>, _ bands: Int, _ premultiplied: Bool, _ output: UnsafeMutablePointer<Sample>
  )
  where
    Sample: FixedWidthInteger & UnsignedInteger & SIMDScalar, Lane: BinaryFloatingPoint & SIMDScalar
  {
    let top = Lane(Sample.max)
    var lanes = sum
    if premultiplied {
      let opacity = sum[bands - 1]
      lanes = opacity < 0.5 ? SIMD4(repeating: 0) : sum * (top / opacity)
      lanes[bands - 1] = opacity < 0.5 ? 0 : opacity
    }
    lanes.clamp(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: top))
    lanes += Lane(0.5)
    for band in 0..<bands { output[band] = Sample(lanes[band]) }
  }
}
