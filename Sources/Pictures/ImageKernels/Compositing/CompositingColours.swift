/// Converts samples to the colours that are composited, from 0 to 1, and back.
protocol CompositingColours {
  /// Returns the first one or three bands of a pixel.
  func load<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>, bands: Int) -> SIMD4<Float>

  /// Stores colours divided by `alpha`, or 0 if it is 0.
  func store<Sample: StoredSample>(
    _ colours: SIMD4<Float>, alpha: Float, into pixel: UnsafeMutablePointer<Sample>, bands: Int)
}

/// Colours in their encoded form.
struct EncodedColours: CompositingColours {
  @inline(__always)
  func load<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>, bands: Int) -> SIMD4<Float> {
    let numbers =
      bands == 1 ? SIMD4(pixel[0].number, 0, 0, 0) : SIMD4(pixel[0].number, pixel[1].number, pixel[2].number, 0)
    return numbers * (1 / Sample.top)
  }

  @inline(__always)
  func store<Sample: StoredSample>(
    _ colours: SIMD4<Float>, alpha: Float, into pixel: UnsafeMutablePointer<Sample>, bands: Int
  ) {
    let scale = alpha > 0 ? Sample.top / alpha : 0
    for band in 0..<bands { pixel[band] = Sample(nearest: colours[band] * scale) }
  }
}

/// Linear light of samples that are encoded with the sRGB curve.
struct LinearColours: CompositingColours {
  private let decode: UnsafePointer<Float>
  private let encode = SRGBTransfer.encodeTable

  init(sampleBytes: Int) { decode = SRGBTransfer.decodeTable(sampleBytes: sampleBytes) }

  @inline(__always)
  func load<Sample: StoredSample>(_ pixel: UnsafePointer<Sample>, bands: Int) -> SIMD4<Float> {
    bands == 1
      ? SIMD4(decode[Int(pixel[0])], 0, 0, 0)
      : SIMD4(decode[Int(pixel[0])], decode[Int(pixel[1])], decode[Int(pixel[2])], 0)
  }

  @inline(__always)
  func store<Sample: StoredSample>(
    _ colours: SIMD4<Float>, alpha: Float, into pixel: UnsafeMutablePointer<Sample>, bands: Int
  ) {
    let encoded = SRGBTransfer.encode(alpha > 0 ? colours / alpha : SIMD4(repeating: 0), encode) * Sample.top
    for band in 0..<bands { pixel[band] = Sample(nearest: encoded[band]) }
  }
}
